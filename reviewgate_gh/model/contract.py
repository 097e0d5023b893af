"""The result of an external review, as orchestrators take it."""

from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol

from .exits import Exit
from .values import dataclass

Outcome = Literal["pass", "fail", "parse_error", "timeout", "no_reviewers", "internal", "no_progress"]

# What ends a run whatever its failure mode: the gate's own exit codes for it.
_HARD = {"no_reviewers": Exit.NO_REVIEWERS, "internal": Exit.INTERNAL}


@dataclass(frozen=True, slots=True)
class ReviewIssue:
    """One issue of an external reviewer. Lines count from 1, 0 is unknown; priority is 0 (most severe) to 3 or None; `file` may be ""."""

    file: str
    line_start: int
    line_end: int
    priority: int | None
    title: str
    body: str
    reviewer: str


class ReviewOutcome(Protocol):
    """What decides how a session goes on after an external review."""

    @property
    def passed(self) -> bool:
        """The gate passed the change, by its exit code and by its words."""

    @property
    def parse_error(self) -> str | None:
        """Why there is no answer that can be believed; None where there is one."""

    @property
    def fatal_error(self) -> bool:
        """Asking again is of no use."""

    @property
    def issues(self) -> list[ReviewIssue]:
        """What the reviewers want changed."""


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """What a review came to. With neither a pass nor an error nor issues, a retry met no change since the last review."""

    passed: bool
    issues: list[ReviewIssue] = field(default_factory=list)
    parse_error: str | None = None
    fatal_error: bool = False
    review_log_path: Path | None = None


@dataclass(frozen=True, slots=True)
class GateAnswer:
    """What a gate said, exit code and words together: the worse of the two. `error` says why it is no pass and no list of issues.

    `verdict` is the gate's own word, `issues` holds all that it named, whatever the outcome; `troubles` are its reviewers that broke.
    `agreement` is the share of its valid reviewers that say what it says, 1.0 where that is unknown.
    """

    outcome: Outcome
    verdict: str = ""
    issues: tuple[ReviewIssue, ...] = ()
    error: str = ""
    troubles: tuple[str, ...] = ()
    log_path: str = ""
    agreement: float = 1.0
    raw: str = ""
    status: str = ""

    @property
    def hard(self) -> Exit:
        """The exit code that ends a run whatever its failure mode; OK for any answer that a run can go on after."""
        return _HARD.get(self.outcome, Exit.OK)

    @property
    def result(self) -> ReviewResult:
        """The same for an orchestrator."""
        folder = Path(self.log_path) if self.log_path else None
        if self.outcome == "pass":
            return ReviewResult(True, list(self.issues), review_log_path=folder)
        if self.outcome == "fail":
            return ReviewResult(False, list(self.issues), review_log_path=folder)
        if self.hard:
            return ReviewResult(False, list(self.issues), fatal_error=True, review_log_path=folder)
        if self.outcome == "no_progress":
            return ReviewResult(False)
        return ReviewResult(False, parse_error="timeout" if self.outcome == "timeout" else self.error, review_log_path=folder)
