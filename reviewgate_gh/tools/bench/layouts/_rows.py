"""Rows of JSON and JSONL as values, strictly: an error names the file and the line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from msgspec import ValidationError, convert

from ....git.tree_files import read_existing
from ....model.errors import ConfigError
from ....model.finding import Priority
from ....text.strict import decode, load_json

T = TypeVar("T")
_FIX = "correct the line, or take it out"
_BY_WORD = {
    "critical": Priority.P0, "high": Priority.P1, "medium": Priority.P2, "low": Priority.P3,
}  # fmt: skip


def read_jsonl(path: Path, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Each row with its place, `file:line`; empty lines are none.

    Raises:
        ConfigError: a line is no JSON object of this kind.
    """
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            where = f"{path}:{number}"
            yield where, to_value(_loaded(line, where), kind, where)


def read_list(path: Path, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Each member of a JSON list with its place, `file, entry 1`.

    Raises:
        ConfigError: it is no list of this kind.
    """
    rows = _loaded(_text(path), str(path))
    if not isinstance(rows, list):
        raise ConfigError(f"{path}: expected a list", "name a file of this layout")
    for number, row in enumerate(rows, 1):
        where = f"{path}, entry {number}"
        yield where, to_value(row, kind, where)


def first_row(path: Path) -> Any:
    """The first object in a file of JSON or JSONL; None where there is none that can be read."""
    text = _text(path).lstrip()
    try:
        found = load_json(text if text.startswith("[") else text.partition("\n")[0], "JSON")
    except ValueError:
        return None
    return next(iter(found), None) if isinstance(found, list) else found


def to_value(row: Any, kind: type[T], where: str) -> T:
    """The row as a value; keys that are not known here are others' business."""
    try:
        return convert(row, kind)
    except ValidationError as error:
        raise ConfigError(f"{where}: {error}", _FIX) from None


def wrong(where: str, error: ValueError) -> ConfigError:
    """What to raise for a row that says what cannot be."""
    return ConfigError(f"{where}: {error}", _FIX)


def priority_of(word: str, where: str) -> Priority:
    """The priority that a severity stands for."""
    if found := _BY_WORD.get(word.lower()):
        return found
    raise wrong(where, ValueError(f"unknown severity {word!r}: use {', '.join(_BY_WORD)}"))


def _text(path: Path) -> str:
    try:
        return decode(read_existing(path), "text")
    except ValueError as error:
        raise ConfigError(f"{path}: {error}", "save it as UTF-8") from None


def _loaded(text: str, where: str) -> Any:
    try:
        return load_json(text, "JSON", unique=True)
    except ValueError as error:
        raise wrong(where, error) from None
