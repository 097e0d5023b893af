"""Names of types that stand in a string: Python evaluates none of them by itself, and so fails at
none that is unknown. https://docs.python.org/3/reference/expressions.html#annotations"""

import ast

from .._syntax_tree import parse_python, place_in_tree


def is_quoted(data: bytes, line: int, column: int) -> bool:
    """The place is inside of a plain string. What stands in an f-string is evaluated."""
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    place = place_in_tree(data, line, column)
    formatted = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in formatted
        and (node.lineno, node.col_offset)
        < place
        < (node.end_lineno or 0, node.end_col_offset or 0)
        for node in ast.walk(tree)
    )
