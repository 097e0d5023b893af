"""Findings of an earlier review of a pull request, at the lines where their code stands now."""

from collections.abc import Iterable
from dataclasses import replace

from ..model.finding import Finding, Quoted
from ..model.review import Review
from .code_search import Code
from .scope import Scope, anchored

EARLIER = "earlier review"


def carry(findings: Iterable[Finding], code: Code, version: str) -> tuple[Review, int]:
    """The findings whose code is still in the change, as a review of their own, and how many others there were.

    Their excerpts stay as they were, so that their fingerprints do.
    """
    findings = tuple(findings)
    kept = tuple(moved for finding in findings if (moved := _moved(finding, code)))
    return Review(EARLIER, findings=kept, found=len(kept), version=version), len(findings) - len(kept)


def _moved(finding: Finding, code: Code) -> Finding | None:
    path = code.file(finding.path)
    if not finding.placed or path is None:
        return finding if path and not finding.placed else None
    place = code.find(path, finding.anchor, finding.line_start) if finding.anchor.strip() else None
    if place is None or place.side != finding.side:
        return None
    shift = place.start - finding.line_start
    excerpt = tuple(Quoted(line.number + shift, line.text) for line in finding.excerpt)
    return replace(finding, path=path, line_start=place.start, line_end=finding.line_end + shift, excerpt=excerpt)


def in_whole(finding: Finding, scope: Scope, code: Code) -> Finding:
    """What was found in a push, as the whole change shows it: at base there are other lines than before the push.

    A line that the push removed and base never had leaves a finding about its file.
    """
    if not finding.placed or not finding.line_start:
        return finding
    at = finding
    if finding.side == "LEFT":
        place = code.find(finding.path, finding.anchor, 0)
        left = place is not None and place.side == "LEFT"
        start, end = (place.start, place.end) if place and left else (0, 0)
        at = replace(finding, side="LEFT" if left else "RIGHT", line_start=start, line_end=end, suggestion=None)
    seen = anchored(at, scope, "")
    return seen if seen.placed else finding
