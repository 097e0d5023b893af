"""What an expression comes to: its input, its constant, its name."""

import ast
import builtins
import string
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from . import sources
from .calls import CallSite, call_result, facts, guard_of, pick, shown_key
from .containers import apply_method, merged_dicts
from .folding import (
    concatenate,
    fold_binary,
    fold_compare,
    fold_not,
    fold_subscript,
    fold_text_slice,
    truth,
)
from .reached import ReachedSink, reached, secret_hits
from .sanitizers import denied_kinds, raises_on_bad
from .scopes import Scope, both, either, negated
from .suspicion import Suspicion
from .values import (
    EVERY,
    NO_KINDS,
    NOTHING,
    UNKNOWN,
    Guard,
    Value,
    clear,
    constant,
    container,
    element,
    elements,
    join,
    join_all,
    join_flows,
    named,
    part_of,
    sequence,
    with_element,
    words,
)

_BUILTINS = frozenset(dir(builtins))
_PATH_PARTS = ("name", "stem", "suffix")
_URLS = frozenset(("redirect", "request"))
_HOSTS = ("netloc", "hostname", "scheme", "host")
_CLEAN_PARTS = words("method user session id pk size port year month day content_length")
_OBJECTS = ("object", "instance", "handler")
_PLAIN_TEXT = ("unescape", "striptags")
_MOST_DEPTH = 120  # expressions within one another


class Evaluator:
    """Expressions at one place of one function."""

    def __init__(self, scope: Scope, modules: frozenset[str], hits: list[ReachedSink]) -> None:
        self.scope, self.modules, self.hits = scope, modules, hits
        self._depth = 0
        self._plain = set[int]()  # calls whose result is turned back into plain text at once
        self.suspicion: Suspicion | None = None  # everything unknown counts as input
        self.serves_html = True  # no other type of content is set here
        self._kinds: dict[type, Callable[[Any], Value]] = {
            ast.Constant: lambda node: constant(node.value),
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
            ast.BinOp: self._binary,
            ast.BoolOp: self._boolean,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.IfExp: self._conditional,
            ast.JoinedStr: self._joined,
            ast.FormattedValue: lambda node: self.evaluate(node.value),
            ast.List: lambda node: self._sequence("list", node.elts),
            ast.Tuple: lambda node: self._sequence("tuple", node.elts),
            ast.Set: lambda node: replace(self._sequence("list", node.elts), tag="set"),
            ast.Dict: self._dict,
            ast.NamedExpr: self._named,
            ast.Await: lambda node: self.evaluate(node.value),
            ast.Starred: lambda node: self.evaluate(node.value),
            ast.Yield: lambda node: self._optional(node.value),
            ast.YieldFrom: lambda node: self.evaluate(node.value),
            ast.ListComp: lambda node: self._comprehension(node, "list", node.elt),
            ast.SetComp: lambda node: self._comprehension(node, "set", node.elt),
            ast.GeneratorExp: lambda node: self._comprehension(node, "list", node.elt),
            ast.DictComp: lambda node: self._comprehension(node, "dict", node.value),
            ast.Slice: lambda node: NOTHING,
            ast.Lambda: self.define_lambda,
        }

    def evaluate(self, node: ast.expr) -> Value:
        """The value of an expression; of one too deep nothing is known."""
        if self._depth >= _MOST_DEPTH:
            return NOTHING
        self._depth += 1
        try:
            evaluate = self._kinds.get(type(node))
            return evaluate(node) if evaluate else NOTHING
        finally:
            self._depth -= 1

    def define_lambda(self, node: ast.Lambda) -> Value:
        """A function without a name."""
        raise NotImplementedError

    def inline(self, site: CallSite) -> Value | None:
        """What a function of the same file returns; None where it is not looked into."""
        raise NotImplementedError

    def inline_property(self, owner: Value, node: ast.Attribute) -> Value | None:
        """What a property of a class of the same file returns; None where it is none."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        """Bind a name, attribute or element."""
        raise NotImplementedError

    def test(self, node: ast.expr) -> Value:
        """The value of a test; a name that does not hold stands for nothing that was sent."""
        value = self.evaluate(node)
        if isinstance(node, ast.Name) and value.flows and value.guard is None:
            return replace(value, guard=Guard((), facts(value.flows, EVERY)))
        return value

    def _callee(self, node: ast.expr) -> Value:
        """What is called by a name alone: that it is not known makes its result no input."""
        return self._bound(node) if isinstance(node, ast.Name) else self.evaluate(node)

    def _optional(self, node: ast.expr | None) -> Value:
        return NOTHING if node is None else self.evaluate(node)

    def _bound(self, node: ast.Name) -> Value:
        found = self.scope.get(node.id)
        if found is None:
            found = named(f"builtins.{node.id}" if node.id in _BUILTINS else f"?{node.id}")
        return found

    def _name(self, node: ast.Name) -> Value:
        found = self._bound(node)
        return self.scope.read(self.suspicion.read(found, node) if self.suspicion else found)

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self.evaluate(node.value)
        found = element(value, f".{node.attr}") if value.tag in _OBJECTS else None
        if found is not None and found is not NOTHING:
            return self.scope.read(found)
        if value.tag in _OBJECTS and (got := self.inline_property(value, node)):
            return self.scope.read(got)
        if given := sources.input_attribute(value.name, node.attr, node.lineno):
            return self.scope.read(given)
        if value.tag == "handler" and (given := sources.handler_attribute(node.attr, node.lineno)):
            return self.scope.read(given)
        if given := self._view_argument(value, node):
            return self.scope.read(given)
        member = self._member(value, node.attr)
        return self.scope.read(self.suspicion.member(member)) if self.suspicion else member

    def _view_argument(self, value: Value, node: ast.Attribute) -> Value | None:
        bases = getattr(value.const, "bases", None)
        known = value.name == "?self" and isinstance(bases, list) and "django" in self.modules
        return sources.view_arguments(bases, node.attr, node.lineno) if known and bases else None

    def _member(self, value: Value, attribute: str) -> Value:
        """An attribute of something that is no object of ours."""
        if value.name == "?self" and attribute == "request" and self.modules & sources.WEB_MODULES:
            return named(sources.REQUEST)
        if value.name == "string" and isinstance(letters := getattr(string, attribute, None), str):
            return constant(letters)
        name = f"{value.name}.{attribute}" if value.name else ""
        if not value.flows or value.tag in _OBJECTS or attribute in _CLEAN_PARTS:
            return named(name)
        kinds = frozenset(("path",)) if attribute in _PATH_PARTS else frozenset()
        flows = tuple(flow for flow in clear(Value(value.flows), kinds).flows if flow.sure)
        guard = Guard((), facts(flows, _URLS)) if attribute in _HOSTS else None
        return Value(flows, name=name[:120], tag="part", guard=guard)

    def _subscript(self, node: ast.Subscript) -> Value:
        value, key = self.evaluate(node.value), self.evaluate(node.slice)
        if value.tag == "input" and not isinstance(node.slice, ast.Slice):
            return self.scope.read(pick(value, key.const, node.slice))
        folded = fold_subscript(value.const, key.const)
        if folded is not UNKNOWN:
            return constant(folded)
        if isinstance(node.slice, ast.Slice):
            return self._slice(value, node.slice)
        if value.items is None and value.rest is None and value.flows:
            part = part_of(value.flows, shown_key(key.const, node.slice))
            return self.scope.read(Value(part, tag="part"))
        found = element(value, key.const) if key.is_constant else None
        return self.scope.read(elements(value) if found is None else found)

    def _slice(self, value: Value, node: ast.Slice) -> Value:
        parts = (node.lower, node.upper, node.step)
        bounds = [None if part is None else self.evaluate(part).const for part in parts]
        if UNKNOWN in bounds or value.is_constant or value.items is None:
            folded = (
                fold_subscript(value.const, slice(*bounds)) if UNKNOWN not in bounds else UNKNOWN
            )
            if folded is UNKNOWN and value.text and UNKNOWN not in bounds[:2] and not bounds[2]:
                cut = fold_text_slice(value.text, *bounds[:2])
                folded = UNKNOWN if cut is None else cut
            part = part_of(value.flows, f"{node.lineno}:{node.col_offset}")
            return Value(part, tag="slice") if folded is UNKNOWN else constant(folded)
        if value.tag in ("list", "tuple") and value.rest is None:
            return sequence(value.tag, list(value.items.values())[slice(*bounds)])
        return container(value.tag, {}, elements(value))

    def _binary(self, node: ast.BinOp) -> Value:
        """A chain of additions is walked, not descended into: queries are built of hundreds."""
        chain: list[ast.BinOp] = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        value = self.evaluate(chain[-1].left)
        for step in reversed(chain):
            value = self.operate(step.op, value, self.evaluate(step.right))
        return self._told(value, node)

    def _told(self, value: Value, node: ast.expr) -> Value:
        """The value of a text, after those who ask for it have seen it."""
        if self.suspicion:
            self.hits += self.suspicion.query(value, node)
        return value

    def operate(self, op: ast.operator, left: Value, right: Value) -> Value:
        """`left op right`."""
        if isinstance(op, ast.Add) and left.tag == right.tag == "list":
            if left.items is not None and right.items is not None and not (left.rest or right.rest):
                return sequence("list", [*left.items.values(), *right.items.values()])
            return container("list", {}, join(elements(left), elements(right)))
        if isinstance(op, ast.BitOr) and left.tag == right.tag == "dict":
            return merged_dicts(left, right)
        found = fold_binary(op, left, right)
        is_path = isinstance(op, ast.Div) and left.name.startswith("pathlib.")
        return replace(found, name=left.name) if is_path else found

    def _boolean(self, node: ast.BoolOp) -> Value:
        """Each part is evaluated where those before it held, or did not."""
        is_and, outer = isinstance(node.op, ast.And), self.scope
        found: list[Value] = []
        guard: Guard | None = None
        for at, part in enumerate(node.values):
            value = self.test(part)
            guard = (both if is_and else either)(guard, value.guard) if at else value.guard
            known = truth(value)
            if known is not is_and or part is node.values[-1]:
                found = [value] if is_and else [*found, value]
            if known is not None and known is not is_and:
                break
            self.scope = self.scope.branch()
            if value.guard:
                self.scope.learn(value.guard.holds if is_and else value.guard.fails)
        self.scope = outer
        return replace(join_all(found), guard=guard)

    def _unary(self, node: ast.UnaryOp) -> Value:
        value = self.test(node.operand)
        if isinstance(node.op, ast.Not):
            return replace(fold_not(value), guard=negated(value.guard))
        if isinstance(node.op, ast.USub) and isinstance(value.const, int | float):
            return constant(-value.const)
        return NOTHING

    def _compare(self, node: ast.Compare) -> Value:
        values = [self.evaluate(node.left), *(self.evaluate(v) for v in node.comparators)]
        if len(node.ops) > 1:
            return NOTHING
        left, right = values
        folded = fold_compare(node.ops[0], left, right)
        guard = _compared(node.ops[0], left, right)
        return replace(NOTHING if folded is UNKNOWN else constant(folded), guard=guard)

    def _conditional(self, node: ast.IfExp) -> Value:
        test, outer = self.test(node.test), self.scope
        known, found = truth(test), list[Value]()
        for holds, part in ((True, node.body), (False, node.orelse)):
            if known is None or known is holds:
                self.scope = outer.branch()
                if test.guard:
                    self.scope.learn(test.guard.holds if holds else test.guard.fails)
                found.append(self.evaluate(part))
        self.scope = outer
        return join_all(found)

    def _joined(self, node: ast.JoinedStr) -> Value:
        parts = [self.evaluate(part) for part in node.values]
        text = concatenate(
            replace(part, const=str(part.const), text=str(part.const))
            if part.is_constant and isinstance(part.const, int | float)
            else part
            for part in parts
        )
        return self._told(text, node)

    def _sequence(self, tag: str, nodes: list[ast.expr]) -> Value:
        values = [self.evaluate(node) for node in nodes]
        if any(isinstance(node, ast.Starred) for node in nodes):
            return container(tag, {}, join_all(elements(value) for value in values))
        return sequence(tag, values)

    def _dict(self, node: ast.Dict) -> Value:
        found = container("dict", {})
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.evaluate(part)
            if key is None:
                found = container("dict", found.items or {}, elements(value))
                continue
            name = self.evaluate(key).const
            if isinstance(name, str):
                self.hits += secret_hits(value, name, part)
            if len(found.items or ()) < 100 or value.flows:
                found = with_element(found, name, value)
        return found

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value, node)
        return value

    def _comprehension(self, node: Any, tag: str, result: ast.expr) -> Value:
        outer, self.scope = self.scope, self.scope.branch()
        for part in node.generators:
            self.assign(part.target, _any_of(self.evaluate(part.iter)), part.target)
            for test in part.ifs:
                if guard := self.test(test).guard:
                    self.scope.learn(guard.holds)
        value = self.evaluate(result)
        self.scope = outer
        return container(tag, {}, value)

    def _call(self, node: ast.Call) -> Value:
        site = self._site(node)
        if self.suspicion:
            self.suspicion.visit(site)
        self.hits += (
            hit
            for hit in reached(site, self.modules)
            if hit.kind != "xss" or (self.serves_html and id(node) not in self._plain)
        )
        for name, value in site.keywords.items():
            self.hits += secret_hits(value, name, node)
        found = self.inline(site)
        effect = apply_method(site.receiver, site.method, site.args, site.keywords)
        if found is None and effect is not None:
            if isinstance(node.func, ast.Attribute) and effect.receiver is not site.receiver:
                self.assign(node.func.value, effect.receiver, node)
            return self.scope.read(effect.result)
        if found is None:
            found = call_result(site)
            if self.suspicion:
                found = self._told(self.suspicion.result(found, site), node)
        elif guard := guard_of(site):
            found = replace(found, guard=guard)
        if raises_on_bad(site.name):
            self.scope.learn(facts(join_flows(*(v.flows for v in site.every)), EVERY))
        return self.scope.read(found)

    def _keywords(self, node: ast.Call) -> dict[str, Value]:
        found = dict[str, Value]()
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            found |= {keyword.arg: value} if keyword.arg else _unpacked(value)
        return found

    def _site(self, node: ast.Call) -> CallSite:
        args = [self.evaluate(arg) for arg in node.args]
        keywords = self._keywords(node)
        if not isinstance(node.func, ast.Attribute):
            callee = self._callee(node.func)
            return CallSite(node, callee.name, callee, "", args, keywords)
        if node.func.attr in _PLAIN_TEXT:
            self._plain.add(id(node.func.value))
        receiver, method = self.evaluate(node.func.value), node.func.attr
        given = sources.input_attribute(receiver.name, method, node.lineno)
        if given is not None:
            return CallSite(node, given.name, given, "", args, keywords)
        name = f"{receiver.name}.{method}" if receiver.name else f"?.{method}"
        return CallSite(node, name, receiver, method, args, keywords)


def _unpacked(value: Value) -> dict[str, Value]:
    """The keywords that `**value` stands for."""
    items = value.items if value.tag == "dict" and value.items else {}
    return {key: item for key, item in items.items() if isinstance(key, str)}


def _any_of(value: Value) -> Value:
    """An element of what is gone through; of signs that are known, any of them."""
    items = value.items.values() if value.items is not None and value.rest is None else ()
    text = value.text if value.is_constant else "".join(str(item.const) for item in items)
    if text and not value.flows and all(len(str(item.const)) == 1 for item in items):
        return Value(text=text, tag="signs")
    return elements(value)


def _compared(op: ast.cmpop, left: Value, right: Value) -> Guard | None:
    """What a comparison with something that is not input says of the input."""
    swapped = isinstance(op, ast.NotEq | ast.NotIn | ast.IsNot)
    if isinstance(op, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
        if left.guard and right.is_constant and right.const is None:
            told = negated(left.guard)
        elif left.flows and not right.flows:
            told = _equals(left)
        elif right.flows and not left.flows:
            told = _equals(right)
        else:
            return None
        return negated(told) if swapped else told
    if isinstance(op, ast.In | ast.NotIn):
        within = _contained(left, right)
        return negated(within) if swapped else within
    return None


def _equals(value: Value) -> Guard:
    """Also where nothing was sent, or a URL names no host."""
    return Guard(facts(value.flows, _tested(value)))


def _tested(value: Value) -> frozenset[str]:
    """The kinds for which it is safe that a value is one of those allowed: of a part of a URL not
    all."""
    return _URLS if value.name.rpartition(".")[2] in _HOSTS else EVERY


def _contained(left: Value, right: Value) -> Guard | None:
    if left.flows and not right.flows:
        return Guard(facts(left.flows, _tested(left)))
    signs = left.text or "" if left.tag == "signs" else [left.const]
    kinds = NO_KINDS.union(*(denied_kinds(sign) for sign in signs))
    told = facts(right.flows, kinds)
    if right.tag == "slice":  # what is cut off holds no such sign that matters: `text[1:-1]`
        told = tuple((key.rpartition("[")[0], kinds) for key, kinds in told)
    return Guard((), told) if told and kinds else None
