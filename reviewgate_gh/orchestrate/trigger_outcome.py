"""What becomes of a trigger: whether it fires, what its review came to, and what follows from
that."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from ..gate.policy import decide_verdict, verdict_messages
from ..model.errors import Exit
from ..model.finding import Confidence, Finding, FindingState
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus
from ..model.triggers import FailureMode

_FAILED_FOR_GOOD: Mapping[int, str] = {
    Exit.NO_REVIEWERS: "has no reviewers",
    Exit.INTERNAL: "failed with an internal error",
}
_KINDS = {
    ReviewStatus.TIMEOUT: "timeout",
    ReviewStatus.UNPARSABLE: "parse_error",
    ReviewStatus.FAILED: "execution_error",
}


class NextStep(StrEnum):
    """What follows a review."""

    CONTINUE = "go_on"
    RETRY = "retry"
    FIX = "mend"
    FAIL = "fail"


def decide_next_step(
    failed: bool, over: bool, mode: FailureMode, retries_left: int, cycles_left: int
) -> NextStep:
    """Findings over the threshold are mended or fail, whatever the mode; a reviewer without a
    result is the mode's business alone."""
    if over:
        return NextStep.FIX if cycles_left > 0 else NextStep.FAIL
    if failed and mode == "abort":
        return NextStep.FAIL
    return (
        NextStep.RETRY if failed and mode == "remediate" and retries_left > 0 else NextStep.CONTINUE
    )


def reaches_threshold(findings: Iterable[Finding], threshold: str) -> bool:
    """Something open and certain is at least as severe as the threshold, wherever it is."""
    return any(f.priority.reaches(threshold) and f.confidence is Confidence.HIGH for f in findings)


def open_findings(report: Report) -> tuple[Finding, ...]:
    """What is to be dealt with."""
    return tuple(f for f in report.findings if f.state is FindingState.OPEN)


def execution_error(report: Report) -> tuple[str, str]:
    """The kind of failure and its words; empty for a review that read everything, whatever it found
    and wherever."""
    placed = [finding for finding in report.findings if finding.placed]
    verdict = decide_verdict(
        placed, report.reviews, report.verdict.not_reviewed, "none", report.coverage
    )
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return "", ""
    kinds = [_KINDS[row.status] for row in report.reviews if row.status in _KINDS]
    return (kinds or ["incomplete"])[0], "; ".join(verdict_messages(verdict))


def hard_failure(report: Report) -> tuple[Exit, str]:
    """The exit code with which an external gate ends the run, and its words; a gate that need not
    answer may have no reviewers."""
    rows = [
        row for row in report.reviews if row.hard and (row.required or row.hard == Exit.INTERNAL)
    ]
    if not rows:
        return Exit.OK, ""
    return Exit(max(row.hard for row in rows)), "; ".join(
        f"{row.name} {_FAILED_FOR_GOOD[row.hard]}: {row.error}" for row in rows
    )
