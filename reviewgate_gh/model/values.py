"""Frozen, slotted dataclasses that are made in a tenth of the time: a gate's time is mostly its
start.

The library writes and compiles six methods for every class when its module is read. Here a method
is shared by all classes, or compiled when it is first asked for, which few of them are in one run.
Fields, defaults, order of arguments, `replace`, `match` and what a type checker sees are the
library's own.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
        """The library's decorator of that name, for values only: frozen, slotted, compared by their
        fields."""
        if not (frozen and slots):
            raise TypeError("a value is frozen and slotted")
        return lambda kind: _value(kind, kw_only)


def _value(kind: Any, kw_only: bool) -> Any:
    kind.__doc__ = (
        kind.__doc__ or kind.__name__
    )  # else the library looks at the constructor's signature
    made: Any = dataclasses.dataclass(
        init=False, repr=False, eq=False, slots=True, kw_only=kw_only
    )(kind)
    for name, method in _METHODS.items():
        setattr(made, name, method)
    return made


class _Factory:
    """The default in place of what a factory makes, as signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class _CompiledMethod:
    """A method that is compiled for a class when it is first asked for, and takes this one's place
    there."""

    def __init__(self, name: str, write: Callable[[Any, dict[str, Any]], list[str]]) -> None:
        self._name = name
        self._write = write

    def __get__(self, value: object | None, kind: Any) -> Any:
        scope: dict[str, Any] = {}
        # The words are names of our own fields
        exec("\n".join(self._write(kind, scope)), scope)  # noqa: S102
        made = scope[self._name]
        made.__module__, made.__qualname__ = kind.__module__, f"{kind.__qualname__}.{self._name}"
        setattr(kind, self._name, made)
        return made.__get__(value, kind)


def _init(kind: Any, scope: dict[str, Any]) -> list[str]:
    """Each argument is put into its slot; `__post_init__` comes last."""
    own = fields(kind)
    heads = [_argument(field, scope) for field in own if not field.kw_only]
    named = [_argument(field, scope) for field in own if field.kw_only]
    puts = [_put(field, scope, kind) for field in own]
    after = [" self.__post_init__()"] if hasattr(kind, "__post_init__") else []
    return [
        f"def __init__({', '.join(['self', *heads, *(['*'] if named else []), *named])}) -> None:",
        " pass",
        *puts,
        *after,
    ]


def _argument(field: "Field[Any]", scope: dict[str, Any]) -> str:
    scope[f"_type_{field.name}"] = field.type
    head = f"{field.name}: _type_{field.name}"
    default = field.default if field.default_factory is MISSING else _FACTORY
    if default is MISSING:
        return head
    scope[f"_default_{field.name}"] = default
    return f"{head} = _default_{field.name}"


def _put(field: "Field[Any]", scope: dict[str, Any], kind: Any) -> str:
    name, given = field.name, field.name
    scope[f"_put_{name}"] = getattr(kind, name).__set__
    if field.default_factory is not MISSING:
        scope[f"_make_{name}"] = field.default_factory
        given = f"_make_{name}() if {name} is _default_{name} else {name}"
    return f" _put_{name}(self, {given})"


def _eq(kind: Any, _scope: dict[str, Any]) -> list[str]:
    same = f"{_values('self', kind)} == {_values('other', kind)}"
    return [
        "def __eq__(self, other):",
        f" return {same} if other.__class__ is self.__class__ else NotImplemented",
    ]


def _hash(kind: Any, _scope: dict[str, Any]) -> list[str]:
    return ["def __hash__(self):", f" return hash({_values('self', kind)})"]


def _values(of: str, kind: Any) -> str:
    return f"({''.join(f'{of}.{field.name}, ' for field in fields(kind) if field.compare)})"


@recursive_repr()
def _repr(self: Any) -> str:
    words = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(words)})"


def _refuse_set(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_METHODS = {
    "__init__": _CompiledMethod("__init__", _init),
    "__eq__": _CompiledMethod("__eq__", _eq),
    "__hash__": _CompiledMethod("__hash__", _hash),
    "__repr__": _repr, "__setattr__": _refuse_set, "__delattr__": _refuse_delete,
    "__getstate__": _get_state, "__setstate__": _set_state,
}  # fmt: skip
