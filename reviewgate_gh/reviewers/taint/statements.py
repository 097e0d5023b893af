"""The statements of a function, in order: branches join, loops are gone through twice, functions of
the same file are followed."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from . import sources
from .binding import Binder, Shared
from .calls import CallSite, facts
from .folding import truth
from .functions import (
    Class,
    Function,
    bound,
    fields_of,
    is_view,
    outside,
    self_name,
    serves_wsgi_page,
    sets_other_type,
)
from .reached import hits, is_page, location_hits
from .scopes import Scope
from .values import (
    EVERY,
    NOTHING,
    Value,
    container,
    element,
    elements,
    join,
    join_flows,
    unsure,
    words,
)

_MOST_INLINED = 60_000  # nodes of functions that are followed in one file
_MOST_TESTS = 200  # of one chain of `elif`s that say something of what follows
_DEEPEST = 3  # calls within calls
_LOOPS_TWICE = 2  # loops within one another that are gone through twice
_PARTS = ("tuple",)  # of a response: its page comes first
_MOST_EXITS = 40  # of a loop
_ENDS = words(
    "flask.abort quart.abort werkzeug.exceptions.abort sys.exit os._exit builtins.exit "
    "builtins.quit ?abort bottle.abort ?self.fail ?self.skipTest ?fail"
)


class Runner(Binder):
    """One function, or the file itself, gone through from the top."""

    def __init__(
        self, shared: Shared, scope: Scope, function: Function | None = None,
        calls: tuple[Function, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(shared, scope, function)
        self._calls = calls
        self.returned: Value | None = None
        self._is_page = self._is_wsgi = False
        self._loops: list[Scope] = []
        self._exits: list[list[Scope]] = []
        self._kinds[ast.Yield] = self._yield
        self._statements: dict[type, Callable[[Any], None]] = {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Return: self._return,
            ast.Raise: self._raise,
            ast.Assert: self._assert,
            ast.Break: self._leave,
            ast.Continue: self._leave,
            ast.Match: self._match,
            ast.Delete: self.delete,
            ast.FunctionDef: self.define,
            ast.AsyncFunctionDef: self.define,
            ast.ClassDef: self.define_class,
            ast.Import: self.import_names,
            ast.ImportFrom: self.import_from,
        }

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Go through statements until one that is not passed."""
        for statement in body:
            if self.scope.dead:
                return
            run = self._statements.get(type(statement))
            if run is not None:
                run(statement)

    def enter(self) -> None:
        """Go through the function as whoever calls it from outside."""
        if self.function is None:
            return
        route = sources.Route(self.function.node, self.modules)
        self.serves_html = not sets_other_type(self.function.node)
        self._is_wsgi = serves_wsgi_page(self.function)
        html = route.html or is_view(self.function, self.modules, self.shared.views)
        self._is_page = (html and self.serves_html) or self._is_wsgi
        for name, value in outside(self.function, route, self.modules).items():
            self.scope.names[name] = value
        self.run(self.function.node.body)

    def _expression(self, node: ast.Expr) -> None:
        self.evaluate(node.value)
        if isinstance(node.value, ast.Call) and self._called_name(node.value.func) in _ENDS:
            self.scope.dead = True

    def _called_name(self, node: ast.expr) -> str:
        return self.evaluate(node).name if isinstance(node, ast.Name | ast.Attribute) else ""

    def _assign(self, node: ast.Assign) -> None:
        value = self.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value, node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value), node)

    def _augmented(self, node: ast.AugAssign) -> None:
        value = self.operate(node.op, self.evaluate(node.target), self.evaluate(node.value))
        self.assign(node.target, value, node)

    def _if(self, node: ast.If) -> None:
        """An `if` with all its `elif`s: a chain of thousands is no deep nesting."""
        outer, ends, rest = self.scope, list[Scope](), self.scope.branch()
        at: ast.If | None = node
        while at is not None:
            self.scope = rest
            test = self.test(at.test)
            known = truth(test)
            if known is not False:
                holds = test.guard.holds if test.guard else ()
                end = self._branch(at.body, holds, rest)
                ends.append(end.until(outer) if len(ends) < _MOST_TESTS else end)
            if known is True:
                break
            if test.guard and len(ends) < _MOST_TESTS:
                rest.learn(test.guard.fails)
            nested = at.orelse[0] if len(at.orelse) == 1 else None
            if not isinstance(nested, ast.If):
                self.scope = rest
                self.run(at.orelse)
                ends.append(rest)
                break
            at = nested
        self.scope = outer
        outer.take(ends)

    def _branch(self, body: Sequence[ast.stmt], known: Any, base: Scope) -> Scope:
        self.scope = base.branch()
        self.scope.learn(known or ())
        self.run(body)
        return self.scope

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.evaluate(node.iter)
        self._loop(node, lambda: self.assign(node.target, elements(value), node.target))

    def _while(self, node: ast.While) -> None:
        if truth(self.evaluate(node.test)) is False:
            return
        self._loop(node, lambda: self._learn_test(node.test))

    def _learn_test(self, test: ast.expr) -> None:
        guard = self.test(test).guard
        self.scope.learn(guard.holds if guard else ())

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, begin: Callable[[], None]) -> None:
        base = self.scope
        for _ in range(2 if len(self._loops) < _LOOPS_TWICE else 1):
            self.scope = base.branch()
            self._loops.append(base)
            self._exits.append([])
            begin()
            self.run(node.body)
            self._loops.pop()
            ends = [self.scope, *self._exits.pop(), base.branch()]
            self.scope = base
            base.take(ends)
        self.run(node.orelse)

    def _leave(self, _node: ast.AST) -> None:
        if self._loops and len(self._exits[-1]) < _MOST_EXITS:
            self._exits[-1].append(self.scope.until(self._loops[-1]))
        self.scope.dead = True

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        outer = self.scope
        tried = self._branch([*node.body, *node.orelse], (), outer)
        ends = [tried]
        for handler in node.handlers:
            self.scope = outer.branch()
            for name, value in tried.names.items():
                before = outer.get(name)
                self.scope.names[name] = value if before is None else join(before, value)
            self.run(handler.body)
            ends.append(self.scope)
        self.scope = outer
        outer.take(ends)
        dead, outer.dead = outer.dead, False
        self.run(node.finalbody)
        outer.dead = outer.dead or dead

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, node)
        self.run(node.body)

    def _return(self, node: ast.Return) -> None:
        value = NOTHING if node.value is None else self.evaluate(node.value)
        if self._is_page:
            parts = (*_PARTS, "list") if self._is_wsgi else _PARTS
            page = element(value, 0) if value.tag in parts else value
            if page is not None and is_page(page):
                sure = tuple(flow for flow in page.flows if flow.sure)
                self.hits += hits("xss", sure, node, "the response")
            for part in (value.items or {}).values() if value.tag == "tuple" else ():
                self.hits += location_hits(part, node)
        self.returned = value if self.returned is None else join(self.returned, value)
        self.scope.dead = True

    def _yield(self, node: ast.Yield) -> Value:
        """One of the elements of what the function returns; what is sent back, nobody knows."""
        if node.value is not None:
            every = container("list", {}, self.evaluate(node.value))
            self.returned = every if self.returned is None else join(self.returned, every)
        return NOTHING

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self.evaluate(node.exc)
        self.scope.dead = True

    def _assert(self, node: ast.Assert) -> None:
        self._learn_test(node.test)

    def _match(self, node: ast.Match) -> None:
        subject, outer, ends = self.evaluate(node.subject), self.scope, list[Scope]()
        for case in node.cases:
            fits = self._fits(case.pattern, subject)
            if fits is False:
                continue
            known = facts(subject.flows, EVERY) if isinstance(case.pattern, ast.MatchValue) else ()
            self.scope = outer.branch()
            self.scope.learn(known)
            self._bind(case.pattern, subject)
            if case.guard is not None:
                fits = None if truth(self.evaluate(case.guard)) is None else fits
                self._learn_test(case.guard)
            self.run(case.body)
            ends.append(self.scope)
            if fits:
                break
        else:
            ends.append(outer.branch())
        self.scope = outer
        outer.take(ends)

    def _fits(self, pattern: ast.pattern, subject: Value) -> bool | None:
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            return True
        if isinstance(pattern, ast.MatchOr):
            every = [self._fits(each, subject) for each in pattern.patterns]
            return True if True in every else False if set(every) == {False} else None
        if isinstance(pattern, ast.MatchValue) and subject.is_constant:
            value = self.evaluate(pattern.value)
            return bool(value.const == subject.const) if value.is_constant else None
        return None

    def _bind(self, pattern: ast.pattern, subject: Value) -> None:
        if isinstance(pattern, ast.MatchAs) and pattern.name:
            self.scope.names[pattern.name] = subject
        elif isinstance(pattern, ast.MatchSequence | ast.MatchMapping):
            for part in pattern.patterns:
                self._bind(part, elements(subject))

    def inline(self, site: CallSite) -> Value | None:
        """What a function of this file returns for these arguments."""
        callee = site.receiver
        if site.method:
            owner = callee.const if isinstance(callee.const, Class) else None
            function = owner.methods.get(site.method) if owner else None
            return self._follow(function, site) if function else None
        if isinstance(callee.const, Function):
            return self._follow(callee.const, site)
        if isinstance(callee.const, Class) and callee.tag == "class":
            return self._instantiate(callee.const, site)
        return None

    def inline_property(self, owner: Value, node: ast.Attribute) -> Value | None:
        """What a property of a class of this file returns; None where it is none."""
        methods = owner.const.methods if isinstance(owner.const, Class) else {}
        function = methods.get(node.attr)
        if function is None or not function.is_property:
            return None
        call = ast.copy_location(ast.Call(node, [], []), node)
        return self._follow(function, CallSite(call, "", owner, node.attr, [], {}))

    def _instantiate(self, found: Class, site: CallSite) -> Value:
        made = replace(container("instance", {}), const=found, name=f"?{found.name}()")
        begin = found.methods.get("__init__")
        if begin is None:
            return replace(fields_of(found, site) if found.fields else made, const=found)
        runner = self._runner(begin, made, site)
        if runner is None:
            return replace(made, flows=unsure(join_flows(*(value.flows for value in site.every))))
        return runner.scope.get(self_name(begin)) or made

    def _follow(self, function: Function, site: CallSite) -> Value | None:
        """With input among its arguments the function is gone through anew; else once."""
        owner = (site.receiver,) if site.method else ()
        says = any(value.flows for value in (*site.every, *owner))
        known = self.shared.summaries.get(function)
        if not says and known is not None:
            return known
        self.shared.summaries.setdefault(function, NOTHING)
        runner = self._runner(function, site.receiver if site.method else None, site)
        if runner is None:
            return None
        if site.method and isinstance(site.node.func, ast.Attribute):
            after = runner.scope.get(self_name(function))
            if after is not None and after != site.receiver and after.tag in ("instance", "object"):
                self.assign(site.node.func.value, after, site.node)
        returned = runner.returned or NOTHING
        if not says:
            self.shared.summaries[function] = returned
        return returned

    def _runner(self, function: Function, owner: Value | None, site: CallSite) -> "Runner | None":
        """The function, gone through; None where that would be too much."""
        if (
            function in self._calls
            or function is self.function
            or len(self._calls) >= _DEEPEST
            or self.shared.inlined + function.size > _MOST_INLINED
        ):
            return None
        self.shared.inlined += function.size
        scope = Scope(function.scope)
        scope.names.update(bound(function, owner, site))
        runner = Runner(self.shared, scope, function, (*self._calls, function))
        runner.run(function.node.body)
        return runner
