"""A run of an orchestrator over some issues, as it is remembered between commands, and its
events."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from .errors import Exit
from .finding import Finding
from .report import Report

RUN_SCHEMA = 1
CumulativeStatus = Literal["success", "skipped", "failed"]
CumulativeOutcome = Literal["completed_no_findings", "completed_with_findings", "execution_error"]


class RunMetadata(Struct, frozen=True):
    """What `run_metadata.json` holds.

    `last_cumulative_review_commits` maps `run_end`, `epic_completion:<epic id>` and `review` to the
    commit that was reviewed last. `epics` belong to the run, `completed` are those of them whose
    trigger has fired, `failed` the issues whose session failed, `aborted` the event that ended the
    run early, with its reason; times are ISO 8601 in UTC. `other` keeps keys of other programs as
    they are. An empty `run_id` is no run.
    """

    run_id: str = ""
    run_start_commit: str | None = None
    last_cumulative_review_commits: Mapping[str, str] = field(default_factory=dict)
    issues: tuple[str, ...] = ()
    epics: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    review_enabled: bool = True
    review_log_path: str | None = None
    other: Mapping[str, Any] = field(default_factory=dict)
    aborted: str = ""

    @property
    def resume_command(self) -> str:
        """What resumes this run: with other issues it would be a new one."""
        issues = f" --issues {','.join(self.issues)}" if self.issues else ""
        return f"reviewgate-gh orchestrate start{issues}"


class DiffStat(Struct, frozen=True):
    """Added and deleted lines between two commits, and the paths that differ."""

    added: int
    deleted: int
    files: tuple[str, ...]

    @property
    def lines(self) -> int:
        """Added and deleted lines together."""
        return self.added + self.deleted


class CumulativeReviewResult(Struct, frozen=True):
    """One review of a trigger.

    `status` is success when the reviewers have answered, whatever they found; `new_baseline_commit`
    is then the reviewed head, unless findings could not be kept (`unsaved`). `hard_exit` is the
    exit code of a failure that ends the run whatever the failure mode; OK: none. `skip_reason`
    (baseline_not_found, empty_diff, override, disabled) goes with skipped, `error` and its kind
    with failed.
    """

    status: CumulativeStatus
    findings: tuple[Finding, ...] = ()
    new_baseline_commit: str | None = None
    skip_reason: str | None = None
    error_type: str = ""
    error: str = ""
    baseline: str = ""
    head: str = ""
    report: Report | None = None
    hard_exit: Exit = Exit.OK
    unsaved: bool = False

    @property
    def outcome(self) -> CumulativeOutcome | None:
        """Which of the three it was; None where nothing was reviewed."""
        if self.status == "skipped":
            return None
        if self.status == "failed":
            return "execution_error"
        return "completed_with_findings" if self.findings else "completed_no_findings"


Level = Literal["DEBUG", "INFO", "WARN", "ERROR"]


class LogEvent(Struct, frozen=True):
    """One thing that happened. Without fields it is a sentence for people."""

    level: Level
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
