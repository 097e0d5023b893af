"""Findings of an earlier review of a pull request, at the lines where their code stands now."""

from collections.abc import Iterable
from dataclasses import replace

from ..model.finding import Finding, Quoted
from ..model.review import Review
from .code_search import Code

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
