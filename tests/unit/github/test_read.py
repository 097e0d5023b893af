"""Answers are read strictly: whatever JSON comes, it is a value of the right kind or a Malformed
with the place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.github.reading import JsonPart, MalformedAnswer

SHA = "a" * 40
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
READERS = {
    "text": str,
    "optional": str,
    "oid": str,
    "number": int,
    "count": int,
    "flag": bool,
    "items": list,
}


@given(JSON, st.sampled_from(sorted(READERS)), st.booleans())
def test_any_json_gives_the_right_kind_or_a_malformed_with_the_place(value, reader, inside):
    said = ""
    try:
        found = getattr(JsonPart({"key": value} if inside else value, "GET /x"), reader)("key")
    except MalformedAnswer as error:
        said = error.message
    assert "GET /x" in said or type(found) is READERS[reader]


@pytest.mark.parametrize(
    ("reader", "value", "found"),
    [
        ("text", "a", "a"),
        ("text", "a\ud800b", "a?b"),
        ("optional", None, ""),
        ("oid", SHA, SHA),
        ("oid", "b" * 64, "b" * 64),
        ("number", 0, 0),
        ("number", "3000000001", 3000000001),
        ("count", None, 0),
        ("flag", False, False),
    ],
)
def test_what_is_taken(reader, value, found):
    assert getattr(JsonPart({"key": value}, "x"), reader)("key") == found


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        ("text", 1),
        ("text", None),
        ("optional", 1),
        ("oid", SHA[1:]),
        ("oid", SHA.upper()),
        ("oid", SHA + "\n"),
        ("number", True),
        ("number", -1),
        ("number", 1.5),
        ("number", "12x"),
        ("number", ""),
        ("count", "x"),
        ("flag", 0),
        ("flag", "true"),
        ("items", {}),
        ("items", [None]),
    ],
)
def test_what_is_not(reader, value):
    with pytest.raises(MalformedAnswer, match=r"x\.key"):
        getattr(JsonPart({"key": value}, "x"), reader)("key")
