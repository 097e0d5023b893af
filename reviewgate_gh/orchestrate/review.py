"""A trigger's cumulative review: its range, retries, remediation, and the new baseline."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.history import CommitNotHere, get_diff_stat, has_commit, issue_baseline
from ..issues.tracked import IssueOrigin
from ..model.change import Range
from ..model.errors import ConfigError, DeadlinePassed, Exit, GateError, UsageError
from ..model.report import Report
from ..model.run import CumulativeReviewResult, Level, LogEvent, RunMetadata
from ..model.triggers import CodeReview, TriggerType
from . import events
from .remediation import FixResult, findings_task, run_fixer
from .runs import BaselineMove, advance_baseline
from .trigger_context import TriggerContext, is_covered
from .trigger_outcome import (
    NOT_CHECKED,
    NextStep,
    TriggerEvent,
    TriggerResult,
    decide_next_step,
    execution_error,
    hard_failure,
    open_findings,
    reaches_threshold,
)

LARGE_DIFF_THRESHOLD = 5000  # added and deleted lines
_NO_COMMITS = "No commits for issue, skipping review"
_NO_CHANGES = "No changes since baseline, skipping review"
_NOT_KEPT = (
    "not all findings could be saved, so the baseline stays where it is: the next "
    "since_last_review review reports them again"
)
_PER_ISSUE = "per_issue"
# Not asked again, and the end of a run whatever is configured
_HARD = (Exit.NO_REVIEWERS, Exit.INTERNAL)


class CumulativeReviewRunner(Struct, frozen=True):
    """What a review needs: who reviews a range, the repository, who makes issues of findings, who
    is told, and a clock in seconds.

    `track` gets the report and why it was made; False says that not all of its findings could be
    kept, and then no baseline moves.
    """

    review: Callable[[Range], Report]
    git: Git
    track: Callable[[Report, IssueOrigin], bool | None]
    log: Callable[[LogEvent], None]
    clock: Callable[[], float]

    def run_review(
        self,
        trigger_type: TriggerType,
        config: CodeReview,
        run: RunMetadata,
        *,
        issue_id: str = "",
        epic_id: str = "",
        start: str = "",
    ) -> CumulativeReviewResult:
        """Review what a trigger is about; every finding was handed to `track` when this returns,
        and nothing of the run is changed.

        A session is reviewed from its issue's first commit (`issue_id`), an epic (`epic_id`) and a
        run from the baseline of `config`; `start` names the commit instead, for the review after a
        fix.

        Raises:
            ConfigError, UsageError: a mistake of the user's. NoReviewers, InternalError: a failure
            that no failure mode covers, without a report. One with a report is `hard`.
            KeyboardInterrupt: the review was interrupted; it left nothing behind.
        """
        mode = (
            _PER_ISSUE
            if trigger_type == "session_end"
            else str(config.baseline or "since_run_start")
        )
        head = self.git.resolve("HEAD") or self.git.empty_tree
        try:
            base = start or self._baseline(
                mode, run, issue_id, baseline_key(trigger_type, epic_id), head
            )
        except CommitNotHere as error:
            return self._missing(trigger_type, mode, error.sha)
        if not base:
            return self._missing(trigger_type, mode, "")
        # An issue's own was just found
        if (start or mode != _PER_ISSUE) and not has_commit(self.git, base):
            return self._missing(trigger_type, mode, base)
        found = CumulativeReviewResult(
            "skipped", skip_reason="empty_diff", baseline=base, head=head
        )
        stat = get_diff_stat(self.git, base, head)
        if not stat.files:
            self._say("INFO", _NO_CHANGES)
            self.log(events.empty(trigger_type, base, head))
            return found
        self.log(events.started(trigger_type, mode, base, head))
        if stat.lines > LARGE_DIFF_THRESHOLD:
            self._say("WARN", f"WARNING: Large diff ({stat.lines} lines) may affect review quality")
            self.log(events.large(trigger_type, stat.lines, LARGE_DIFF_THRESHOLD, base, head))
        return self._reviewed(
            trigger_type, found, issue_origin(trigger_type, run, issue_id, epic_id)
        )

    def _baseline(self, mode: str, run: RunMetadata, issue: str, key: str, head: str) -> str:
        if mode == _PER_ISSUE:
            return (
                issue_baseline(self.git, issue, head) if head != self.git.empty_tree else None
            ) or ""
        last = (
            run.last_cumulative_review_commits.get(key, "") if mode == "since_last_review" else ""
        )
        return last or run.run_start_commit or ""

    def _missing(self, trigger: TriggerType, mode: str, sha: str) -> CumulativeReviewResult:
        if sha:
            self._say(
                "ERROR", f"Baseline commit {sha} not reachable (shallow clone?), skipping review"
            )
        elif mode == _PER_ISSUE:
            self._say("INFO", _NO_COMMITS)
        else:
            self._say(
                "ERROR",
                "Baseline cannot be determined: the run has no start commit, skipping review",
            )
        self.log(events.missing(trigger, mode))
        return CumulativeReviewResult("skipped", skip_reason="baseline_not_found", baseline=sha)

    def _reviewed(
        self, trigger: TriggerType, found: CumulativeReviewResult, why: IssueOrigin
    ) -> CumulativeReviewResult:
        began = self.clock()
        try:
            report = self.review(
                Range(found.baseline, found.head, (f"{trigger} since {found.baseline[:12]}",))
            )
        except (ConfigError, UsageError):
            raise
        except GateError as error:
            kind = "timeout" if isinstance(error, DeadlinePassed) else "execution_error"
            self.log(events.failed(trigger, kind, error.message))
            if error.exit in _HARD:
                raise
            return replace(
                found, status="failed", skip_reason=None, error_type=kind, error=error.message
            )
        if report.skipped:
            self._say("WARN", f"The review was overridden: {report.skipped}")
            return replace(found, skip_reason="override", report=report)
        kept = self.track(report, why) is not False
        found = replace(found, skip_reason=None, findings=open_findings(report), report=report)
        hard, said = hard_failure(report)
        kind, words = ("execution_error", said) if hard else execution_error(report)
        if kind:
            self.log(events.failed(trigger, kind, words))
            return replace(found, status="failed", error_type=kind, error=words, hard_exit=hard)
        if not kept and trigger != "session_end":
            self._say("WARN", _NOT_KEPT)
        self.log(
            events.completed(
                trigger, "success", len(found.findings), round((self.clock() - began) * 1000)
            )
        )
        reviewed = found.head if kept else None
        return replace(found, status="success", new_baseline_commit=reviewed, unsaved=not kept)

    def _say(self, level: Level, text: str) -> None:
        self.log(LogEvent(level, text))


def baseline_key(trigger: TriggerType, epic: str) -> str:
    """Under which name a trigger remembers what it has reviewed; each epic has its own."""
    return f"{trigger}:{epic}" if trigger == "epic_completion" else trigger


def issue_origin(trigger: TriggerType, run: RunMetadata, issue: str, epic: str) -> IssueOrigin:
    """What an issue says of where it comes from, and what it hangs on: the issue or epic under
    review, the first epic, or the run."""
    if trigger == "session_end":
        return IssueOrigin("per_issue_review", trigger, link=issue, run=run.run_id)
    first = run.epics[0] if run.epics else ""
    return IssueOrigin("cumulative_review", trigger, epic, epic or first, run.run_id)


_UNSAVED = "its findings are in the report alone"
_NO_PROGRESS = "the fixer committed no change: no progress"
_UNDONE = "the fixer reverted the change: no progress"
_UNKNOWN = "what the fixer changed could not be reviewed again"


def review_until_decided(
    context: TriggerContext, config: CodeReview, event: TriggerEvent, result: TriggerResult
) -> TriggerResult:
    """Review, and do what threshold and failure mode ask for; `result` is the trigger's so far.

    Counters start over with every call.

    Raises:
        GateError: as `CumulativeReviewRunner.run_review`.
    """
    about = {"issue_id": event.issue_id, "epic_id": event.epic_id}
    ask = context.review_function(config, event.issue_id or event.epic_id)
    runner = CumulativeReviewRunner(
        ask, context.git, context.track, context.log, context.environment.clock
    )
    retries = cycles = config.max_retries
    fixes, start = 0, ""
    while True:
        review = runner.run_review(event.trigger, config, context.run, **about, start=start)
        result = replace(result, review=review)
        if review.status == "skipped":  # after a fix it means that nothing is left of the change
            return result.stopped(Exit.BLOCK, _UNDONE) if fixes else result
        if review.new_baseline_commit:
            _remember(context, event, review.new_baseline_commit)
        if review.hard_exit:
            why = f"{review.error}; this ends the run whatever failure_mode says"
            return result.stopped(review.hard_exit, why, aborts=True)
        over = reaches_threshold(review.findings, config.finding_threshold)
        step = decide_next_step(
            review.status == "failed", over, config.failure_mode, retries, cycles
        )
        if step is NextStep.RETRY:
            retries -= 1
            context.log(LogEvent("WARN", f"asking the reviewer again; retries left: {retries}"))
        elif step is NextStep.FIX:
            cycles, start = cycles - 1, start or review.baseline
            fixed = _fix(context, event.trigger, review)
            fixes += fixed.ran
            result = replace(result, fixes=result.fixes + fixed.ran)
            if not fixed.progress:
                return result.stopped(Exit.BLOCK, f"{_over(config)}; {fixed.problem}")
        else:
            exit_code, reason = _end(review, config, over, step, fixes)
            if not exit_code and review.unsaved and review.report and not is_covered(review.report):
                exit_code, reason = Exit.INCONCLUSIVE, f"{NOT_CHECKED}: {_UNSAVED}; {context.whose}"
            aborts = step is NextStep.FAIL and not over
            return result.stopped(exit_code, reason, aborts=aborts) if exit_code else result


def _end(
    review: CumulativeReviewResult, config: CodeReview, over: bool, step: NextStep, fixes: int
) -> tuple[Exit, str]:
    """The exit code of the last review, and why the run does not go on."""
    if over:
        return Exit.BLOCK, _over(config)
    if review.status == "failed" and fixes:  # what was found before is not shown to be gone
        return Exit.BLOCK, _UNKNOWN
    if step is NextStep.FAIL:
        late = review.error_type == "timeout"
        return (
            Exit.DEADLINE if late else Exit.INCONCLUSIVE,
            f"the reviewer gave no result: {review.error}",
        )
    return Exit.OK, ""


def _over(config: CodeReview) -> str:
    return f"findings at or above {config.finding_threshold}"


def _remember(context: TriggerContext, event: TriggerEvent, reviewed: str) -> None:
    """The next review begins where this one ended; a session's begins at its issue's first commit,
    whatever was reviewed."""
    if event.trigger == "session_end" or not context.run.run_id:
        return
    key = baseline_key(event.trigger, event.epic_id)
    try:
        before = context.run.last_cumulative_review_commits.get(key, "")
        move = BaselineMove(key, before, reviewed, context.run.run_id)
        old, new = advance_baseline(context.store, context.git, move)
        context.log(events.advanced(event.trigger, old, new))
    except GateError as error:
        context.log(LogEvent("WARN", f"could not record the reviewed commit: {error.message}"))


def _fix(
    context: TriggerContext, trigger: TriggerType, review: CumulativeReviewResult
) -> FixResult:
    """Let the fixer try once; `problem` says why there is nothing new to review."""
    settings = context.config.remediation
    key = "resume" if trigger == "session_end" else "fixer"
    argv: tuple[str, ...] = getattr(settings, key)
    if not argv:
        return FixResult(False, f"no fixer was run: remediation.{key} is not set", ran=False)
    if why := context.refusal(argv):
        return FixResult(False, f"no fixer was run: {why}", ran=False)
    if review.report is None:
        return FixResult(False, "no fixer was run: there is no report", ran=False)
    context.log(LogEvent("INFO", f"running remediation.{key}"))
    fixed = run_fixer(
        argv, findings_task(review.report), context.git, context.environment, settings.timeout
    )
    if fixed.problem:
        context.log(LogEvent("WARN", fixed.problem))
    return fixed if fixed.progress or not fixed.ran else replace(fixed, problem=_NO_PROGRESS)
