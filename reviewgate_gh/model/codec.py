"""Values to plain data (dicts, lists, strings, numbers) and back, strictly."""

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_ATOMS = frozenset({str, int, float, bool, type(None)})
_Turn = Callable[[Any], Any]


def to_plain(value: Any) -> Any:
    """A value of ours as data that json writes."""
    kind: Any = type(value)
    return value if kind in _ATOMS else _writer(kind)(value)


def from_plain(kind: Any, data: Any) -> Any:
    """The value of type `kind` that `to_plain` wrote.

    Raises:
        ValueError: the data does not fit; the message names the field.
    """
    return _reader(kind)(data)


@cache
def _writer(kind: type) -> _Turn:
    """How a value of that type becomes data; made once a type, because reports hold tens of
    thousands of values."""
    if issubclass(kind, Enum):
        return attrgetter("value")
    if is_dataclass(kind):
        names = tuple(f.name for f in fields(kind))
        return lambda value: {name: to_plain(getattr(value, name)) for name in names}
    if issubclass(kind, Mapping):
        return lambda value: {key: to_plain(item) for key, item in value.items()}
    if issubclass(kind, list | tuple):
        return lambda value: [to_plain(item) for item in value]
    return lambda value: value


@cache
def _reader(kind: Any) -> _Turn:
    """How data becomes that type; made once a type, too."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda data: data
    if origin in (Union, types.UnionType):
        either = _either(tuple(_reader(a) for a in args if a is not type(None)))
        return _optional(either) if type(None) in args else either
    if origin is tuple:
        item = _reader(args[0])
        return lambda data: tuple(map(item, _expect(list, data)))
    if origin is Literal:
        return partial(_one_of, args)
    if origin is Mapping:
        value = _reader(args[1])
        return lambda data: {str(key): value(item) for key, item in _expect(dict, data).items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _named_tuple(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return lambda data: data if type(data) is kind else _expect(kind, data)


def _one_of(words: tuple[Any, ...], data: Any) -> Any:
    if not any(type(data) is type(word) and data == word for word in words):
        raise ValueError(f"expected one of {', '.join(map(str, words))}")
    return data


def _either(readers: tuple[_Turn, ...]) -> _Turn:
    """The first that takes the data; where none does, the first one's error."""
    if len(readers) == 1:
        return readers[0]

    def read(data: Any) -> Any:
        errors = []
        for reader in readers:
            try:
                return reader(data)
            except ValueError as error:
                errors.append(error)
        raise errors[0]

    return read


def _optional(read: _Turn) -> _Turn:
    return lambda data: None if data is None else read(data)


def _named_tuple(kind: Any) -> _Turn:
    items = tuple(_reader(hint) for hint in get_type_hints(kind).values())
    return lambda data: kind(
        *(read(item) for read, item in zip(items, _expect(list, data), strict=True))
    )


def _object(kind: Any) -> _Turn:
    readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}

    def read(data: Any) -> Any:
        unknown = sorted(set(_expect(dict, data)) - set(readers))
        if unknown:
            raise ValueError(f"{kind.__name__}: unknown field {unknown[0]!r}")
        values = {name: _field(kind, name, readers[name], item) for name, item in data.items()}
        try:
            return kind(**values)
        except TypeError as error:
            raise ValueError(f"{kind.__name__}: {error}") from None

    return read


def _field(kind: Any, name: str, read: _Turn, item: Any) -> Any:
    try:
        return read(item)
    except ValueError as error:
        raise ValueError(f"{kind.__name__}.{name}: {error}") from None


def _expect(kind: Any, data: Any) -> Any:
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise ValueError(f"expected {kind.__name__}, got {type(data).__name__}")
    return data
