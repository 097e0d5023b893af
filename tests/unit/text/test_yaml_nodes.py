"""YAML at its edges: every fault has a line, and keys are the words that stand there."""

import pytest

from reviewgate_gh.text.yaml import YamlError, compose, construct


def read(text):
    return construct(compose(text))


HALVES = (r'"\ud800"', r'"a\udc00b"')


@pytest.mark.parametrize(
    "value",
    ["!!bool x", "!!timestamp x", "!!int x", "!!float x", "2030-02-30", "9" * 5000, *HALVES],
)
def test_what_is_no_value_is_an_error_with_its_line(value):
    with pytest.raises(YamlError) as caught:
        read(f"a: 1\nb: {{c: {value}}}\n")
    assert caught.value.line == 2


def test_such_an_error_repeats_no_secret():
    key = "ghp_" + "0a1B2c3D4e5F" * 3
    with pytest.raises(YamlError) as caught:
        read(f"a: !!int {key}\n")
    assert key[:20] not in str(caught.value)


def test_keys_are_words_as_written():
    assert read("{on: 1, true: 2, no: 3, 1: 4, 0x1: 5, ~: 6, 2030-01-01: 7, 1.0: 8}") == {
        "on": 1, "true": 2, "no": 3, "1": 4, "0x1": 5, "~": 6, "2030-01-01": 7, "1.0": 8,
    }  # fmt: skip
    assert read("a: &a {no: 1}\nb: {<<: *a, c: yes}\n") == {
        "a": {"no": 1},
        "b": {"no": 1, "c": True},
    }


def test_halves_of_a_character_that_stand_together_are_one():
    assert read(r'"\ud83d\ude00"') == "\N{GRINNING FACE}"


@pytest.mark.big
def test_no_more_is_read_than_can_be_counted():
    with pytest.raises(YamlError, match="more than"):
        compose("{" + "x," * 100_001 + "}")  # each a key and a value


def test_nothing_is_none():
    assert read("") is None
    assert read("# only\n") is None


def test_aliases_count_as_often_as_they_are_used():
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    bomb = "\n".join(["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]", *rows])
    with pytest.raises(YamlError, match="aliases count at each use"):
        compose(bomb)
    assert read("a: &a [1, 2]\nb: [*a, *a]\n") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "&a [[*a, *a], *a]"])
def test_what_is_in_itself_is_refused_before_anybody_walks_over_it(text):
    with pytest.raises(RecursionError):
        compose(text)
