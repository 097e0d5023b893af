"""Functions that a loop defines, and what becomes of them: one that the same turn calls, and that
nobody keeps, sees the turn's own values."""

import ast
from collections.abc import Iterator

from .._syntax_tree import parse_python

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
# What is run later, or may be kept
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


def is_called_in_its_turn(data: bytes, line: int) -> bool:
    """Of each function that a loop defines around the line, all uses are calls, inside of the same
    loop and outside of other functions."""
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    found = [
        (loop, function)
        for loop in ast.walk(tree)
        if isinstance(loop, _LOOPS)
        for function in _defined_in(loop)
        if function.lineno <= line <= (function.end_lineno or 0)
    ]
    return bool(found) and all(_is_only_called(function, loop, tree) for loop, function in found)


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


def _is_only_called(function: ast.FunctionDef, loop: ast.AST, tree: ast.AST) -> bool:
    if function.decorator_list or any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function)
    ):
        return False
    name = function.name
    called = {
        id(node.func)
        for node in _outside_functions(loop)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }
    uses = {
        id(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    }
    return bool(called) and uses == called
