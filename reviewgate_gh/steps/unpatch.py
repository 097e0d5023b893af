"""The older content of a file from the newer one and the patch between them, as GitHub shows it."""

import re
from collections.abc import Sequence

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_OLD, _NEW = b" -", b" +"


def unpatched(head: bytes, patch: str) -> bytes | None:
    """The content before; None where the patch does not fit: its lines must stand in `head` at the very places that it names."""
    new, rows = _LINES.findall(head), patch.encode("utf-8", "surrogatepass").split(b"\n")
    old: list[bytes] = []
    done = at = 0
    while at < len(rows):
        header, end = _HUNK.match(rows[at]), _end(rows, at + 1)
        if not header:
            return None
        before, after = _side(rows[at + 1 : end], _OLD), _side(rows[at + 1 : end], _NEW)
        if (len(before), len(after)) != (_count(header[1]), _count(header[3])):
            return None
        start = int(header[2]) - bool(after)  # a hunk that leaves nothing names the line before it
        if start < done or new[start : start + len(after)] != after:
            return None
        old += [*new[done:start], *before]
        done, at = start + len(after), end
    return b"".join([*old, *new[done:]])


def _end(rows: Sequence[bytes], at: int) -> int:
    """Where the hunk ends that begins here."""
    return next((end for end in range(at, len(rows)) if rows[end].startswith(b"@@")), len(rows))


def _side(rows: Sequence[bytes], signs: bytes) -> list[bytes]:
    """The lines of one side with their newlines; the mark behind a line says that it has none."""
    marks = [*rows[1:], b""]
    return [row[1:] + (b"" if mark[:1] == b"\\" else b"\n") for row, mark in zip(rows, marks, strict=False) if row and row[0] in signs]


def _count(number: bytes | None) -> int:
    return 1 if number is None else int(number)
