"""From a model's claims and rulings to findings at true lines: the place comes from the code that
is quoted."""

import re
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from ..findings.carry_over import is_carried_unchanged
from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines, anchor_finding
from ..model.finding import Confidence, Finding, FindingState
from ..text.strict import one_line
from .answer import Claim, Ruling
from .excerpts import ShownBeside

_AUDIT = re.compile(r"audit-\d+")
_VERIFY = "verify"
_LONGEST = 500
_WORDS = {
    "behaviour": "the code does not do this",
    "excluded": "outside the scope of a review",
    "vague": "it names no code",
}
NO_PROOF_REASON = "a refutation without a quote from the code does not count"


def can_be_ruled_on(finding: Finding) -> bool:
    """A model found it in the review and it stands open.

    What tools find or share, what the reverse audit finds, and what an earlier review found at code
    that is the same is not asked about.
    """
    settled = (
        finding.rule or finding.state is not FindingState.OPEN or is_carried_unchanged(finding)
    )
    return not settled and not any(map(is_from_audit, finding.sources))


def is_from_audit(source: str) -> bool:
    """The source is a round of the reverse audit, whose findings count as certain."""
    return _AUDIT.fullmatch(source.rpartition("/")[2]) is not None


def is_reserved_part(part: str) -> bool:
    """Verification and the rounds of the audit are called so: no lens may be, or its findings would
    count as theirs."""
    return part == _VERIFY or _AUDIT.fullmatch(part) is not None


def apply_rulings(
    findings: tuple[Finding, ...], ruling_of: Callable[[Finding], Ruling | None], index: CodeIndex
) -> tuple[Finding, ...]:
    """Each finding after the ruling on it, if there is one."""
    return tuple(
        _ruled(finding, ruling, index)
        if can_be_ruled_on(finding) and (ruling := ruling_of(finding))
        else finding
        for finding in findings
    )


def _ruled(finding: Finding, ruling: Ruling, index: CodeIndex) -> Finding:
    reason = one_line(ruling.reason, _LONGEST)
    if ruling.ruling == "uncertain":
        return replace(finding, confidence=Confidence.LOW, note=_note("uncertain", reason))
    if ruling.ruling != "refuted":
        return finding
    if not _counts(finding, ruling, index):
        return replace(finding, note=NO_PROOF_REASON)
    return replace(
        finding,
        state=FindingState.REFUTED,
        note=_note(f"refuted: {_WORDS[ruling.reason_kind]}", reason),
    )


def _counts(finding: Finding, ruling: Ruling, index: CodeIndex) -> bool:
    """The reason is one of those that take a finding away, and the code that is quoted for it is
    there; what has a place is not vague."""
    if ruling.reason_kind not in _WORDS or (ruling.reason_kind == "vague" and finding.is_located):
        return False
    return index.contains(ruling.file, ruling.quote)


def _note(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what


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
    confidence = Confidence.HIGH if is_from_audit(source) else claim.confidence
    finding = replace(
        _stated(claim), path=path or claim.file, sources=(source,), confidence=confidence
    )
    if not found:
        why = NO_FILE if path is None else NOT_IN_CHANGE if claim.quote.strip() else NO_QUOTE
        return replace(finding, origin=changed_lines.origin(finding.path), note=why)
    at = replace(finding, side=found.side, line_start=found.start, line_end=found.end)
    at = at if found.whole else _without_suggestion(at)
    cause = beside.cause(at) if beside else None
    if beside is None or cause is None:
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
