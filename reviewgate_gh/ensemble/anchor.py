"""From a model's claims to findings at true lines: the place comes from the code that is quoted."""

from collections.abc import Iterable

from msgspec.structs import replace

from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines, anchor_finding
from ..model.finding import Finding
from ..text.strict import one_line
from .answer import Claim
from .excerpts import ShownBeside

NO_FILE = "its file was not shown"
NO_QUOTE = "it quotes no code"
NOT_IN_CHANGE = "the code that it quotes was not shown, or was shown more than once"


def findings_of_claims(
    claims: Iterable[Claim],
    changed_lines: ChangedLines,
    index: CodeIndex,
    source: str,
    beside: ShownBeside | None = None,
) -> tuple[Finding, ...]:
    """One finding for each claim of the reviewer `source`; one without a place stays, unplaced, and
    its note says why. What was shown `beside` the change is in the index as well: a finding there
    names the place of the change that it was shown for."""
    return tuple(_finding(claim, changed_lines, index, source, beside) for claim in claims)


def _finding(
    claim: Claim,
    changed_lines: ChangedLines,
    index: CodeIndex,
    source: str,
    beside: ShownBeside | None,
) -> Finding:
    path = index.file(claim.file)
    found = index.find(path, claim.quote, claim.line_start) if path else None
    finding = replace(
        _stated(claim), path=path or claim.file, sources=(source,), confidence=claim.confidence
    )
    if not found:
        why = NO_FILE if path is None else NOT_IN_CHANGE if claim.quote.strip() else NO_QUOTE
        return replace(finding, origin=changed_lines.origin(finding.path), note=why)
    at = replace(finding, side=found.side, line_start=found.start, line_end=found.end)
    at = at if found.whole else _without_suggestion(at)
    cause = beside.cause(at) if beside else None
    # What one batch shows beside its files may be a change in another
    if beside is None or cause is None or changed_lines.shows(at.path, at.line_start):
        return anchor_finding(at, changed_lines, source)
    return replace(anchor_finding(at, beside.lines, source), placed=False, cause=cause)


def _stated(claim: Claim) -> Finding:
    """The claim without a place. What the title cannot hold goes to the body."""
    title = one_line(claim.title)
    full = claim.title.strip() if title != claim.title.strip() else ""
    body = "\n\n".join(part for part in (full, claim.body.strip()) if part)
    return Finding(
        claim.priority,
        claim.category,
        "",
        claim.file,
        0,
        0,
        title,
        body,
        suggestion=claim.suggestion,
    )


def _without_suggestion(finding: Finding) -> Finding:
    """A suggestion replaces whole lines, so one for a part of them is text."""
    if not finding.suggestion:
        return finding
    rows = "\n".join(f"    {row}" for row in finding.suggestion.split("\n"))
    return replace(
        finding,
        suggestion=None,
        body="\n\n".join(part for part in (finding.body, f"Suggested:\n\n{rows}") if part),
    )
