"""Looking at the config: is it valid, what applies and where does it come from, and which keys are
there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from ..ensemble.lenses import check_lenses
from ..git import Git, tree_files
from ..git.tree_files import read_own_file
from ..model.config import KEYLESS, Config, LinterOptions
from ..orchestrate.trigger_rules import resolve_triggers
from ..settings.check import ConfigSource, check_config, located_errors, major_version
from ..settings.descriptions import DESCRIPTIONS, add_descriptions, description_key
from ..settings.settings import raise_to_floor, read_floor
from ..system.environment import Environment
from ..text.config_file import (
    CONFIG_FILE,
    WAIVER_FILE,
    key_lines,
    parse_settings,
    read_waivers,
    written_keys,
)
from ..text.safe import safe_line
from ..text.yaml import YamlLine, yaml_lines
from .rules import list_rules

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ABSENT = object()


_REFERENCE_HEAD = """\
# Every key of .reviewgate-gh.yaml with its default: uncomment what you change, with its section.
version: 1
"""
_EXAMPLE = "ruff"


def config_reference() -> str:
    """Every key as YAML: what it means, and its default as a comment."""
    plain = to_builtins(Config())
    del plain["version"]
    plain["linters"] = {_EXAMPLE: to_builtins(LinterOptions())}
    said: set[str] = set()
    return _REFERENCE_HEAD + "".join(
        f"{line}\n" for row in yaml_lines(plain) for line in _explained(row, said)
    )


def _explained(row: YamlLine, said: set[str]) -> Iterator[str]:
    """The row as a comment, after what its key means; without the outer `# ` it is YAML again."""
    indent = row.text[: len(row.text) - len(row.text.lstrip())]
    if len(row.path) == 1:
        yield ""
    key = description_key(row.path) if row.path else ""
    if key in DESCRIPTIONS and key not in said:
        said.add(key)
        yield f"# {indent}# {DESCRIPTIONS[key]}"
    yield f"# {row.text}"


def check_work_tree(git: Git, environment: Environment) -> tuple[str, ...]:
    """What both files of the work tree hold, a line each.

    Raises:
        ConfigError: one of them is not valid.
    """
    said: list[str] = []
    for name, without in (
        (CONFIG_FILE, "the defaults apply"),
        (WAIVER_FILE, "no findings are waived"),
    ):
        data = read_own_file(git, name)
        said += (
            [f"{name}: not found, {without}"] if data is None else _holds(name, data, environment)
        )
        if data is not None and name == CONFIG_FILE:
            with located_errors([ConfigSource(name, data)], "ensemble", "lenses"):
                check_lenses(parse_settings(data, Config, name), git)
    return tuple(said)


def check_config_file(path: Path, environment: Environment) -> tuple[str, ...]:
    """What one file holds, a line each; it is read as waivers where it has their key or their name.

    Raises:
        ConfigError: it is not valid.
    """
    return _holds(str(path), tree_files.read_existing(path), environment)


def _holds(name: str, data: bytes, environment: Environment) -> tuple[str, ...]:
    if Path(name).name == WAIVER_FILE or "waivers" in written_keys(data, name):
        waivers = read_waivers(data, name)
        expired = sum(waiver.is_expired(environment.today()) for waiver in waivers)
        return (f"{name}: ok: {_count(len(waivers), 'waiver')}, {expired} expired",)
    config = parse_settings(data, Config, name)
    check_config(config, [ConfigSource(name, data)])
    what = (
        f"mode {config.mode}, threshold {config.policy.finding_threshold}, reviewers: "
        f"{', '.join(config.reviewers) or 'none'}"
    )
    set_here = f"; {_count(len(config.linters), 'linter')} configured" if config.linters else ""
    settled = resolve_triggers(config, major_version())
    return (
        f"{name}: ok: {what}{set_here}",
        *(f"{name}: warning: {text}" for text in settled.warnings),
        *settled.deprecations,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def annotated_config(git: Git, environment: Environment, policy: str) -> str:
    """The config that the work tree's file, the defaults and the floor make, as YAML with the
    origin of each value.

    Raises:
        ConfigError: a file is not valid.
    """
    data = read_own_file(git, CONFIG_FILE)
    source = ConfigSource(CONFIG_FILE, data) if data is not None else None
    mine = parse_settings(source.data, Config, source.name) if source else Config()
    floor = read_floor(policy, environment)
    config = raise_to_floor(floor, mine)[0] if floor else mine
    check_config(config, [part for part in (source, floor) if part])
    lines = [
        *_annotated(to_builtins(config), to_builtins(mine), source, floor),
        *(
            f"# rule {safe_line(rule.id)}: {rule.priority or 'off'}  # {rule.file}"
            for rule in list_rules(git)
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def _annotated(
    config: Mapping[str, Any],
    mine: Mapping[str, Any],
    source: ConfigSource | None,
    floor: ConfigSource | None,
) -> Iterator[str]:
    yield (
        f"# The effective config with {CONFIG_FILE} as it is in the work tree; a review reads "
        "that file from the commits."
    )
    written, below = _Keys(source), _Keys(floor)
    for row in yaml_lines(config):
        if not row.value:
            yield row.text
        elif floor and _at(config, row.path) != _at(mine, row.path):
            yield f"{row.text}  # policy floor {below.place(row.path)}"
        elif source and _at(written.tree, row.path) is not _ABSENT:
            yield f"{row.text}  # {written.place(row.path)}"
        else:
            yield f"{row.text}  # default"


class _Keys:
    """The keys that a file writes, and their lines."""

    def __init__(self, source: ConfigSource | None) -> None:
        self._name = source.name if source else ""
        self.tree = written_keys(source.data, source.name) if source else {}
        self._lines = key_lines(source.data, source.name) if source else {}

    def place(self, path: tuple[str, ...]) -> str:
        """File and line of the key, or of the nearest one above it."""
        found = next(
            (
                self._lines[path[:end]]
                for end in range(len(path), 0, -1)
                if path[:end] in self._lines
            ),
            0,
        )
        return f"{self._name}:{found}" if found else self._name


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    """The value at a path."""
    for key in path:
        if isinstance(tree, str):  # the short form of a mapping
            return tree
        if not isinstance(tree, Mapping) or key not in tree:
            return _ABSENT
        tree = tree[key]
    return tree


def config_schema() -> dict[str, Any]:
    """The JSON schema of the config file."""
    from pydantic import TypeAdapter

    body = add_descriptions(TypeAdapter(Config).json_schema())
    reviewers = body["properties"]["reviewers"]
    entry = reviewers["additionalProperties"]
    keyless = f"^(?:{'|'.join(KEYLESS)})$"
    reviewers["patternProperties"] = {keyless: {"anyOf": [entry, {"const": False}]}}
    return {
        "$schema": _DIALECT,
        **body,
        "title": "reviewgate-gh configuration",
        "description": f"The contents of {CONFIG_FILE}.",
    }
