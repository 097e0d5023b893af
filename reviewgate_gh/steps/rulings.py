"""What a verifier's rulings do to findings."""

from collections.abc import Callable
from dataclasses import replace

from ..model.finding import Confidence, Finding, State
from .answer import Ruling
from .code_search import Code


def rulable(finding: Finding) -> bool:
    """A model found it, and it stands open."""
    return not finding.rule and finding.state is State.OPEN


def apply_rulings(findings: tuple[Finding, ...], ruling_of: Callable[[Finding], Ruling | None], code: Code) -> tuple[Finding, ...]:
    """Each finding after the ruling on it; a refutation counts only with code that is there."""
    out = []
    for f in findings:
        r = ruling_of(f)
        if r and r.ruling == "refuted" and code.holds(r.file, r.quote):
            f = replace(f, state=State.REFUTED, note=r.reason)
        elif r and r.ruling == "uncertain":
            f = replace(f, confidence=Confidence.LOW, note=r.reason)
        out.append(f)
    return tuple(out)
