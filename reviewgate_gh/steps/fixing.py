"""Suggestions of a report put into the files that it was about, where these still have the lines that were reviewed."""

import difflib
from collections.abc import Iterable, Mapping

from ..model.finding import Finding, State
from ..model.values import dataclass
from .lines import LONGEST, clean

_REDACTED = "[REDACTED:"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file's new content, the findings whose suggestions are in it, and the others with the reason why not."""

    data: bytes
    applied: tuple[Finding, ...]
    left: tuple[tuple[Finding, str], ...]


def fixable(findings: Iterable[Finding]) -> Mapping[str, tuple[Finding, ...]]:
    """The open findings that say what to write instead, by path, from the end of each file to its beginning."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if (
            finding.state is State.OPEN
            and finding.suggestion is not None
            and finding.placed
            and finding.line_start
            and finding.side == "RIGHT"
        ):
            found.setdefault(finding.path, []).append(finding)
    return {path: tuple(sorted(each, key=lambda f: (-f.line_start, -f.line_end))) for path, each in sorted(found.items())}


def fixed(data: bytes, findings: Iterable[Finding]) -> Fixed:
    """The content with every suggestion that fits; the order of the findings is that of `fixable`."""
    rows = data.split(b"\n")
    applied, left, edge = [], [], len(rows) + 1
    for finding in findings:
        first, last = finding.line_start, max(finding.line_start, finding.line_end)
        if why := _obstacle(finding, rows, last, edge):
            left.append((finding, why))
            continue
        rows[first - 1 : last] = _written(finding.suggestion or "", rows[last - 1])
        applied.append(finding)
        edge = first
    return Fixed(b"\n".join(rows), tuple(applied), tuple(left))


def shown_difference(path: str, old: bytes, new: bytes) -> str:
    """The difference of two contents as people read it."""
    before, after = (data.decode("utf-8", "backslashreplace").splitlines() for data in (old, new))
    return "\n".join(difflib.unified_diff(before, after, f"{path}", f"{path}, fixed", lineterm=""))


def _obstacle(finding: Finding, rows: list[bytes], last: int, edge: int) -> str:
    """Why a suggestion cannot be applied; "" where it can."""
    if last >= edge:
        return "another suggestion changes these lines"
    if _REDACTED in (finding.suggestion or ""):
        return "it contains a secret, which the report redacts"
    reviewed = {line.number: line.text for line in finding.excerpt if finding.anchors(line)}
    if len(reviewed) != last - finding.line_start + 1 or last > len(rows):
        return "the report does not contain all of its lines"
    if any(clean(rows[number - 1])[:LONGEST] != text or len(text) == LONGEST for number, text in reviewed.items()):
        return "its lines have changed since the review"
    return ""


def _written(suggestion: str, like: bytes) -> list[bytes]:
    """The lines to write, with the line end that the old ones have; none where the suggestion is to delete them."""
    if not suggestion:
        return []
    end = b"\r" if like.endswith(b"\r") else b""
    return [line.encode("utf-8", "surrogateescape").rstrip(b"\r") + end for line in suggestion.removesuffix("\n").split("\n")]
