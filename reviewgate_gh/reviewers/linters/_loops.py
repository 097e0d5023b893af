"""Functions that a loop defines, and what becomes of them: one that the same turn calls, and that
nobody keeps, sees the turn's own values."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from .._syntax_tree import parse_python

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
# What is run later, or may be kept
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


def is_called_in_its_turn(data: bytes, line: int) -> bool:
    """Of each function that a loop defines around the line, all uses are calls, inside of the same
    loop and outside of other functions."""
    found = [only for first, last, only in _defined(data) if first <= line <= last]
    return bool(found) and all(found)


@lru_cache(1)  # asked for each such function of a file
def _defined(data: bytes) -> Sequence[tuple[int, int, bool]]:
    """The first and the last line of each function that a loop defines, and whether all its uses
    are such calls; none of what is no Python."""
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    uses = defaultdict[str, set[int]](set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses[node.id].add(id(node))
    found = list[tuple[int, int, bool]]()
    for loop in ast.walk(tree):
        if isinstance(loop, _LOOPS):
            called = _called_in(loop)
            for each in _defined_in(loop):
                is_called = each.name in called and called[each.name] == uses[each.name]
                found.append((each.lineno, each.end_lineno or 0, is_called and _gives_itself(each)))
    return found


def _called_in(loop: ast.AST) -> Mapping[str, Collection[int]]:
    """The names that the loop's own body calls, with where it names them."""
    called = defaultdict[str, set[int]](set)
    for node in _outside_functions(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called[node.func.id].add(id(node.func))
    return called


def _defined_in(loop: ast.AST) -> Iterator[ast.FunctionDef]:
    """Plain functions of the loop's own body, which give nothing piece by piece."""
    for node in _outside_functions(loop):
        if isinstance(node, ast.FunctionDef):
            yield node


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, without those inside of functions."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _LATER):
            yield from _outside_functions(child)


def _gives_itself(function: ast.FunctionDef) -> bool:
    """Nothing else gets it: no decorator, and no reader of what it gives piece by piece."""
    pieces = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))
    return not (function.decorator_list or pieces)
