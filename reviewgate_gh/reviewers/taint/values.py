"""What the analysis knows of a value: which input flows into it, its constant, its elements."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

# In a text, parts that are not constant: of one without and of one with input in it
HOLE, INPUT_HOLE = "\0", "\1"
MOST_TEXT = 400  # characters of a text or constant that are kept
_MOST_FLOWS = 4
_MOST_STEPS = 4
_MOST_NAME = 120
_MOST_KEY = 160
MOST_ITEMS = 100
# Tags of values: a module; what is no constant but holds no input for sure, such as a number
MODULE, PLAIN = "module", "plain"
EVERY: frozenset[str] = frozenset({"*"})  # every kind of sink
NO_KINDS: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


class Unknown(Struct, frozen=True):
    """The constant of a value that is none."""


UNKNOWN = Unknown()


class Source(Struct, frozen=True):
    """Where input comes in. `key` names the very element that was read, `label` the kind of input,
    `origin` who sends it: "remote", "local" (whoever starts the program), "typed" (whoever answers
    its question), "environment", "random"; "unknown" where nobody knows what it is."""

    key: str
    label: str
    line: int
    origin: str = "remote"


class Flow(Struct, frozen=True):
    """Input on its way: the kinds of sinks for which it is `safe` now, whether it certainly came
    this far, and the assignments that it went through, as (line, name)."""

    source: Source
    safe: frozenset[str] = NO_KINDS
    sure: bool = True
    steps: tuple[tuple[int, str], ...] = ()

    def cleared(self, kinds: frozenset[str]) -> "Flow | None":
        """The flow after these kinds were made safe; None where nothing is left to fear."""
        return None if kinds & EVERY else replace(self, safe=self.safe | kinds)


Facts = tuple[tuple[str, frozenset[str]], ...]


class Guard(Struct, frozen=True):
    """What a test says of sources, by their keys: kinds that are safe where it holds, and where it
    does not."""

    holds: Facts = ()
    fails: Facts = ()


class Value(Struct, frozen=True):
    """One value. `name` is the dotted name that it came from, "?" before one that is not resolved;
    `text` a string with holes; `items` are elements by constant key, `rest` stands for all others.

    `flows` are those of the elements, too.
    """

    flows: tuple[Flow, ...] = ()
    const: Any = UNKNOWN
    name: str = ""
    text: str | None = None
    tag: str = ""
    items: Mapping[Hashable, "Value"] | None = None
    rest: "Value | None" = None
    guard: Guard | None = None

    @property
    def is_constant(self) -> bool:
        """Its value is known."""
        return self.const is not UNKNOWN


NOTHING = Value()


def constant(value: Any) -> Value:
    """A value that is known, if it is small enough to be kept."""
    if isinstance(value, str):
        if len(value) > MOST_TEXT:
            return Value(text=value[:MOST_TEXT] + HOLE)
        return Value(const=value, text=value)
    if isinstance(value, bytes) and len(value) > MOST_TEXT:
        return NOTHING
    return Value(const=value)


def named(name: str) -> Value:
    """A value of which only the dotted name is known."""
    return Value(name=name[:_MOST_NAME])


def container(tag: str, items: Mapping[Hashable, Value], rest: Value | None = None) -> Value:
    """A list, tuple, dict or object with elements."""
    if len(items) > MOST_ITEMS:
        return Value(tag=tag, rest=join_all([*items.values(), *([rest] if rest else [])]))
    every = (*items.values(), rest) if rest is not None else items.values()
    return Value(
        flows=join_flows(*(v.flows for v in every if v.flows)), tag=tag, items=items, rest=rest
    )


def sequence(tag: str, values: Sequence[Value]) -> Value:
    """A list or tuple with exactly these elements."""
    return container(tag, dict(enumerate(values)))


def elements(value: Value) -> Value:
    """Any one element of it."""
    if value.items is None and value.rest is None:
        return Value(flows=value.flows)
    known = value.items.values() if value.items else ()
    return join_all([*known, *([value.rest] if value.rest is not None else [])])


def element(value: Value, key: Any) -> Value | None:
    """The element with a constant key; None where only `elements` can say."""
    if value.items is None:
        return None
    if value.tag in ("list", "tuple") and type(key) is int and key < 0:
        key += len(value.items)
    if isinstance(key, Hashable) and key in value.items:
        return value.items[key]
    return value.rest if value.rest is not None else NOTHING


def with_element(value: Value, key: Any, new: Value) -> Value:
    """The container after an assignment to one of its elements."""
    if value.items is None or key is UNKNOWN or not isinstance(key, Hashable):
        rest = new if value.rest is None else join(value.rest, new)
        bare = container(value.tag, value.items or {}, rest)
        flows = join_flows(bare.flows, value.flows)
        return replace(bare, flows=flows, name=value.name, const=value.const)
    bare = container(value.tag, {**value.items, key: new}, value.rest)
    return replace(bare, name=value.name, const=value.const)


def join(one: Value, other: Value) -> Value:
    """What holds of both."""
    if one is other or one == other:
        return one
    for filled, empty in ((one, other), (other, one)):
        if filled.tag == "input" and _is_empty(empty):
            return filled
    items, rest = _join_items(one, other)
    return Value(
        join_flows(one.flows, other.flows),
        one.const if _same_constant(one, other) else UNKNOWN,
        one.name if one.name == other.name else "",
        _join_texts(one, other),
        _join_tags(one, other),
        items,
        rest,
    )


def join_all(values: Iterable[Value]) -> Value:
    """What holds of all of them."""
    every = list(values)
    return reduce(join, every) if every else NOTHING


def _is_empty(value: Value) -> bool:
    """A container without elements, as in `request.json or {}`: it adds nothing to what was
    sent."""
    return value.items is not None and not value.items and value.rest is None


def _join_tags(one: Value, other: Value) -> str:
    """A constant is as harmless as a value that is known to be."""
    if one.tag == other.tag:
        return one.tag
    pairs = ((one, other), (other, one))
    return PLAIN if any(a.tag == PLAIN and b.is_constant for a, b in pairs) else ""


def _same_constant(one: Value, other: Value) -> bool:
    return type(one.const) is type(other.const) and bool(one.const == other.const)


def shown(value: Value) -> str:
    """The text of a value, or a hole."""
    if value.text is not None:
        return value.text
    return INPUT_HOLE if value.flows else HOLE


def _join_texts(first: Value, second: Value) -> str | None:
    """Their common beginning, which tells where a URL or a path leads."""
    if first.text is None and second.text is None:
        return None
    one, other = shown(first), shown(second)
    if one == other:
        return one
    length = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return one[:length] + (INPUT_HOLE if INPUT_HOLE in one[length:] + other[length:] else HOLE)


def _join_items(one: Value, other: Value) -> tuple[Mapping[Hashable, Value] | None, Value | None]:
    if one.tag != other.tag or one.items is None or other.items is None:
        inside = [v for v in (one, other) if v.items is not None or v.rest is not None]
        return None, join_all(elements(v) for v in inside) if inside else None
    rests = [v.rest for v in (one, other) if v.rest is not None]
    rest = join_all(rests) if rests else None
    if one.tag in ("list", "tuple") and len(one.items) != len(other.items):
        return None, join_all([elements(one), elements(other)])
    items = {
        key: join(one.items.get(key, NOTHING), other.items.get(key, NOTHING))
        for key in (*one.items, *(k for k in other.items if k not in one.items))
    }
    return items, rest


def join_flows(*groups: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """Each source once: safe only where all ways are, sure where one of them is."""
    filled = [group for group in groups if group]
    if len(filled) < 2:
        return filled[0] if filled else ()
    found: dict[str, Flow] = {}
    for flow in (flow for group in filled for flow in group):
        known = found.get(flow.source.key)
        found[flow.source.key] = flow if known is None else _either(known, flow)
    if len(found) > _MOST_FLOWS:  # those that are the least safe
        return tuple(sorted(found.values(), key=lambda flow: len(flow.safe))[:_MOST_FLOWS])
    return tuple(found.values())


def _either(one: Flow, other: Flow) -> Flow:
    if one == other:
        return one
    return Flow(one.source, one.safe & other.safe, one.sure or other.sure, one.steps or other.steps)


def clear(value: Value, kinds: frozenset[str]) -> Value:
    """The value after these kinds of sinks were made safe for it."""
    if not value.flows:
        return value
    if kinds & EVERY and value.items is None:
        return replace(value, flows=(), tag=PLAIN)
    return Value(flows=clear_flows(value.flows, kinds), name=value.name, text=value.text)


def clear_flows(flows: tuple[Flow, ...], kinds: frozenset[str]) -> tuple[Flow, ...]:
    """The flows that are left."""
    return tuple(left for flow in flows if (left := flow.cleared(kinds)))


def part_of(flows: tuple[Flow, ...], key: str) -> tuple[Flow, ...]:
    """The flows of a part: a test of it says nothing of the whole, one of the whole all of it."""
    return tuple(
        flow
        if len(flow.source.key) > _MOST_KEY
        else replace(flow, source=replace(flow.source, key=f"{flow.source.key}[{key}]"))
        for flow in flows
    )


def restored(flows: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """The flows after an encoding was taken back, and what it kept safe with it."""
    return tuple(replace(flow, safe=NO_KINDS) for flow in flows)


def unsure(flows: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """The flows after code that nobody looked into."""
    return tuple(replace(flow, sure=False) if flow.sure else flow for flow in flows)


def stepped(value: Value, line: int, name: str) -> Value:
    """The value after it was assigned to a name."""
    if not value.flows or value.items is not None:
        return value
    flows = tuple(
        flow
        if flow.source.line == line or len(flow.steps) >= _MOST_STEPS or (line, name) in flow.steps
        else replace(flow, steps=(*flow.steps, (line, name)))
        for flow in value.flows
    )
    return replace(value, flows=flows)
