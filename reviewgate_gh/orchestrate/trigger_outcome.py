"""What becomes of a trigger: whether it fires, what its review came to, and what follows from
that."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.project_commands import CommandRun
from ..gate.policy import decide_verdict, verdict_messages
from ..model.epic_verification import EpicResult
from ..model.errors import Exit
from ..model.finding import Confidence, Finding, FindingState
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus
from ..model.run import CumulativeReviewResult
from ..model.triggers import FailureMode, TriggerType

_FAILED_FOR_GOOD: Mapping[int, str] = {
    Exit.NO_REVIEWERS: "has no reviewers",
    Exit.INTERNAL: "failed with an internal error",
}
_KINDS = {
    ReviewStatus.TIMEOUT: "timeout",
    ReviewStatus.UNPARSABLE: "parse_error",
    ReviewStatus.FAILED: "execution_error",
}


NOT_CHECKED = "not checked"  # by what does not run on commits of others


class TriggerEvent(Struct, frozen=True):
    """What has happened: the end of a session about `issue_id`, of an epic, or of a run.

    `succeeded` and `failed` count issues, of the epic or of the run; None: as far as the run
    remembers.
    """

    trigger: TriggerType
    issue_id: str = ""
    epic_id: str = ""
    succeeded: int | None = None
    failed: int | None = None

    @property
    def name(self) -> str:
        """The trigger with what it is about."""
        return " ".join(filter(None, (self.trigger, self.issue_id or self.epic_id)))


class TriggerResult(Struct, frozen=True):
    """What came of a trigger; each of its steps adds to it.

    `reason` says why it did not fire, or why the run does not go on: `exit` is then not OK.
    `commands` are all commands, each as it ran last; `fixes` counts how often a fixer ran. `aborts`
    says that the whole run ends here, and not only this session, epic or end.
    """

    trigger: TriggerType
    fired: bool
    reason: str = ""
    commands: tuple[CommandRun, ...] = ()
    review: CumulativeReviewResult | None = None
    fixes: int = 0
    exit: Exit = Exit.OK
    epic: EpicResult | None = None
    aborts: bool = False

    def stopped(self, exit_code: Exit, reason: str, *, aborts: bool = False) -> "TriggerResult":
        """The same, and the run does not go on; what aborts the run has the last word."""
        return replace(self, exit=exit_code, reason=reason, aborts=aborts)


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
    placed = [finding for finding in report.findings if finding.is_located]
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
