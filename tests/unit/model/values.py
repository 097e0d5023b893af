"""Any value of a type of the model, built by hypothesis from its annotations."""

from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from msgspec import Struct

# What decoding bytes with surrogateescape gives: any character, and lone surrogates for undecodable
# bytes.
_CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.characters(
    min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]
)
TEXT = st.text(_CHARACTERS, max_size=8)
_ATOMS = {
    str: TEXT,
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of `kind`: a struct, a named tuple, or what their fields are made of."""
    if kind in _ATOMS:
        return _ATOMS[kind]
    args = get_args(kind)
    if isinstance(kind, UnionType):
        return st.one_of(*(st.none() if arg is NoneType else values(arg) for arg in args))
    if get_origin(kind) is Literal:
        return st.sampled_from(args)
    if get_origin(kind) is tuple:
        return st.lists(values(args[0]), max_size=3).map(tuple)
    if get_origin(kind) is Mapping:
        return st.dictionaries(TEXT, values(args[1]), max_size=3)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    assert issubclass(kind, Struct | tuple), kind
    return st.builds(
        kind,
        **{
            name: values(hint)
            for name, hint in get_type_hints(kind).items()
            if name != "schema_version"
        },
    )
