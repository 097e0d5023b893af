"""Every key of the config is explained, and nothing else."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import jsonschema_rs
import pytest
import yaml

from reviewgate_gh.flows.config import schema
from reviewgate_gh.model.codec import to_plain
from reviewgate_gh.model.config import Config
from reviewgate_gh.steps.config_words import WORDS


def keys(kind: Any, prefix: str = "") -> Iterator[str]:
    """Every key that the type allows, with `*` for a name of the user's choice."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        key, hint = f"{prefix}{field.name}", hints[field.name]
        yield key
        named = [part for part in get_args(hint) if is_dataclass(part)]
        if is_dataclass(hint):
            yield from keys(hint, f"{key}.")
        elif named:
            yield from keys(named[0], f"{key}.*.")


def test_the_words_name_exactly_the_keys_of_the_config() -> None:
    assert sorted(WORDS) == sorted(keys(Config))


def descriptions(node: Any) -> Iterator[tuple[str, str]]:
    """(property, description) anywhere in a schema."""
    if isinstance(node, dict):
        for name, body in node.get("properties", {}).items():
            yield name, body.get("description", "")
        for value in node.values():
            yield from descriptions(value)


def test_the_schema_describes_each_property() -> None:
    found = list(descriptions(schema()))
    assert sorted(text for _, text in found) == sorted(WORDS.values())
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema()["title"] == "reviewgate-gh configuration"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("{}", True),
        ("version: 1\nmode: warn\nlinters: {ruff: {args: [--preview]}}", True),
        ("reviewers: {a: {type: command, options: {argv: [make, lint]}}}", True),
        ("mode: loud", False),
        ("polcy: {}", False),
        ("policy: {finding_threshold: P9}", False),
        ("reviewers: {a: {}}", False),
        ("hook: {deadline: soon}", False),
    ],
)
def test_the_schema_judges_as_the_gate_does(text: str, fits: bool) -> None:
    validator = jsonschema_rs.Draft202012Validator(schema())
    assert validator.is_valid(yaml.safe_load(text)) is fits


def test_the_schema_accepts_the_defaults() -> None:
    jsonschema_rs.Draft202012Validator(schema()).validate(to_plain(Config()))
