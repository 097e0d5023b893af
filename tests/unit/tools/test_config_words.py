"""Every key of the config is explained, and nothing else."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import jsonschema_rs
import pytest
import yaml
from msgspec import to_builtins
from msgspec.structs import fields

from reviewgate_gh.model.config import Config
from reviewgate_gh.model.limits import ConfigSection
from reviewgate_gh.settings.descriptions import ANY_KEY, DESCRIPTIONS, description_key
from reviewgate_gh.tools.config import config_schema


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, ConfigSection)


def keys(kind: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key that the type allows, as the words know it."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        here, hint = (*path, field.name), hints[field.name]
        yield description_key(here)
        parts = [part for arg in get_args(hint) for part in (arg, *get_args(arg))]
        named = [part for part in parts if _is_section(part)]
        if _is_section(hint):
            yield from keys(hint, here)
        elif named:
            yield from keys(
                named[0], here if get_origin(hint) in (Union, UnionType) else (*here, ANY_KEY)
            )


def test_the_words_name_exactly_the_keys_of_the_config() -> None:
    assert sorted(DESCRIPTIONS) == sorted(set(keys(Config)))


def descriptions(node: Any, whole: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every property that a file may hold, as the words know it, with its description; what several
    places share is there for each."""
    if "$ref" in node:
        yield from descriptions(whole["$defs"][node["$ref"].rpartition("/")[2]], whole, path)
    for part in node.get("anyOf", ()):
        yield from descriptions(part, whole, path)
    for values in (node.get("additionalProperties"), node.get("items")):
        yield from descriptions(values, whole, (*path, ANY_KEY)) if isinstance(values, dict) else ()
    for name, body in node.get("properties", {}).items():
        yield description_key((*path, name)), body.get("description", "")
        yield from descriptions(body, whole, (*path, name))


def test_the_schema_describes_each_property() -> None:
    found = list(descriptions(config_schema(), config_schema()))
    assert {text for _, text in found} == set(DESCRIPTIONS.values())
    assert sorted(found) == sorted((key, DESCRIPTIONS[key]) for key in keys(Config))
    assert config_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert config_schema()["title"] == "reviewgate-gh configuration"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("{}", True),
        ("version: 1\nmode: warn\nlinters: {ruff: {args: [--preview]}}", True),
        ("reviewers: {a: {type: command, options: {argv: [make, lint]}}}", True),
        ("reviewers: {linters: off}", True),
        ("reviewers: {mine: off}", False),
        ("mode: loud", False),
        ("polcy: {}", False),
        ("policy: {finding_threshold: P9}", False),
        ("reviewers: {a: {}}", False),
        ("hook: {deadline: soon}", False),
    ],
)
def test_the_schema_judges_as_the_gate_does(text: str, fits: bool) -> None:
    validator = jsonschema_rs.Draft202012Validator(config_schema())
    assert validator.is_valid(yaml.safe_load(text)) is fits


def test_the_schema_accepts_the_defaults() -> None:
    jsonschema_rs.Draft202012Validator(config_schema()).validate(to_builtins(Config()))
