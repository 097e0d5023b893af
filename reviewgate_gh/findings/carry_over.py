"""Findings of an earlier review of a pull request, at the lines where their code stands now."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..model.finding import CausingPlace, Finding, QuotedLine
from ..model.review import Review
from .scope import ChangedLines, anchor_finding

if TYPE_CHECKING:
    from .code_search import CodeIndex


EARLIER_REVIEW = "earlier review"
_CHANGED = "changed"


def carry_over(
    findings: Iterable[Finding],
    index: "CodeIndex",
    version: str,
    differing: Collection[str] = (),
) -> tuple[tuple[Review, ...], int]:
    """The findings whose code is still in the change, as reviews of their own, and how many others
    there were; `differing` are the files that are other ones since then.

    Those whose code is no longer quite the same are a review apart, since they may be settled: they
    are put to verification again. Their excerpts stay as they were, so that their fingerprints do.
    """
    findings = tuple(findings)
    kept = [moved for finding in findings if (moved := _moved(finding, index, differing))]
    parts = {
        part: tuple(finding for finding in kept if finding.sources[-1] == _name(part))
        for part in ("", _CHANGED)
    }
    reviews = (
        Review(EARLIER_REVIEW, part, findings=mine, found=len(mine), version=version)
        for part, mine in parts.items()
        if mine or not part
    )
    return tuple(reviews), len(findings) - len(kept)


def is_earlier_review(source: str) -> bool:
    """The source is an earlier review of the pull request."""
    return source.partition("/")[0] == EARLIER_REVIEW


def is_carried_unchanged(finding: Finding) -> bool:
    """It was found, and verified, at an earlier review of the pull request, and its code is the
    same."""
    return EARLIER_REVIEW in finding.sources


def _moved(finding: Finding, index: "CodeIndex", differing: Collection[str]) -> Finding | None:
    if finding.cause:
        beside = _moved_beside(finding, index)
        settled = {finding.path, finding.cause.path}.isdisjoint(differing)
        return _from(beside, "" if settled else _CHANGED) if beside else None
    path = index.file(finding.path)
    if path is None:
        return None
    # About the file, or about nobody knows what: no code of it can be gone
    if not finding.placed or not finding.line_start:
        return _from(finding, _CHANGED)
    place = index.find(path, finding.anchor, finding.line_start) if finding.anchor.strip() else None
    if place is None or place.side != finding.side:
        return None
    shift = place.start - finding.line_start
    excerpt = tuple(QuotedLine(line.number + shift, line.text) for line in finding.excerpt)
    moved = replace(
        finding,
        path=path,
        line_start=place.start,
        line_end=finding.line_end + shift,
        excerpt=excerpt,
    )
    return _from(moved, "" if place.whole else _CHANGED)


def _moved_beside(finding: Finding, index: "CodeIndex") -> Finding | None:
    """One in code that the change left alone, as long as the file that causes it is changed, and
    nobody has changed its own lines since."""
    if finding.cause is None or index.file(finding.cause.path) is None:
        return None
    path = index.file(finding.path)
    place = index.find(path, finding.anchor, finding.line_start) if path else None
    # A file that was not changed then had its lines where the base has them
    own = place and (place.start == finding.line_start or path == finding.cause.path)
    if place and own and place.side == "LEFT" and place.whole:
        return None
    return _with_shown_cause(finding, index.changed_lines)


def _with_shown_cause(finding: Finding, changed_lines: ChangedLines) -> Finding:
    if finding.cause is None:
        return finding
    path, line = finding.cause
    is_shown = changed_lines.shows(path, line)
    return finding if is_shown else replace(finding, cause=CausingPlace(path, 0))


def _from(finding: Finding, part: str) -> Finding:
    """Its own sources first, so that people see who found it."""
    return replace(
        finding,
        sources=(
            *(source for source in finding.sources if not is_earlier_review(source)),
            _name(part),
        ),
    )


def _name(part: str) -> str:
    return f"{EARLIER_REVIEW}/{part}" if part else EARLIER_REVIEW


def relocate_to_full_change(
    finding: Finding, changed_lines: ChangedLines, index: "CodeIndex"
) -> Finding:
    """What was found in a push, as the whole change shows it: at base there are other lines than
    before the push.

    A line that the push removed and base never had leaves a finding about its file; so does a cause
    of which the whole change shows no line.
    """
    if finding.cause:
        return _with_shown_cause(finding, changed_lines)
    if not finding.placed or not finding.line_start:
        return finding
    at = finding
    if finding.side == "LEFT":
        place = index.find(finding.path, finding.anchor, 0)
        left = place is not None and place.side == "LEFT"
        start, end = (place.start, place.end) if place and left else (0, 0)
        at = replace(
            finding,
            side="LEFT" if left else "RIGHT",
            line_start=start,
            line_end=end,
            suggestion=None,
        )
    seen = anchor_finding(at, changed_lines, "")
    return seen if seen.placed else finding
