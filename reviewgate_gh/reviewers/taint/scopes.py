"""Names and what they stand for, along the branches of a function."""

from collections.abc import Iterable, Iterator

from .values import PLAIN, Facts, Guard, Value, clear_flows, join_all

_MOST_LOOKS = 8  # branches without a name, of which each may have tested what it stands for


class Scope:
    """The names at one point of a function. A branch is a scope over another one, so that it costs
    what it changes; `dead` says that its end is not reached."""

    def __init__(self, parent: "Scope | None" = None) -> None:
        self._parent, self.dead = parent, False
        self.names: dict[str, Value] = {}
        self.cleared: dict[str, frozenset[str]] = {}

    def branch(self) -> "Scope":
        """A scope for one way through what follows."""
        return Scope(self)

    def get(self, name: str) -> Value | None:
        """What the name stands for; None where nobody has bound it."""
        at: Scope | None = self
        while at is not None:
            if name in at.names:
                return at.names[name]
            at = at._parent
        return None

    def safe_kinds(self, key: str) -> frozenset[str]:
        """The kinds of sinks for which tests have made a source safe here, or the whole of which
        it is a part."""
        keys = _wholes(key)
        found: frozenset[str] = frozenset()
        at: Scope | None = self
        while at is not None:
            if at.cleared:
                found = found.union(*(at.cleared[k] for k in keys if k in at.cleared))
            at = at._parent
        return found

    def read(self, value: Value) -> Value:
        """The value as the tests that were passed have left it."""
        if not value.flows:
            return value
        flows = tuple(
            left
            for flow in value.flows
            for left in clear_flows((flow,), self.safe_kinds(flow.source.key))
        )
        if flows == value.flows:
            return value
        tag = value.tag if flows or value.items is not None else PLAIN
        return Value(flows, value.const, value.name, value.text, tag, value.items, value.rest)

    def learn(self, facts: Iterable[tuple[str, frozenset[str]]]) -> None:
        """Take what a test says."""
        for key, kinds in facts:
            self.cleared[key] = self.cleared.get(key, frozenset()) | kinds

    def take(self, branches: Iterable["Scope"]) -> None:
        """Go on after the branches: with what holds at the end of each that comes to one."""
        alive = [branch for branch in branches if not branch.dead]
        if not alive:
            self.dead = True
            return
        holders: dict[str, list[Scope]] = {}
        for branch in alive:
            for name in branch.names:
                holders.setdefault(name, []).append(branch)
        for name, having in holders.items():
            lacking = [b for b in alive[:_MOST_LOOKS] if name not in b.names]
            if not lacking and len(having) < len(alive):
                lacking = [self]
            values = ((b, b.get(name)) for b in (*having, *lacking))
            self.names[name] = join_all(b.read(v) for b, v in values if v is not None)
        for key in set.intersection(*(set(branch.cleared) for branch in alive)):
            kinds = frozenset.intersection(*(branch.cleared[key] for branch in alive))
            self.cleared[key] = self.cleared.get(key, frozenset()) | kinds

    def until(self, base: "Scope") -> "Scope":
        """Everything that was bound since `base`, as one branch of it."""
        whole = Scope(base)
        for scope in reversed([*self._chain(base)]):
            whole.names.update(scope.names)
            whole.learn(scope.cleared.items())
        whole.dead = self.dead
        return whole

    def _chain(self, base: "Scope") -> Iterator["Scope"]:
        at: Scope | None = self
        while at is not None and at is not base:
            yield at
            at = at._parent


def _wholes(key: str) -> list[str]:
    """The key of a part, and those of what holds it."""
    found = [key]
    while key.endswith("]"):
        key = key.rpartition("[")[0]
        found.append(key)
    return found


def both(one: Guard | None, other: Guard | None) -> Guard:
    """The guard of `one and other`: what either of them says where it holds, and what both say
    where they do not."""
    first, second = one or Guard(), other or Guard()
    return Guard(first.holds + second.holds, _shared(first.fails, second.fails))


def either(one: Guard | None, other: Guard | None) -> Guard:
    """The guard of `one or other`."""
    first, second = one or Guard(), other or Guard()
    return Guard(_shared(first.holds, second.holds), first.fails + second.fails)


def negated(guard: Guard | None) -> Guard | None:
    """The guard of `not one`."""
    return Guard(guard.fails, guard.holds) if guard else None


def _shared(one: Facts, other: Facts) -> Facts:
    return tuple(fact for fact in one if fact in other)
