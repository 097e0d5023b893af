"""Reading tools' output strictly: paths, titles, names."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from reviewgate_gh.model.finding import Priority
from reviewgate_gh.text import strict


@pytest.mark.parametrize(
    ("path", "tidy"),
    [
        ("a", "a"),
        ("./a", "a"),
        ("././-a", "-a"),
        ("a//b", "a/b"),
        ("a/./b", "a/b"),
        ("a/../b", "b"),
        ("../a", "../a"),
        ("a/../../b", "../b"),
        ("/a/../b", "/b"),
        ("a/.", "a"),
        (".", ""),
        (".a", ".a"),
        ("a.", "a."),
        ("..a/b", "..a/b"),
        ("x b/ü '", "x b/ü '"),
        (".\\a", ".\\a"),
    ],
)
def test_tidy_paths(path: str, tidy: str) -> None:
    assert strict.tidy_path(path) == tidy


@given(st.lists(st.sampled_from(["a", "b.py", ".x", " "]), min_size=1, max_size=4).map("/".join))
def test_a_tidy_path_stays(path: str) -> None:
    assert strict.tidy_path(path) == path
    assert strict.relative_path(f"/root//./{path}", "/root/") == path


@pytest.mark.parametrize(
    ("path", "root"), [("/w/a", ""), ("/ww/a", "/w"), ("/w", "/w"), ("a", "/w")]
)
def test_paths_outside_the_root_stay(path: str, root: str) -> None:
    assert strict.relative_path(path, root) == path


def test_paths_and_texts_can_always_be_encoded() -> None:
    assert strict.path_text("a\udcff", "x") == "a\udcff"
    for bad in ("\ud800", "\udc00", "\udfff", "a\0", "", None, 3):
        with pytest.raises(ValueError, match="x: "):
            strict.path_text(bad, "x")
    assert strict.json_string("a\ud800\udcffb", "x") == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", '{"a": -Infinity}', "1 2", "", "[" * 100_000, "9" * 5000, "{'a': 1}"],
)
def test_only_json_is_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not a thing: [^\n]+$"):
        strict.load_json(text, "a thing")


def test_a_long_message_is_kept_whole_in_the_body() -> None:
    message = "word " * 100
    found = strict.tool_finding("t", "r", Priority.P2, "a", (1, 1), message, body="see there")
    assert len(found.title) == 200 and found.title.endswith("…")
    assert found.body == f"{message.strip()}\n\nsee there"
    assert strict.tool_finding("t", "r", Priority.P2, "a", (1, 1), " short ").body == ""
    assert strict.tool_finding("t", "r", Priority.P2, "a", (1, 1), "\n").title == "t/r"


def test_a_finding_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="ends on line 2 before it starts on line 3"):
        strict.tool_finding("t", "r", Priority.P2, "a", (3, 2), "m")


class Row(Struct):
    line: strict.WholeNumber
    level: strict.Level = "error"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "tool: expected `array`, got `object`"),
        ([{"line": 1}, {"line": -1}], "tool[1].line: expected `int` >= 0"),
        ([{"line": 1.0}], "tool[0].line: expected `int`, got `float`"),
        ([{"line": True}], "tool[0].line: expected `int`, got `bool`"),
        ([{"line": "1"}], "tool[0].line: expected `int`, got `str`"),
        ([{}], "tool[0]: object missing required field `line`"),
        ([{"line": 1, "level": "a\nb\x1b"}], "tool[0].level: invalid enum value 'a\\nb\\x1b'"),
        ([{"line": 1, "level": "\ud800"}], "tool: an unpaired surrogate"),
        ([{"line": 1, "\ud800": 1}], "tool: an unpaired surrogate"),
        ([{"line": 1, "level": "x" * 9000}], "tool[0].level: invalid enum value 'xxx"),
    ],
)
def test_what_does_not_fit_a_type_is_told_on_one_line_with_its_place(
    value: object, message: str
) -> None:
    with pytest.raises(ValueError, match=r"\A[ -~…]{1,200}\Z") as caught:
        strict.checked(value, list[Row], "tool")
    assert str(caught.value).startswith(message)


def test_a_type_reads_what_fits_and_passes_over_other_keys() -> None:
    assert strict.checked([{"line": 0, "more": 1}], list[Row], "tool") == [Row(0)]
    assert set(get_args(strict.Level)) == set(strict.BY_LEVEL)


@pytest.mark.parametrize(
    ("text", "word"),
    [("a = ", "Invalid value"), (b"a = '\xff'", "UTF-8"), ("a.b" * 50_000 + " = 1", "dots")],
)
def test_what_is_no_toml_is_one_line(text, word):
    with pytest.raises(ValueError, match=word):
        strict.load_toml(text, "TOML")


@pytest.mark.parametrize("depth", [1, 150, 3_000, 100_000])
@pytest.mark.parametrize("opening", ['{"a": ', "[", '{"]": [{"\\"": 1, "a": '])
def test_loose_json_is_read_to_any_depth(depth, opening):
    closing = {"{": "}", "[": "]"}
    brackets = [sign for sign in opening.replace('"]"', "") if sign in closing]
    nested = opening * depth + "1" + "".join(closing[sign] for sign in reversed(brackets)) * depth
    text = f'\ufeff{{"deep": {nested}, "after": {"9" * 6_000}, "last": "]"}}'
    read = strict.load_loose_json(text)
    assert (read["after"], read["last"]) == ("9" * 6_000, "]") and read["deep"] is not None


@pytest.mark.parametrize(
    "text", ["[" * 5_000, "]" * 5_000, '["' * 5_000, "{" * 5_000 + "]" * 5_000]
)
def test_loose_json_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="line 1 column"):
        strict.load_loose_json(text)


@given(
    st.recursive(
        st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_loose_json_is_json(value):
    assert strict.load_loose_json(json.dumps(value)) == value
    assert json.loads(strict._shallow(json.dumps(value))) == value
