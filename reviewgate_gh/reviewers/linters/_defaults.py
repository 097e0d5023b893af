"""Defaults that all calls of a function share: they do harm only where it changes them, or hands
them to who may."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from .._syntax_tree import parse_python, place_in_tree

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# https://docs.python.org/3/library/stdtypes.html, https://docs.python.org/3/library/collections.html
_CHANGES = frozenset(
    (
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "move_to_end",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "setdefault",
        "sort",
        "subtract",
        "symmetric_difference_update",
        "update",
    )
)


def is_only_read(data: bytes, line: int, column: int) -> bool:
    """The default at the place is a parameter's that its function neither changes nor keeps: it is
    neither returned nor put anywhere. What other functions do with it is not looked at."""
    function, name = _owners(data).get(place_in_tree(data, line, column), (None, ""))
    return function is not None and not any(_harms(each, name) for each in ast.walk(function))


@lru_cache(1)  # asked for each such default of a file
def _owners(data: bytes) -> Mapping[tuple[int, int], tuple[_Function, str]]:
    """The function and the parameter of each default, by the place where that begins; none of what
    is no Python."""
    try:
        tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        (default.lineno, default.col_offset): (node, name)
        for node in ast.walk(tree)
        if isinstance(node, _Function)
        for name, default in _defaults(node.args)
    }


def _defaults(args: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = [*args.posonlyargs, *args.args]
    first = len(positional) - len(args.defaults)
    pairs = [*zip(positional[first:], args.defaults, strict=True)]
    for arg, default in (*pairs, *zip(args.kwonlyargs, args.kw_defaults, strict=True)):
        if default:
            yield arg.arg, default


def _harms(node: ast.AST, name: str) -> bool:
    """It changes what the name stands for, or gives it another name."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            return attr in _CHANGES and _is(value, name)
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return _is(value, name)
        case ast.AugAssign(target=target):
            return _is(target, name)
        case ast.Return(value=value) | ast.Yield(value=value) | ast.Lambda(body=value):
            return _holds(value, name)
        case ast.Assign(value=value) | ast.AnnAssign(value=value) | ast.NamedExpr(value=value):
            return _holds(value, name)
    return False


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _holds(node: ast.AST | None, name: str) -> bool:
    """The value is the object, or may be, or has it as a part."""
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_holds(part, name) for part in parts)
        case ast.IfExp(body=body, orelse=other):
            return _holds(body, name) or _holds(other, name)
        case ast.Dict(values=parts):
            return any(_holds(part, name) for part in parts)
    return False
