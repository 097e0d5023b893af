"""Names of types that stand in a string: Python evaluates none of them by itself, and so fails at
none that is unknown. https://docs.python.org/3/reference/expressions.html#annotations"""

import ast
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from .._syntax_tree import parse_python, place_in_tree

_Place = tuple[int, int]  # line and column, as the tree counts them


def is_quoted(data: bytes, line: int, column: int) -> bool:
    """The place is inside of a plain string. What stands in an f-string is evaluated."""
    strings = _strings(data)
    place = place_in_tree(data, line, column)
    at = bisect_left(strings, place, key=lambda each: each[0]) - 1
    return at >= 0 and strings[at][0] < place < strings[at][1]


@lru_cache(1)  # asked for each unknown name of a file
def _strings(data: bytes) -> Sequence[tuple[_Place, _Place]]:
    """Where the plain strings begin and end, in their order; none of what is no Python."""
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    formatted = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    return sorted(
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in formatted
    )
