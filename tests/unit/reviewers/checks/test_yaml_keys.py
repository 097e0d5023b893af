"""Keys that stand twice in a YAML mapping."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.checks import yaml_keys
from reviewgate_gh.reviewers.checks._yaml import scan_yaml
from tests.unit.reviewers.checks.support import edited, on, short, sources


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1\nb: 2\na: 3\n", [3]),
        ("a: 1\na: 2\na: 3\n", [2, 3]),
        ("x:\n  - {k: 1, j: 2, k: 3}\n", [2]),
        ("x: {a: 1}\ny: {a: 1}\n---\nx: 1\n", []),
        ("a: 1\n'a': 2\n", [2]),
        ("1: a\n'1': b\ntrue: c\n'true': d\n", []),
        ("base: &b {k: 1}\nx:\n  <<: *b\n  <<: *b\n  k: 2\n", []),
        ("? [a, b]\n: 1\n? [a, b]\n: 2\n", []),
        ("Resources:\n  Ref: !Ref x\n  Sub: !Sub {a: 1, a: 2}\n", [3]),
        ("a: &x 1\n*x : 2\n", []),
        ("on:\n  push:\nname: ${{ a }}\nname: b\n", [4]),
        ("{% if x %}\na: 1\n{% else %}\na: 2\n{% endif %}\n", []),
        ("# {% if x %}\na: 1\n# {% else %}\na: 2\n", []),
        ("{{- if .x }}\na: 1\n{{- end }}\na: 2\n", []),
        ("a: 1\na: 2\nb: [\n", [2]),
        ("- a\n- a\n", []),
        ("", []),
    ],
)
def test_what_is_a_repeated_key(text: str, lines: list[int]) -> None:
    assert on(yaml_keys, "a.yml", text) == [
        ("P2", "yaml-duplicate-key", f"a.yml:{line}") for line in lines
    ]


def test_the_finding_names_both_lines() -> None:
    found = list(
        yaml_keys.check(
            sources(
                edited("a.yaml", " first: 1", " other: 2", "+first: 3"),
                contents={"a.yaml": "first: 1\nother: 2\nfirst: 3\n"},
            )
        )
    )
    assert (
        [f.line_start for f in found] == [3]
        and "'first' appears on lines 1 and 3" in found[0].body
        and found[0].category == "hygiene"
    )


def test_it_stands_where_the_change_is() -> None:
    given_ = sources(
        edited("a.yaml", "+first: 0", " other: 2"),
        contents={"a.yaml": "first: 0\nother: 2\nfirst: 3\n"},
    )
    assert short(yaml_keys, given_) == [("P2", "yaml-duplicate-key", "a.yaml:1")]


def test_other_files_are_not_read() -> None:
    assert on(yaml_keys, "a.json", '{"a": 1, "a": 2}') == []
    assert short(yaml_keys, sources(edited("a.yml", "+a: 1"))) == []


KEYS = st.sampled_from(["a", "b", "key", "1", "on"])
TREES = st.recursive(
    st.integers(0, 9) | st.just("text"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple)
    ),
    max_leaves=12,
)


def _node(tree: object) -> yaml.Node:
    if isinstance(tree, tuple):
        return yaml.MappingNode(
            "tag:yaml.org,2002:map",
            [(yaml.ScalarNode("tag:yaml.org,2002:str", k), _node(v)) for k, v in tree],
        )
    if isinstance(tree, list):
        return yaml.SequenceNode("tag:yaml.org,2002:seq", [_node(item) for item in tree])
    return yaml.ScalarNode("tag:yaml.org,2002:str", str(tree))


def _repeats(tree: object) -> int:
    if isinstance(tree, tuple):
        return (
            len(tree)
            - len({key for key, _value in tree})
            + sum(_repeats(value) for _key, value in tree)
        )
    return sum(map(_repeats, tree)) if isinstance(tree, list) else 0


@given(TREES, st.booleans())
def test_as_many_as_were_written(tree: object, flow: bool) -> None:
    text = yaml.serialize(_node(tree)) if not flow else yaml.serialize(_node(["x", tree]))
    result = scan_yaml(text.encode())
    assert result.error is None and len(result.duplicates) == _repeats(tree)
