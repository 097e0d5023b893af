"""Assignments: names, attributes and elements, and what is stored where it does harm."""

import ast

from msgspec.structs import replace

from . import sources
from .containers import without_element
from .expressions import Evaluator
from .functions import Class, Function, FunctionNode
from .reached import ReachedSink, hits, location_hits, secret_hits
from .scopes import Scope
from .suspicion import Suspicion
from .values import (
    MODULE,
    Value,
    container,
    element,
    elements,
    named,
    part_of,
    stepped,
    with_element,
)


class Shared:
    """What all functions of one file share."""

    def __init__(
        self,
        modules: frozenset[str],
        suspicion: Suspicion | None = None,
        views: frozenset[str] = frozenset(),
    ) -> None:
        self.modules, self.suspicion, self.views = modules, suspicion, views
        self.hits: list[ReachedSink] = []
        self.waiting: list[Function] = []
        self.inlined = 0
        self.lambdas: dict[int, Function] = {}
        self.summaries: dict[Function, Value] = {}


class Binder(Evaluator):
    """What statements bind at one place of a function."""

    def __init__(self, shared: Shared, scope: Scope, function: Function | None) -> None:
        super().__init__(scope, shared.modules, shared.hits)
        self.suspicion = shared.suspicion
        self.shared, self.function = shared, function

    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """Bind a name, attribute or element."""
        if isinstance(target, ast.Name):
            self.hits += secret_hits(value, target.id, node)
            line = getattr(node, "lineno", 0)
            self.scope.names[target.id] = stepped(value, line, target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value, node)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value, node)
        elif isinstance(target, ast.Subscript):
            self._assign_element(target, value, node)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, node)

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, node: ast.AST) -> None:
        items = value.items if value.rest is None and value.items is not None else {}
        exact = len(items) == len(target.elts)
        for at, part in enumerate(target.elts):
            known = at in items if value.tag == "instance" else exact
            found = element(value, at) if known else None
            self.assign(part, _any_part(value, at) if found is None else found, node)

    def _assign_attribute(self, target: ast.Attribute, value: Value, node: ast.AST) -> None:
        self.hits += secret_hits(value, target.attr, node)
        owner = self.evaluate(target.value)
        if owner.tag == "input" or sources.is_request(owner.name):
            return
        if owner.items is None:
            tag = owner.tag if owner.tag in ("handler", "instance") else "object"
            owner = replace(container(tag, {}), name=owner.name, const=owner.const)
        self.assign(target.value, with_element(owner, f".{target.attr}", value), node)

    def _assign_element(self, target: ast.Subscript, value: Value, node: ast.AST) -> None:
        owner, key = self.evaluate(target.value), self.evaluate(target.slice)
        self._store(owner, key, value, node)
        if owner.tag != "input" and isinstance(
            target.value, ast.Name | ast.Attribute | ast.Subscript
        ):
            self.assign(target.value, with_element(owner, key.const, value), node)

    def _store(self, owner: Value, key: Value, value: Value, node: ast.AST) -> None:
        """What is stored in a session or among the headers of a response."""
        last = owner.name.rpartition(".")[2]
        if isinstance(key.const, str):
            self.hits += secret_hits(value, key.const, node)
        if last == "session":
            self.hits += hits("trust", (*key.flows, *value.flows), node, "session")
        elif last in ("headers", "HttpResponse()"):
            self.hits += hits("header", key.flows, node, "headers")
            self.hits += location_hits(with_element(container("dict", {}), key.const, value), node)

    def define(self, node: FunctionNode) -> None:
        """Bind a function, which is gone through when what is around it is known."""
        function = Function(node, self.scope, self.function.owner if self.function else None)
        self.shared.waiting.append(function)
        self.scope.names[node.name] = Value(const=function, name=f"?{node.name}", tag="def")

    def define_lambda(self, node: ast.Lambda) -> Value:
        """A function without a name: that of its expression."""
        known = self.shared.lambdas.get(id(node))
        if known is None:
            body = ast.copy_location(ast.Return(node.body), node)
            definition = ast.FunctionDef("lambda", node.args, [body], [])
            known = Function(ast.copy_location(definition, node), self.scope)
            self.shared.lambdas[id(node)] = known
            self.shared.waiting.append(known)
        return Value(const=known, name="?lambda", tag="def")

    def delete(self, node: ast.Delete) -> None:
        """Take names and elements away."""
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                owner, key = self.evaluate(target.value), self.evaluate(target.slice)
                self.assign(target.value, without_element(owner, key.const), node)

    def define_class(self, node: ast.ClassDef) -> None:
        """Bind a class."""
        found = Class(node, self.scope)
        self.shared.waiting += found.methods.values()
        self.scope.names[node.name] = Value(const=found, name=f"?{node.name}", tag="class")

    def import_names(self, node: ast.Import) -> None:
        """Bind modules."""
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.scope.names[alias.asname or name] = replace(named(name), tag=MODULE)

    def import_from(self, node: ast.ImportFrom) -> None:
        """Bind names of a module; those of the project itself stay unresolved."""
        package = f"?{node.module or ''}" if node.level else node.module or ""
        for alias in node.names:
            self.scope.names[alias.asname or alias.name] = named(f"{package}.{alias.name}")


def _any_part(value: Value, at: int) -> Value:
    found = elements(value)
    return replace(found, flows=part_of(found.flows, str(at))) if found.items is None else found
