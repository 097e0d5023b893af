"""What runs at the end of a session, of an epic and of a run: commands, a review, and what either's
failure means.

Every trigger is complete in itself: no value of one reaches another.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import field

from .limits import ConfigSection, require_at_least

FailureMode = Literal["abort", "continue", "remediate"]
FireCondition = Literal["success", "failure", "both"]
EpicDepth = Literal["top_level", "all"]
Baseline = Literal["since_run_start", "since_last_review"]
TriggerType = Literal["session_end", "epic_completion", "run_end"]
FindingThreshold = Literal["P0", "P1", "P2", "P3", "none"]
REVIEWER_TYPES = ("cerberus", "agent_sdk", "ensemble")
MAX_RETRIES = 3


class Cerberus(ConfigSection, frozen=True, kw_only=True):
    """Settings of an external review gate.

    Arguments are argv entries, one each, and never read by a shell; timeout in seconds.
    """

    timeout: int = 300
    spawn_args: tuple[str, ...] = ()
    wait_args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)


class CodeReview(ConfigSection, frozen=True, kw_only=True):
    """The review of a trigger: the same shape everywhere.

    `failure_mode` and `max_retries` are about a reviewer that gives no result, `finding_threshold`
    about what it finds.
    """

    enabled: bool = False
    reviewer_type: str = "cerberus"
    failure_mode: FailureMode = "continue"
    max_retries: int = MAX_RETRIES
    finding_threshold: FindingThreshold = "none"
    baseline: Baseline | None = None
    cerberus: Cerberus | None = None

    def __post_init__(self) -> None:
        require_at_least("max_retries", self.max_retries, 0)
        if self.enabled and self.reviewer_type not in REVIEWER_TYPES:
            raise ValueError(
                f"reviewer_type must be one of {', '.join(REVIEWER_TYPES)}, not "
                f"{self.reviewer_type!r}"
            )


class CommandRef(ConfigSection, frozen=True, kw_only=True):
    """One command of a trigger, by its name, and the seconds it may take."""

    ref: str
    timeout: float = 1800

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)


class Trigger(ConfigSection, frozen=True, kw_only=True):
    """What every trigger has.

    `failure_mode` and `max_retries` are about its commands alone; unset retries are three.
    """

    commands: tuple[CommandRef, ...] = ()
    failure_mode: FailureMode = "continue"
    max_retries: int | None = None
    code_review: CodeReview | None = None

    def __post_init__(self) -> None:
        require_at_least("max_retries", self.max_retries, 0)


class SessionEnd(Trigger, frozen=True, kw_only=True):
    """When an agent's session about one issue has ended well."""


class EpicCompletion(Trigger, frozen=True, kw_only=True):
    """When all issues of an epic are closed."""

    epic_depth: EpicDepth = "top_level"
    fire_on: FireCondition = "success"


class RunEnd(Trigger, frozen=True, kw_only=True):
    """When a run has worked through its issues."""

    fire_on: FireCondition = "success"


class Periodic(Trigger, frozen=True, kw_only=True):
    """After so many issues. It is read and checked; an orchestrator of your own fires it."""

    interval: int = 5

    def __post_init__(self) -> None:
        Trigger.__post_init__(self)
        require_at_least("interval", self.interval, 1)


class ValidationTriggers(ConfigSection, frozen=True, kw_only=True):
    """The triggers that there are; one that is not written does nothing."""

    session_end: SessionEnd | None = None
    epic_completion: EpicCompletion | None = None
    run_end: RunEnd | None = None
    periodic: Periodic | None = None

    def trigger_of(self, name: TriggerType) -> Trigger | None:
        """The trigger of that name."""
        found: Trigger | None = getattr(self, name)
        return found


class Remediation(ConfigSection, frozen=True, kw_only=True):
    """The programs that fix findings, with their arguments: `resume` after a session, `fixer`
    elsewhere; `timeout` in seconds."""

    resume: tuple[str, ...] = ()
    fixer: tuple[str, ...] = ()
    timeout: float = 1800

    def __post_init__(self) -> None:
        require_at_least("timeout", self.timeout, 1)
