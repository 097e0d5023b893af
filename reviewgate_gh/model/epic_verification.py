"""How an epic is verified, and what comes of it."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from .errors import Exit
from .limits import ConfigSection, require_at_least
from .triggers import FailureMode

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


class EpicCerberus(ConfigSection, frozen=True, kw_only=True):
    """Settings of an external review gate for epics.

    `timeout` unset: that of `epic_verification`; seconds.
    """

    timeout: int | None = None
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)


class EpicVerification(ConfigSection, frozen=True, kw_only=True):
    """Who verifies that an epic meets its acceptance criteria, and what a failure means.

    Triggers say when, this says how.
    """

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


class UnmetCriterion(Struct, frozen=True):
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


class EpicVerdict(Struct, frozen=True):
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


class Criterion(Struct, frozen=True):
    """A row of the table that a model answers with: whether a criterion is met, the places that
    show it (`path:line`), and in words why."""

    criterion: str
    met: bool
    evidence: tuple[str, ...]
    reason: str


class EvidencedVerdict(EpicVerdict, frozen=True):
    """A verdict with its table: every criterion, met or not."""

    criteria: tuple[Criterion, ...] = ()


class EpicFailure(Struct, frozen=True):
    """Why an attempt gave no verdict; `raw_answer` is what was said instead, `unmet` the criteria
    that were named all the same.

    `hard_exit` is the exit code with which an external gate ends the run whatever the failure mode;
    OK: none.
    """

    reason: FailureReason
    message: str
    raw_answer: str = ""
    unmet: tuple[UnmetCriterion, ...] = ()
    hard_exit: Exit = Exit.OK


class EpicTask(Struct, frozen=True):
    """What is verified: the epic's text, and the commits of its issues, oldest first, or else a
    range, or (with neither) the work tree.

    `documents` are the files of the repository that the epic or its issues name.
    """

    epic: str
    title: str
    description: str
    children: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    base: str = ""
    head: str = ""
    documents: tuple[str, ...] = ()


class EpicResult(Struct, frozen=True):
    """What the verification of an epic came to. `skipped` says why there was none, `aborts` that
    the run ends here.

    `failure` is the last one, None for a pass; a verdict against the epic has one beside it.
    """

    epic: str
    reviewer_type: EpicReviewer
    verdict: EpicVerdict | None = None
    failure: EpicFailure | None = None
    attempts: int = 0
    aborts: bool = False
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Every criterion is met."""
        return self.verdict is not None and self.verdict.passed

    @property
    def reason(self) -> FailureReason | Literal[""]:
        """The kind of failure; "" where there is none."""
        return self.failure.reason if self.failure else ""

    @property
    def message(self) -> str:
        """The failure in words."""
        return self.failure.message if self.failure else ""

    @property
    def is_hard(self) -> bool:
        """It ends the run whatever the failure mode: a person must act, or a gate says so."""
        return self.failure is not None and (
            self.failure.reason in HARD_FAILURES or bool(self.failure.hard_exit)
        )

    @property
    def exit(self) -> Exit:
        """For a caller that asks about this epic alone."""
        if self.passed:
            return Exit.OK
        if self.failure and self.failure.hard_exit:
            return self.failure.hard_exit
        by_reason = {
            "verdict_fail": Exit.BLOCK,
            "timeout": Exit.DEADLINE,
            "cerberus_unavailable": Exit.NO_REVIEWERS,
            "config_error": Exit.CONFIG,
        }
        return by_reason.get(self.reason, Exit.INCONCLUSIVE)
