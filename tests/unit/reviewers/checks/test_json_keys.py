"""Keys that stand twice in a JSON object."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.checks import json_keys
from tests.unit.reviewers.checks.support import edited, on, sources


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"a": 1,\n"b": 2,\n"a": 3}\n', [3]),
        ('{"a": 1,\n"a": 2,\n"a": 3}\n', [2, 3]),
        ('{"x": {"a": 1}, "y": {"a": 1}}\n', []),
        ('[{"a": 1}, {"a": 1}]\n', []),
        ('{"x": [{"k": 1,\n"j": "k", "k": 3}]}\n', [2]),
        ('{"a": "a", "b": "a:"}\n', []),
        ('{"a": 1}\n{"a": 2}\n', []),
        ('{// "a": 1\n"a": 1}\n', []),
        ('{{#x}} {"a": 1, "a": 2} {{/x}}\n', []),
        ('{"a": 1, "a": \n', []),
        ("", []),
    ],
)
def test_what_is_a_repeated_key(text: str, lines: list[int]) -> None:
    assert on(json_keys, "a.json", text) == [
        ("P2", "json-duplicate-key", f"a.json:{line}") for line in lines
    ]


def test_fixtures_may_hold_anything() -> None:
    assert on(json_keys, "tests/fixtures/a.json", '{"a": 1, "a": 2}\n') == []


def test_it_stands_where_the_change_is_and_names_both_lines() -> None:
    text = '{"a": 0,\n"b": 1,\n"a": 2}\n'
    given_ = sources(
        edited("a.json", '+{"a": 0,', ' "b": 1,', ' "a": 2}'), contents={"a.json": text}
    )
    (found,) = json_keys.check(given_)
    assert found.line_start == 1 and '"a" appears on lines 1 and 3' in found.body


@given(st.recursive(
    st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
))  # fmt: skip
def test_what_a_library_writes_has_none(value: object) -> None:
    assert json_keys.duplicate_keys(json.dumps(value, indent=1)) == []
