"""From what a model claims to a finding at true lines: they come from the code that it quotes, never from its numbers."""

from collections.abc import Iterable
from dataclasses import replace

from ..model.finding import Confidence, Finding
from .answer import Claim
from .code_search import Code
from .rulings import of_audit
from .scope import Scope, anchored
from .strict import one_line

NO_FILE = "its file is not in the change"
NO_QUOTE = "it quotes no code"
NOT_THERE = "the code that it quotes is not in the change, or occurs there more than once"


def place(claims: Iterable[Claim], scope: Scope, code: Code, source: str) -> tuple[Finding, ...]:
    """One finding for each claim of the reviewer `source`; one without a place stays, unplaced, and its note says why."""
    return tuple(_finding(claim, scope, code, source) for claim in claims)


def _finding(claim: Claim, scope: Scope, code: Code, source: str) -> Finding:
    path = code.file(claim.file)
    found = code.find(path, claim.quote, claim.line_start) if path else None
    confidence = Confidence.HIGH if of_audit(source) else claim.confidence
    finding = replace(_stated(claim), path=path or claim.file, sources=(source,), confidence=confidence)
    if not found:
        why = NO_FILE if path is None else NOT_THERE if claim.quote.strip() else NO_QUOTE
        return replace(finding, origin=scope.origin(finding.path), note=why)
    at = replace(finding, side=found.side, line_start=found.start, line_end=found.end)
    return anchored(at if found.whole else _without_suggestion(at), scope, source)


def _stated(claim: Claim) -> Finding:
    """The claim without a place. What the title cannot hold goes to the body."""
    title = one_line(claim.title)
    full = claim.title.strip() if title != claim.title.strip() else ""
    body = "\n\n".join(part for part in (full, claim.body.strip()) if part)
    return Finding(claim.priority, claim.category, "", claim.file, 0, 0, title, body, suggestion=claim.suggestion)


def _without_suggestion(finding: Finding) -> Finding:
    """A suggestion replaces whole lines, so one for a part of them is text."""
    if not finding.suggestion:
        return finding
    rows = "\n".join(f"    {row}" for row in finding.suggestion.split("\n"))
    return replace(finding, suggestion=None, body="\n\n".join(part for part in (finding.body, f"Suggested:\n\n{rows}") if part))
