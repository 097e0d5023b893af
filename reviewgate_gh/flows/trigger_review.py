"""The review of a trigger to its end: retried, recorded, fixed, and reviewed again from the same commit."""

from dataclasses import replace

from ..model.errors import GateError
from ..model.event import Event
from ..model.exits import Exit
from ..model.run import CumulativeReviewResult
from ..model.triggers import CodeReview, TriggerType
from ..model.values import dataclass
from ..steps import events
from ..steps.trigger_outcome import Next, decide, over_threshold
from .cumulative import CumulativeReviewRunner, baseline_key
from .remediation import Mended, findings_task, mend
from .runs import advance
from .trigger_engine import Engine

_NO_PROGRESS = "the fixer committed no change: no progress"
_UNDONE = "the fixer reverted the change: no progress"
_UNKNOWN = "what the fixer changed could not be reviewed again"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The last review, how often a fixer ran, and whether the run continues; `why` says why not."""

    result: CumulativeReviewResult
    fixes: int = 0
    exit: Exit = Exit.OK
    why: str = ""


def review_to_the_end(engine: Engine, trigger: TriggerType, config: CodeReview, issue: str, epic: str) -> Reviewed:
    """Review, and do what threshold and failure mode ask for. Counters start over with every call.

    Raises:
        GateError: as `CumulativeReviewRunner.run_review`.
    """
    runner = CumulativeReviewRunner(engine.reviewer(config, issue or epic), engine.git, engine.track, engine.log, engine.world.clock)
    retries = cycles = config.max_retries
    fixes, start = 0, ""
    while True:
        result = runner.run_review(trigger, config, engine.run, issue_id=issue, epic_id=epic, start=start)
        if result.status == "skipped":
            return _skipped(result, fixes)
        if result.new_baseline_commit:
            _remember(engine, trigger, epic, result)
        if result.hard:
            return Reviewed(result, fixes, result.hard, f"{result.error}; this ends the run whatever failure_mode says")
        over = over_threshold(result.findings, config.finding_threshold)
        step = decide(result.status == "failed", over, config.failure_mode, retries, cycles)
        if step is Next.RETRY:
            retries -= 1
            engine.log(Event("WARN", f"asking the reviewer again; retries left: {retries}"))
        elif step is Next.MEND:
            cycles, start = cycles - 1, start or result.baseline
            mended = _mend(engine, trigger, result)
            fixes += mended.ran
            if not mended.progress:
                return Reviewed(result, fixes, Exit.BLOCK, f"{_over(config)}; {mended.trouble}")
        else:
            return _ended(result, fixes, config, over, step)


def _skipped(result: CumulativeReviewResult, fixes: int) -> Reviewed:
    """Having nothing to review is fine at first; after a fix it means that nothing is left of the change."""
    return Reviewed(result, fixes, Exit.BLOCK, _UNDONE) if fixes else Reviewed(result)


def _ended(result: CumulativeReviewResult, fixes: int, config: CodeReview, over: bool, step: Next) -> Reviewed:
    if over:
        return Reviewed(result, fixes, Exit.BLOCK, _over(config))
    if result.status == "failed" and fixes:  # what was found before is not shown to be gone
        return Reviewed(result, fixes, Exit.BLOCK, _UNKNOWN)
    if step is Next.FAIL:
        late = result.error_type == "timeout"
        return Reviewed(result, fixes, Exit.DEADLINE if late else Exit.INCONCLUSIVE, f"the reviewer gave no result: {result.error}")
    return Reviewed(result, fixes)


def _over(config: CodeReview) -> str:
    return f"findings at or above {config.finding_threshold}"


def _remember(engine: Engine, trigger: TriggerType, epic: str, result: CumulativeReviewResult) -> None:
    """The next review begins where this one ended; a session's begins at its issue's first commit, whatever was reviewed."""
    if trigger == "session_end" or not engine.run.run_id or not result.new_baseline_commit:
        return
    key = baseline_key(trigger, epic)
    try:
        before = engine.run.last_cumulative_review_commits.get(key, "")
        old, new = advance(engine.store, engine.git, key, before, result.new_baseline_commit, engine.run.run_id)
        engine.log(events.advanced(trigger, old, new))
    except GateError as error:
        engine.log(Event("WARN", f"could not record the reviewed commit: {error.message}"))


def _mend(engine: Engine, trigger: TriggerType, result: CumulativeReviewResult) -> Mended:
    """Let the fixer try once; `trouble` says why there is nothing new to review."""
    settings = engine.config.remediation
    key = "resume" if trigger == "session_end" else "fixer"
    argv: tuple[str, ...] = getattr(settings, key)
    if not argv:
        return Mended(False, f"no fixer was run: remediation.{key} is not set", ran=False)
    if why := engine.refusal(argv):
        return Mended(False, f"no fixer was run: {why}", ran=False)
    if result.report is None:
        return Mended(False, "no fixer was run: there is no report", ran=False)
    engine.log(Event("INFO", f"running remediation.{key}"))
    mended = mend(argv, findings_task(result.report), engine.git, engine.world, settings.timeout)
    if mended.trouble:
        engine.log(Event("WARN", mended.trouble))
    return mended if mended.progress or not mended.ran else replace(mended, trouble=_NO_PROGRESS)
