"""What a verifier's rulings do to findings: doubt makes one uncertain, and only code that is there takes one away.

Whatever does not count (no ruling, no proof, another reason) leaves a finding open, as it was: a verifier can save nobody by its word.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from ..model.finding import Confidence, Finding, State
from .answer import Ruling
from .carry import still_stands
from .code_search import Code
from .strict import one_line

_AUDIT = re.compile(r"audit-\d+")
_VERIFY = "verify"
_LONGEST = 500
_WORDS = {"behaviour": "the code does not do this", "excluded": "outside the scope of a review", "vague": "it names no code"}
NO_PROOF = "a refutation without a quote from the code does not count"


def rulable(finding: Finding) -> bool:
    """A model found it in the review and it stands open.

    What tools find or share, what the reverse audit finds, and what an earlier review found at code that is the same is not asked about.
    """
    settled = finding.rule or finding.state is not State.OPEN or still_stands(finding)
    return not settled and not any(map(of_audit, finding.sources))


def of_audit(source: str) -> bool:
    """The source is a round of the reverse audit, whose findings count as certain."""
    return _AUDIT.fullmatch(source.rpartition("/")[2]) is not None


def is_stage(part: str) -> bool:
    """Verification and the rounds of the audit are called so: no lens may be, or its findings would count as theirs."""
    return part == _VERIFY or _AUDIT.fullmatch(part) is not None


def apply_rulings(findings: tuple[Finding, ...], ruling_of: Callable[[Finding], Ruling | None], code: Code) -> tuple[Finding, ...]:
    """Each finding after the ruling on it, if there is one."""
    return tuple(_ruled(finding, ruling, code) if rulable(finding) and (ruling := ruling_of(finding)) else finding for finding in findings)


def _ruled(finding: Finding, ruling: Ruling, code: Code) -> Finding:
    reason = one_line(ruling.reason, _LONGEST)
    if ruling.ruling == "uncertain":
        return replace(finding, confidence=Confidence.LOW, note=_note("uncertain", reason))
    if ruling.ruling != "refuted":
        return finding
    if not _counts(finding, ruling, code):
        return replace(finding, note=NO_PROOF)
    return replace(finding, state=State.REFUTED, note=_note(f"refuted: {_WORDS[ruling.reason_kind]}", reason))


def _counts(finding: Finding, ruling: Ruling, code: Code) -> bool:
    """The reason is one of those that take a finding away, and the code that is quoted for it is there; what has a place is not vague."""
    if ruling.reason_kind not in _WORDS or (ruling.reason_kind == "vague" and finding.placed):
        return False
    return code.holds(ruling.file, ruling.quote)


def _note(what: str, reason: str) -> str:
    return f"{what}: {reason}" if reason else what
