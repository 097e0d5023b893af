"""What the sections of the config share: no unknown keys, no converted types, no number below its
minimum."""

from functools import cache
from typing import Any, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

STRICT = {"extra": "forbid", "strict": True}


class ConfigSection(Struct, frozen=True, forbid_unknown_fields=True):
    """A mapping that a user writes. msgspec reads it; pydantic explains what is wrong in it and
    writes the schema.

    Reading it with pydantic too would make a review of one small file with a config file cost 1.8
    times the CPU time.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: Any) -> Any:
        return handler(_dataclass_of(cls))


@cache
def _dataclass_of(kind: Any) -> Any:
    """The same section as a standard dataclass, which pydantic knows; a section that is a default
    is always `Section()`."""
    import dataclasses

    hints = get_type_hints(kind)
    rows: list[tuple[str, Any, Any]] = []
    for each in fields(kind):
        if each.default_factory is not NODEFAULT:
            given = dataclasses.field(default_factory=each.default_factory)
        elif isinstance(each.default, ConfigSection):
            given = dataclasses.field(default=_dataclass_of(type(each.default))())
        else:
            given = dataclasses.field(
                default=dataclasses.MISSING if each.default is NODEFAULT else each.default
            )
        rows.append((each.name, hints[each.name], given))
    body = {
        "__doc__": kind.__doc__,
        "__pydantic_config__": STRICT,
        "__post_init__": lambda self: kind(**vars(self)) and None,
    }
    return dataclasses.make_dataclass(
        kind.__name__, rows, frozen=True, kw_only=True, namespace=body
    )


def require_at_least(name: str, value: float | None, least: float) -> None:
    """Nothing, for a number from `least` on or none at all.

    Raises:
        ValueError: it is less, or not a number.
    """
    if value is not None and not value >= least:  # not a number is not enough
        raise ValueError(f"{name} must be {least:g} or more")
