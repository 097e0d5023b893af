"""How an epic is verified, and what comes of it."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from .errors import Exit
from .limits import STRICT, require_at_least
from .triggers import FailureMode
from .values import dataclass

EpicReviewer = Literal["cerberus", "agent_sdk", "ensemble"]
FailureReason = Literal[
    "cerberus_unavailable",
    "config_error",
    "timeout",
    "execution_error",
    "parse_error",
    "verdict_fail",
    "max_retries_exceeded",
]
HARD_FAILURES: tuple[FailureReason, ...] = ("cerberus_unavailable", "config_error")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpicCerberus:
    """Settings of an external review gate for epics. `timeout` unset: that of `epic_verification`;
    seconds."""

    __pydantic_config__ = STRICT
    timeout: int | None = None
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpicVerification:
    """Who verifies that an epic meets its acceptance criteria, and what a failure means. Triggers
    say when, this says how."""

    __pydantic_config__ = STRICT
    enabled: bool = True
    reviewer_type: EpicReviewer = "agent_sdk"
    timeout: int = 600
    max_retries: int = 3
    failure_mode: FailureMode = "continue"
    cerberus: EpicCerberus | None = None

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)
        require_at_least("max_retries", self.max_retries, 0)

    @property
    def seconds(self) -> int:
        """The timeout of whoever verifies: the gate's own where it is written, and it is the gate
        that verifies."""
        own = self.cerberus.timeout if self.cerberus and self.reviewer_type == "cerberus" else None
        return self.timeout if own is None else own


@dataclass(frozen=True, slots=True)
class UnmetCriterion:
    """A criterion that is not met: which, how severe (0 to 3, 0 most), and why."""

    criterion: str
    priority: int
    reason: str

    def __post_init__(self) -> None:
        if not self.criterion.strip():
            raise ValueError("an unmet criterion needs its text")
        if type(self.priority) is not int or not 0 <= self.priority <= 3:
            raise ValueError(
                f"the priority of an unmet criterion must be 0 to 3, not {self.priority!r}"
            )


@dataclass(frozen=True, slots=True)
class EpicVerdict:
    """Whether an epic meets all its criteria. Confidence is between 0 and 1."""

    passed: bool
    unmet_criteria: tuple[UnmetCriterion, ...]
    confidence: float
    reasoning: str

    def __post_init__(self) -> None:
        if self.passed and self.unmet_criteria:
            raise ValueError(
                "the epic passes, but its unmet_criteria are not empty "
                f"({len(self.unmet_criteria)})"
            )
        if not self.passed and not self.unmet_criteria:
            raise ValueError("the epic does not pass, but no unmet criterion is given")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must be between 0 and 1, not {self.confidence!r}")


@dataclass(frozen=True, slots=True)
class EpicFailure:
    """Why an attempt gave no verdict; `raw` is what was said instead, `unmet` the criteria that
    were named all the same.

    `hard` is the exit code with which an external gate ends the run whatever the failure mode; OK:
    none.
    """

    reason: FailureReason
    message: str
    raw_answer: str = ""
    unmet: tuple[UnmetCriterion, ...] = ()
    hard_exit: Exit = Exit.OK


@dataclass(frozen=True, slots=True)
class EpicTask:
    """What is verified: the epic's text, and the commits of its issues, oldest first, or else a
    range, or (with neither) the work tree."""

    epic: str
    title: str
    description: str
    children: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    base: str = ""
    head: str = ""


@dataclass(frozen=True, slots=True)
class EpicResult:
    """What the verification of an epic came to. `skipped` says why there was none, `aborts` that
    the run ends here.

    `reason` is the last failure's, "" for a pass; `unmet` and `hard` are those of a last attempt
    without a verdict.
    """

    epic: str
    reviewer_type: EpicReviewer
    verdict: EpicVerdict | None = None
    reason: FailureReason | Literal[""] = ""
    message: str = ""
    attempts: int = 0
    aborts: bool = False
    skipped: str = ""
    unmet: tuple[UnmetCriterion, ...] = ()
    hard_exit: Exit = Exit.OK

    @property
    def passed(self) -> bool:
        """Every criterion is met."""
        return self.verdict is not None and self.verdict.passed

    @property
    def exit(self) -> Exit:
        """For whoever asked about this epic alone: met, not met, no verdict, not in time, nobody
        there."""
        if self.passed:
            return Exit.OK
        if self.hard_exit:
            return self.hard_exit
        by_reason = {
            "verdict_fail": Exit.BLOCK,
            "timeout": Exit.DEADLINE,
            "cerberus_unavailable": Exit.NO_REVIEWERS,
        }
        return by_reason.get(self.reason, Exit.INCONCLUSIVE)
