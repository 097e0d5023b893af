"""Missed callers: rows of JSONL, each a commit of a public history without its edit of one other
file, so that what the file uses is gone or has changed. Naming a stale line is right, whatever
is said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ....model.finding import Priority
from ..case import Case, CommitSource, ExpectedFinding, ExpectedPlace, check_commit, check_path
from ._rows import read_jsonl, wrong


class _Row(Struct, frozen=True):
    id: str
    repo: str
    base: str
    commit: str
    left_out: str
    stale: list[str]
    also_stale: list[str] = []


def recognises(path: Path, first: Any) -> bool:
    """Whether the data set has this layout, by its first row."""
    return isinstance(first, dict) and "left_out" in first and "stale" in first


def read(path: Path) -> Iterator[Case]:
    """The cases of a file.

    Raises:
        ConfigError: a row is wrong.
    """
    for where, row in read_jsonl(path, _Row):
        try:
            places = tuple(_place(text) for text in (*row.stale, *row.also_stale))
            left_out = check_path(row.left_out)
            base, commit = check_commit(row.base), check_commit(row.commit)
        except ValueError as error:
            raise wrong(where, error) from None
        if not row.stale:
            raise wrong(where, ValueError("no stale line is named"))
        source = CommitSource(base, commit, row.repo, left_out)
        yield Case(row.id, source, (ExpectedFinding("", places, Priority.P1),))


def _place(text: str) -> ExpectedPlace:
    path, _, line = text.rpartition(":")
    if not (line.isascii() and line.isdigit() and 0 < len(line) < 10 and int(line)):
        raise ValueError(f"{text!r} is not path:line")
    return ExpectedPlace(check_path(path), int(line), int(line))
