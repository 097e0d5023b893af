"""The functions and classes of a file, and what their parameters are given."""

import ast
from collections.abc import Hashable, Mapping
from functools import cached_property

from msgspec.structs import replace

from . import sources
from .calls import CallSite
from .containers import fields
from .scopes import Scope
from .values import Value, container, named, sequence

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Class:
    """A class of the file, with its methods."""

    def __init__(self, node: ast.ClassDef, scope: Scope) -> None:
        self.name, self.bases = node.name, [ast.unparse(base) for base in node.bases]
        self.fields = {
            part.target.id: part
            for part in node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        }
        self.methods = {
            part.name: Function(part, scope, self)
            for part in node.body
            if isinstance(part, FunctionNode)
        }


def fields_of(found: Class, site: CallSite) -> Value:
    """An instance of a class whose fields alone are declared, such as a dataclass."""
    return replace(fields([*found.fields], site.args, site.keywords), name=f"?{found.name}()")


class Function:
    """A function of the file, where it stands."""

    def __init__(self, node: FunctionNode, scope: Scope, owner: Class | None = None) -> None:
        self.node, self.scope, self.owner = node, scope, owner
        marks = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
        self.is_static = "staticmethod" in marks
        self.is_property = not marks.isdisjoint(("property", "cached_property"))

    @cached_property
    def size(self) -> int:
        """How many nodes it has."""
        return sum(1 for _ in ast.walk(self.node))


def sets_other_type(node: FunctionNode) -> bool:
    """The function says of its response that it is no HTML."""
    return any(
        isinstance(part, ast.Assign)
        and isinstance(part.value, ast.Constant)
        and isinstance(part.value.value, str)
        and "/" in part.value.value
        and "html" not in part.value.value
        and any(_is_type(target) for target in part.targets)
        for part in ast.walk(node)
    )


_VERBS = frozenset(("get", "post", "put", "patch", "delete", "dispatch_request"))


def is_view(function: Function, modules: frozenset[str], views: frozenset[str]) -> bool:
    """Without a decorator that says so, Flask sends what the function returns as HTML."""
    if not modules & {"flask", "quart"}:
        return False
    if function.owner is None:
        return function.node.name in views
    bases = {base.rpartition(".")[2] for base in function.owner.bases}
    return function.node.name in _VERBS and not bases.isdisjoint(("MethodView", "View"))


def serves_wsgi_page(function: Function) -> bool:
    """An application of WSGI that names HTML as the type of its answers."""
    args = function.node.args
    return sources.is_wsgi([arg.arg for arg in args.args]) and any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value.startswith("text/html")
        for part in ast.walk(function.node)
    )


def _is_type(target: ast.expr) -> bool:
    if isinstance(target, ast.Attribute):
        return target.attr in ("mimetype", "content_type")
    key = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(key, ast.Constant) and str(key.value).lower() == "content-type"


def self_name(function: Function) -> str:
    """The name of its first parameter."""
    args = function.node.args
    return next((arg.arg for arg in (*args.posonlyargs, *args.args)), "")


def outside(
    function: Function, route: sources.Route, modules: frozenset[str]
) -> Mapping[str, Value]:
    """What a function is given by whoever calls it."""
    args = function.node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    defaults = dict(
        zip(
            every[: len(args.posonlyargs) + len(args.args)][::-1], args.defaults[::-1], strict=False
        )
    )
    defaults |= {a: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d}
    line, found = function.node.lineno, dict[str, Value]()
    for at, arg in enumerate(every):
        value = None
        if modules & sources.WEB_MODULES:
            value = sources.parameter(arg, defaults.get(arg), route, line)
            value = value or _model(function, arg, route)
        found[arg.arg] = value or named(f"?{arg.arg}")
        if not at and function.owner and not function.is_static:
            found[arg.arg] = _own(function.owner)
    if sources.is_wsgi(list(found)):
        found["environ"] = sources.wsgi_environment(line)
    return found


def _model(function: Function, arg: ast.arg, route: sources.Route) -> Value | None:
    """A parameter whose type is a class of this file: an object of the fields that are text."""
    if not route.typed or not isinstance(arg.annotation, ast.Name):
        return None
    kind = function.scope.get(arg.annotation.id)
    if kind is None or not isinstance(kind.const, Class) or kind.tag != "class":
        return None
    texts = {
        name: value
        for name, field in kind.const.fields.items()
        if (value := sources.model_field(arg.arg, field, function.node.lineno))
    }
    return fields([], [], texts) if texts else None


def _own(owner: Class) -> Value:
    tag = "handler" if sources.is_handler_class(owner.bases) else "object"
    return Value(const=owner, name="?self", tag=tag)


def bound(function: Function, owner: Value | None, site: CallSite) -> dict[str, Value]:
    """The parameters of a call that is followed."""
    args = function.node.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    values = [*([owner] if owner is not None and not function.is_static else []), *site.args]
    found = {
        arg.arg: named(f"?{arg.arg}") for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)
    }
    for name, default in zip(names[::-1], args.defaults[::-1], strict=False):
        if isinstance(default, ast.Constant):
            found[name] = Value(const=default.value)
    found |= dict(zip(names, values, strict=False))
    found |= {name: value for name, value in site.keywords.items() if name in found}
    if args.vararg:
        found[args.vararg.arg] = sequence("tuple", values[len(names) :])
    if args.kwarg:
        more: dict[Hashable, Value] = {n: v for n, v in site.keywords.items() if n not in names}
        found[args.kwarg.arg] = container("dict", more)
    return found
