"""Lists, dicts, configuration parsers and buffers: which element an input stands at, as methods
move it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from .values import (
    MODULE,
    NOTHING,
    UNKNOWN,
    Value,
    container,
    element,
    elements,
    join,
    join_all,
    sequence,
    with_element,
    words,
)

_LISTS = ("list", "tuple")
_EMPTY: Mapping[str, str] = {
    "builtins.list": "list",
    "builtins.tuple": "tuple",
    "builtins.dict": "dict",
    "builtins.set": "set",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.deque": "list",
}
_RECORD = "record"  # the tag of a type whose instances are tuples with names
_UNSAFE = "!unsafe"  # ends the name of an XML parser that resolves external entities
_FEATURES = ("feature_external_ges", "feature_external_pes")
_TAKES = words("append add insert extend put put_nowait push write writelines update appendleft")
_GIVES = words("get get_nowait getvalue read pop popleft")
_BUFFERS = ("StringIO()", "BytesIO()", "Queue()", "LifoQueue()", "SimpleQueue()", "deque()")


class ContainerEffect(NamedTuple):
    """What a method returns, and its receiver afterwards."""

    result: Value
    receiver: Value


def new_container(name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value | None:
    """What a constructor of a container returns; None where it is none."""
    tag = _EMPTY.get(name)
    if tag is None:
        return None
    if not args or name == "collections.defaultdict":
        return container(tag, _merged(None, keywords))
    first = args[0]
    if first.items is None and first.rest is None:
        return replace(first, const=UNKNOWN, text=None)
    if tag == "dict" and first.tag == "dict":
        return container("dict", _merged(first.items, keywords), first.rest)
    if tag in _LISTS and first.tag in _LISTS:
        return replace(first, tag=tag)
    return container(tag, {}, elements(first))


def record_type(name: str, args: Sequence[Value]) -> Value | None:
    """What `namedtuple("Pair", "left right")` returns; None where it is no such call."""
    if name != "collections.namedtuple" or len(args) < 2:
        return None
    given = args[1]
    if isinstance(given.const, str):
        return Value(const=tuple(given.const.replace(",", " ").split()), tag=_RECORD)
    names = [item.const for item in (given.items or {}).values()]
    whole = given.rest is None and names and all(isinstance(name, str) for name in names)
    return Value(const=tuple(names), tag=_RECORD) if whole else None


def record_of(kind: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value | None:
    """An instance of such a type; None where it is none."""
    return fields(kind.const, args, keywords) if kind.tag == _RECORD else None


def fields(names: Sequence[str], args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """An object with these fields, which have names and an order."""
    given = {**dict(zip(names, args, strict=False)), **keywords}
    items: dict[Hashable, Value] = {f".{name}": value for name, value in given.items()}
    items |= {at: given[name] for at, name in enumerate(names) if name in given}
    return container("instance", items)


def apply_method(
    receiver: Value, method: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> ContainerEffect | None:
    """What a method of a container does; None where it is no such method."""
    if receiver.name.removesuffix(_UNSAFE).endswith("make_parser()") and method == "setFeature":
        return _set_feature(receiver, args)
    if receiver.name.endswith("ConfigParser()") and method in ("set", "get", "add_section"):
        return _configuration(receiver, method, args)
    if receiver.tag in _LISTS and receiver.items is not None:
        return _list(receiver, method, args)
    if receiver.tag == "dict":
        return _dict(receiver, method, args, keywords)
    if receiver.tag in ("input", MODULE):
        return None
    if method in _TAKES and (receiver.tag or receiver.name.endswith(_BUFFERS) or _bears(args)):
        return ContainerEffect(NOTHING, _absorbed(receiver, args))
    if method in _GIVES and receiver.rest is not None:
        return ContainerEffect(elements(receiver), receiver)
    return None


def _merged(
    items: Mapping[Hashable, Value] | None, keywords: Mapping[str, Value]
) -> Mapping[Hashable, Value]:
    found = dict(items or {})
    found.update(keywords.items())
    return found


def merged_dicts(left: Value, right: Value) -> Value:
    """`left | right`."""
    return _updated(left, [right], {})


def without_element(value: Value, key: Any) -> Value:
    """The container after `del value[key]`."""
    if value.items is None or key is UNKNOWN or value.rest is not None:
        return value
    if value.tag == "list":
        effect = _popped(value, list(value.items.values()), [Value(const=key)], -1)
        return effect.receiver
    left = {k: item for k, item in value.items.items() if k != key}
    return replace(container(value.tag, left), name=value.name, const=value.const)


def is_unsafe_parser(value: Value) -> bool:
    """An XML parser that was told to resolve external entities."""
    return value.name.endswith(_UNSAFE)


def unsafe_parser(name: str) -> Value:
    """Such a parser."""
    return Value(name=name + _UNSAFE)


def _bears(args: Sequence[Value]) -> bool:
    return any(arg.flows for arg in args)


def _absorbed(receiver: Value, args: Sequence[Value]) -> Value:
    rest = join_all([*args, *([receiver.rest] if receiver.rest is not None else [])])
    rest = elements(rest) if rest.items is not None else rest
    bare = container(receiver.tag, receiver.items or {}, rest)
    return replace(bare, name=receiver.name)


def _set_feature(receiver: Value, args: Sequence[Value]) -> ContainerEffect:
    name = receiver.name.removesuffix(_UNSAFE)
    if len(args) == 2 and args[0].name.endswith(_FEATURES):
        allowed = args[1].const not in (False, 0)
        return ContainerEffect(NOTHING, unsafe_parser(name) if allowed else Value(name=name))
    return ContainerEffect(NOTHING, receiver)


def _configuration(receiver: Value, method: str, args: Sequence[Value]) -> ContainerEffect:
    """A parser of configuration files: a dict by section and option."""
    key = tuple(arg.const for arg in args[:2])
    known = UNKNOWN if UNKNOWN in key else key
    if method == "set" and len(args) == 3:
        return ContainerEffect(NOTHING, with_element(receiver, known, args[2]))
    if method == "get" and len(args) >= 2:
        found = None if known is UNKNOWN else element(receiver, known)
        return ContainerEffect(elements(receiver) if found is None else found, receiver)
    return ContainerEffect(NOTHING, receiver)


def _list(receiver: Value, method: str, args: Sequence[Value]) -> ContainerEffect | None:
    if receiver.rest is not None:
        return _list_of_unknown_order(receiver, method, args)
    items = list((receiver.items or {}).values())
    if method in ("pop", "popleft"):
        return _popped(receiver, items, args, 0 if method == "popleft" else -1)
    if method == "clear":
        return ContainerEffect(NOTHING, _as(receiver, []))
    if method == "reverse":
        return ContainerEffect(NOTHING, _as(receiver, items[::-1]))
    if method == "sort":
        return ContainerEffect(NOTHING, container(receiver.tag, {}, elements(receiver)))
    return _list_with_argument(receiver, method, args, items) if args else None


def _list_of_unknown_order(
    receiver: Value, method: str, args: Sequence[Value]
) -> ContainerEffect | None:
    if method in ("append", "extend", "insert", "appendleft"):
        return ContainerEffect(NOTHING, _absorbed(receiver, args))
    return ContainerEffect(elements(receiver), receiver) if method in ("pop", "popleft") else None


def _list_with_argument(
    receiver: Value, method: str, args: Sequence[Value], items: list[Value]
) -> ContainerEffect | None:
    if method == "append":
        return ContainerEffect(NOTHING, _as(receiver, [*items, args[0]]))
    if method == "appendleft":
        return ContainerEffect(NOTHING, _as(receiver, [args[0], *items]))
    if method == "insert" and len(args) == 2:
        return _inserted(receiver, items, args)
    if method == "extend":
        return _extended(receiver, items, args[0])
    if method == "remove":
        return _removed(receiver, items, args[0])
    return None


def _as(receiver: Value, items: Sequence[Value]) -> Value:
    return replace(sequence(receiver.tag, items), name=receiver.name)


def _inserted(receiver: Value, items: list[Value], args: Sequence[Value]) -> ContainerEffect:
    at = args[0].const
    if type(at) is not int:
        return ContainerEffect(NOTHING, _absorbed(receiver, args[1:]))
    items.insert(at, args[1])
    return ContainerEffect(NOTHING, _as(receiver, items))


def _extended(receiver: Value, items: list[Value], more: Value) -> ContainerEffect:
    if more.tag in _LISTS and more.items is not None and more.rest is None:
        return ContainerEffect(NOTHING, _as(receiver, [*items, *more.items.values()]))
    return ContainerEffect(NOTHING, container(receiver.tag, {}, join_all([*items, elements(more)])))


def _popped(
    receiver: Value, items: list[Value], args: Sequence[Value], at: object
) -> ContainerEffect:
    at = args[0].const if args else at
    if type(at) is not int or not -len(items) <= at < len(items):
        return ContainerEffect(elements(receiver), receiver)
    found = items.pop(at)
    return ContainerEffect(found, _as(receiver, items))


def _removed(receiver: Value, items: list[Value], what: Value) -> ContainerEffect:
    at = next((n for n, item in enumerate(items) if item.is_constant and item == what), None)
    if at is None:
        return ContainerEffect(NOTHING, receiver)
    del items[at]
    return ContainerEffect(NOTHING, _as(receiver, items))


def _dict(
    receiver: Value, method: str, args: Sequence[Value], keywords: Mapping[str, Value]
) -> ContainerEffect | None:
    if method in ("get", "pop", "setdefault") and args:
        return _looked_up(receiver, method, args)
    if method == "update":
        return ContainerEffect(NOTHING, _updated(receiver, args, keywords))
    if method in ("values", "items", "popitem", "copy"):
        found = receiver if method == "copy" else container("", {}, elements(receiver))
        return ContainerEffect(found, receiver)
    if method == "keys":
        return ContainerEffect(NOTHING, receiver)
    if method == "clear":
        return ContainerEffect(NOTHING, container("dict", {}))
    return None


def _looked_up(receiver: Value, method: str, args: Sequence[Value]) -> ContainerEffect:
    key = args[0].const
    default = args[1] if len(args) > 1 else NOTHING
    if key is UNKNOWN or receiver.items is None:
        # Which element is asked for may hang on input; what it is does not
        return ContainerEffect(join(elements(receiver), default), receiver)
    found = receiver.items.get(key)
    if found is None:
        found = default if receiver.rest is None else join(receiver.rest, default)
        if method == "setdefault":
            return ContainerEffect(found, with_element(receiver, key, default))
    if method == "pop":
        left = {k: v for k, v in receiver.items.items() if k != key}
        return ContainerEffect(found, container("dict", left, receiver.rest))
    return ContainerEffect(found, receiver)


def _updated(receiver: Value, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    items, rest = dict(receiver.items or {}), receiver.rest
    for more in args:
        if more.tag == "dict" and more.items is not None:
            items |= more.items
            rest = more.rest if rest is None else rest
        elif more.flows:
            rest = elements(more) if rest is None else join(rest, elements(more))
    return container("dict", _merged(items, keywords), rest)
