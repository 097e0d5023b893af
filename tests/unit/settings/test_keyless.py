"""The reviewers of a configuration add to those that need no key."""

import pytest

from reviewgate_gh.model.config import KEYLESS, Config
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.settings.floor import apply_floor
from reviewgate_gh.text.config_file import parse_settings, written_keys

GPT = "gpt: {type: api, options: {dialect: openai, model: m}}"


def parsed(text: str) -> Config:
    return parse_settings(text.encode(), Config, ".reviewgate-gh.yaml")


def types(text: str) -> dict[str, str]:
    return {name: entry.type for name, entry in parsed(text).reviewers.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {"linters", "builtin"}),
        ("reviewers: {}", {"linters", "builtin"}),
        (f"reviewers: {{{GPT}}}", {"linters", "builtin", "gpt"}),
        (f"reviewers: {{linters: off, {GPT}}}", {"builtin", "gpt"}),
        (f"reviewers: {{linters: off, builtin: no, {GPT}}}", {"gpt"}),
        ("reviewers: {mine: {type: builtin}}", {"linters", "mine"}),
        ("reviewers: {linters: off, builtin: off}", set()),
    ],
)
def test_they_add_to_the_keyless_ones_unless_these_are_off(text: str, expected: set[str]) -> None:
    others = set(KEYLESS) - {"linters", "builtin"}
    assert set(types(text)) == expected | others


def test_what_is_written_of_a_keyless_one_counts() -> None:
    config = parsed("reviewers: {linters: {type: linters, timeout: 7}}")
    assert config.reviewers["linters"].timeout == 7 and "builtin" in config.reviewers


@pytest.mark.parametrize("text", ["reviewers: {gpt: off}", "reviewers: {linters: true}"])
def test_nothing_else_can_be_switched(text: str) -> None:
    with pytest.raises(ConfigError, match="reviewers"):
        parsed(text)


def test_the_name_of_a_keyless_one_is_taken() -> None:
    with pytest.raises(ConfigError, match=r":2: reviewers\.linters: this name is the keyless"):
        parsed("reviewers:\n  linters: {type: command, options: {argv: [make]}}\n")


def test_a_floor_demands_what_it_writes_and_no_more() -> None:
    floor = f"reviewers: {{builtin: {{type: builtin}}, {GPT}}}"
    mine = parsed(f"reviewers: {{{', '.join(f'{name}: off' for name in KEYLESS)}}}")
    said = written_keys(floor.encode(), "floor.yaml")
    both, _raised = apply_floor(mine, parsed(floor), said)
    assert set(both.reviewers) == {"builtin", "gpt"}
