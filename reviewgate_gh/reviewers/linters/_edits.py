"""Fixes that replace parts of lines, as the whole lines that a suggestion replaces."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import fields, replace

from ...model.finding import Finding
from ...text.redact import redact


class Edit(NamedTuple):
    """New text for what stands between two places: lines and columns from 1, the end exclusive. An
    end at column 1 takes the line break before it along."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class EditedFinding(Finding, frozen=True, forbid_unknown_fields=True):
    """A finding whose tool names safe edits; its lines are not read yet."""

    edits: tuple[Edit, ...] = ()


def with_edits(finding: Finding, edits: Sequence[Edit]) -> Finding:
    """The finding with edits that `settle_edits` makes a suggestion of."""
    if not edits:
        return finding
    return EditedFinding(**_values(finding), edits=tuple(edits))


def settle_edits(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """The finding with its lines as the edits leave them, where they stay within these lines.

    Tools count bytes, characters or UTF-16, so the lines must be ASCII. `read` gives the file's
    content.
    """
    if not isinstance(finding, EditedFinding):
        return finding
    plain = Finding(**_values(finding))
    first, last = finding.line_start, max(finding.line_start, finding.line_end)
    rows = read().split(b"\n")[first - 1 : last] if first else []
    text = b"".join(row.removesuffix(b"\r") + b"\n" for row in rows)
    if len(rows) != last - first + 1 or not text.isascii():
        return plain
    old = text.decode("ascii")
    new = _edited(old, finding.edits, first)
    told = new is not None and new != old and (not new or new.endswith("\n"))
    if new is None or not told or redact(old) != old or redact(new) != new:
        return plain
    return replace(plain, suggestion=new.removesuffix("\n"))


def _values(finding: Finding) -> dict[str, Any]:
    return {field.name: getattr(finding, field.name) for field in fields(Finding)}


def _edited(text: str, edits: Sequence[Edit], first: int) -> str | None:
    """The text after all edits; None where one leaves it, or two of them meet."""
    starts, at = [0], 0
    while (at := text.find("\n", at) + 1) > 0:
        starts.append(at)
    spans = sorted(
        (
            (
                _offset(starts, edit.line - first, edit.column),
                _offset(starts, edit.end_line - first, edit.end_column),
                edit.text,
            )
            for edit in edits
        ),
        reverse=True,
    )
    if len({(begin, end) for begin, end, _ in spans}) < len(spans):
        return None
    edge = len(text)
    for begin, end, new in spans:
        if not 0 <= begin <= end <= edge:
            return None
        text = text[:begin] + new.replace("\r\n", "\n") + text[end:]
        edge = begin
    return text


def _offset(starts: Sequence[int], row: int, column: int) -> int:
    """Where in the text a place is; -1 for one outside of its lines."""
    if not 0 <= row < len(starts) or column < 1:
        return -1
    end = starts[row + 1] - 1 if row + 1 < len(starts) else starts[row]
    return starts[row] + column - 1 if starts[row] + column - 1 <= end else -1
