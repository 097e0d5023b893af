"""One review of a trigger: from which commit on, whether there is anything, what the reviewers say, where it is remembered."""

from collections.abc import Callable
from dataclasses import replace

from ..model.errors import ConfigError, GateError, OutOfTime, UsageError
from ..model.event import Event, Level
from ..model.exits import Exit
from ..model.report import Report
from ..model.run import CumulativeReviewResult, RunMetadata
from ..model.selection import Range
from ..model.tracked import Occasion
from ..model.triggers import CodeReview, TriggerType
from ..model.values import dataclass
from ..steps import events
from ..steps.trigger_outcome import execution_error, hard_failure, open_findings
from ..system.git import Git
from ..system.git.baselines import Unreachable, get_diff_stat, has_commit, issue_baseline

LARGE_DIFF_THRESHOLD = 5000  # added and deleted lines
_NO_COMMITS = "No commits for issue, skipping review"
_NO_CHANGES = "No changes since baseline, skipping review"
_NOT_KEPT = "not all findings could be saved, so the baseline stays where it is: the next since_last_review review reports them again"
_PER_ISSUE = "per_issue"
_HARD = (Exit.NO_REVIEWERS, Exit.INTERNAL)  # not asked again, and the end of a run whatever is configured


@dataclass(frozen=True, slots=True)
class CumulativeReviewRunner:
    """What a review needs: who reviews a range, the repository, who makes issues of findings, who is told, and a clock in seconds.

    `track` gets the report and why it was made; False says that not all of its findings could be kept, and then no baseline moves.
    """

    review: Callable[[Range], Report]
    git: Git
    track: Callable[[Report, Occasion], bool | None]
    log: Callable[[Event], None]
    clock: Callable[[], float]

    def run_review(
        self, trigger_type: TriggerType, config: CodeReview, run: RunMetadata, *, issue_id: str = "", epic_id: str = "", start: str = ""
    ) -> CumulativeReviewResult:
        """Review what a trigger is about; every finding was handed to `track` when this returns, and nothing of the run is changed.

        A session is reviewed from its issue's first commit (`issue_id`), an epic (`epic_id`) and a run from the baseline of `config`;
        `start` names the commit instead, for the review after a fix.

        Raises:
            ConfigError, UsageError: a mistake of the user's.
            NoReviewers, InternalError: a failure that no failure mode covers, without a report. One with a report is `hard`.
            KeyboardInterrupt: the review was interrupted; it left nothing behind.
        """
        mode = _PER_ISSUE if trigger_type == "session_end" else str(config.baseline or "since_run_start")
        head = self.git.resolve("HEAD") or self.git.empty_tree
        try:
            base = start or self._baseline(mode, run, issue_id, baseline_key(trigger_type, epic_id), head)
        except Unreachable as error:
            return self._missing(trigger_type, mode, error.sha)
        if not base:
            return self._missing(trigger_type, mode, "")
        if (start or mode != _PER_ISSUE) and not has_commit(self.git, base):  # an issue's own was just found
            return self._missing(trigger_type, mode, base)
        found = CumulativeReviewResult("skipped", skip_reason="empty_diff", baseline=base, head=head)
        stat = get_diff_stat(self.git, base, head)
        if not stat.files:
            self._say("INFO", _NO_CHANGES)
            self.log(events.empty(trigger_type, base, head))
            return found
        self.log(events.started(trigger_type, mode, base, head))
        if stat.lines > LARGE_DIFF_THRESHOLD:
            self._say("WARN", f"WARNING: Large diff ({stat.lines} lines) may affect review quality")
            self.log(events.large(trigger_type, stat.lines, LARGE_DIFF_THRESHOLD, base, head))
        return self._reviewed(trigger_type, found, occasion(trigger_type, run, issue_id, epic_id))

    def _baseline(self, mode: str, run: RunMetadata, issue: str, key: str, head: str) -> str:
        if mode == _PER_ISSUE:
            return (issue_baseline(self.git, issue, head) if head != self.git.empty_tree else None) or ""
        last = run.last_cumulative_review_commits.get(key, "") if mode == "since_last_review" else ""
        return last or run.run_start_commit or ""

    def _missing(self, trigger: TriggerType, mode: str, sha: str) -> CumulativeReviewResult:
        if sha:
            self._say("ERROR", f"Baseline commit {sha} not reachable (shallow clone?), skipping review")
        elif mode == _PER_ISSUE:
            self._say("INFO", _NO_COMMITS)
        else:
            self._say("ERROR", "Baseline cannot be determined: the run has no start commit, skipping review")
        self.log(events.missing(trigger, mode))
        return CumulativeReviewResult("skipped", skip_reason="baseline_not_found", baseline=sha)

    def _reviewed(self, trigger: TriggerType, found: CumulativeReviewResult, why: Occasion) -> CumulativeReviewResult:
        began = self.clock()
        try:
            report = self.review(Range(found.baseline, found.head, (f"{trigger} since {found.baseline[:12]}",)))
        except (ConfigError, UsageError):
            raise
        except GateError as error:
            kind = "timeout" if isinstance(error, OutOfTime) else "execution_error"
            self.log(events.failed(trigger, kind, error.message))
            if error.exit in _HARD:
                raise
            return replace(found, status="failed", skip_reason=None, error_type=kind, error=error.message)
        if report.skipped:
            self._say("WARN", f"The review was overridden: {report.skipped}")
            return replace(found, skip_reason="override", report=report)
        kept = self.track(report, why) is not False
        found = replace(found, skip_reason=None, findings=open_findings(report), report=report)
        hard, said = hard_failure(report)
        kind, words = ("execution_error", said) if hard else execution_error(report)
        if kind:
            self.log(events.failed(trigger, kind, words))
            return replace(found, status="failed", error_type=kind, error=words, hard=hard)
        if not kept and trigger != "session_end":
            self._say("WARN", _NOT_KEPT)
        self.log(events.completed(trigger, "success", len(found.findings), round((self.clock() - began) * 1000)))
        return replace(found, status="success", new_baseline_commit=found.head if kept else None)

    def _say(self, level: Level, text: str) -> None:
        self.log(Event(level, text))


def baseline_key(trigger: TriggerType, epic: str) -> str:
    """Under which name a trigger remembers what it has reviewed; each epic has its own."""
    return f"{trigger}:{epic}" if trigger == "epic_completion" else trigger


def occasion(trigger: TriggerType, run: RunMetadata, issue: str, epic: str) -> Occasion:
    """What an issue says of where it comes from, and what it hangs on: the issue or epic under review, the first epic, or the run."""
    if trigger == "session_end":
        return Occasion("per_issue_review", trigger, link=issue, run=run.run_id)
    first = run.epics[0] if run.epics else ""
    return Occasion("cumulative_review", trigger, epic, epic or first, run.run_id)
