"""What a merge itself brings: the lines that it has and none of its parents, out of git's combined diff."""

import re
from collections.abc import Iterator

from ..model.change import FileDiff, Hunk
from ..model.errors import InternalError

_MARK = b"::"  # a colon for each parent
_RECORD = re.compile(rb"(:{2,})([0-7]{6} )+([0-9a-f]+ )+[A-Z]+\0([^\0]+)\0")
_SECTION = re.compile(rb"^diff --combined [^\n]*\n", re.MULTILINE)
_ROW = re.compile(rb"[^\n]*\n?")
_HUNK = re.compile(rb"^@{3,} [^\n]*\n((?:[ +\\-][^\n]*\n?)*)", re.MULTILINE)


def is_merge(data: bytes) -> bool:
    """It is a combined `diff-tree` output."""
    return data.startswith(_MARK)


def parse_merge(data: bytes) -> tuple[FileDiff, ...]:
    """The files that are as in none of the parents: what is in no parent as added, what is gone from one of them as removed.

    Raises:
        InternalError: the output is not what git writes (sections and records do not match).
    """
    records, at = [], 0
    while found := _RECORD.match(data, at):
        records.append((len(found[1]), found[4].decode("utf-8", "surrogateescape")))
        at = found.end()
    _before, *sections = _SECTION.split(data[at + 1 :])  # a line of a file begins with its signs, and names are quoted
    if len(sections) != len(records):
        raise InternalError("git's combined patch does not match its list of files")
    return tuple(_file(path, parents, section) for (parents, path), section in zip(records, sections, strict=True))


def _file(path: str, parents: int, section: bytes) -> FileDiff:
    hunks = tuple(Hunk(0, 0, 0, 0, b"", b"".join(_rows(found[1], parents))) for found in _HUNK.finditer(section))
    return FileDiff(path, path, "M", "100644", "100644", "", "", hunks=hunks)


def _rows(body: bytes, parents: int) -> Iterator[bytes]:
    for row in _ROW.findall(body):
        signs = row[:parents]
        if signs == b"+" * parents:
            yield b"+" + row[parents:]
        elif b"-" in signs:
            yield b"-" + row[parents:]
