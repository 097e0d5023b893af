"""YAML that is written by hand reads back as what was meant."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.text.yaml import yaml_lines, yaml_scalar

TEXT = st.text(st.characters(codec="utf-8"))
ATOM = (
    st.none()
    | st.booleans()
    | st.integers()
    | TEXT
    | st.sampled_from(["yes", "null", "0x1f", "1_000", "12e4", "- a", "a: b", "#", ""])
)
TREE = st.recursive(ATOM | st.lists(ATOM), lambda inner: st.dictionaries(TEXT, inner), max_leaves=8)


@given(ATOM)
def test_a_value_reads_back_from_one_line(value: object) -> None:
    text = yaml_scalar(value)
    assert "\n" not in text
    assert yaml.safe_load(text) == value


def test_a_character_that_nobody_sees_is_escaped() -> None:
    assert yaml_scalar("a\u202eb") == '"a\\u202Eb"'
    assert yaml_scalar("naïve 漢字") == "naïve 漢字"


@given(st.dictionaries(TEXT, TREE, min_size=1))
def test_a_mapping_reads_back(tree: dict[str, object]) -> None:
    assert yaml.safe_load("\n".join(row.text for row in yaml_lines(tree))) == tree


def test_each_value_has_one_row_and_a_long_list_is_wrapped() -> None:
    found = list(yaml_lines({"a": {"b": 1.0, "c": []}, "d": [f"word{n}" for n in range(40)]}))
    assert [(row.path, row.text) for row in found if row.value] == [
        (("a", "b"), "  b: 1"),
        (("a", "c"), "  c: []"),
        (("d",), "d: ["),
    ]
    assert max(len(row.text) for row in found) <= 100
