"""Triggers, for orchestrators: open a context where the work is done, and fire the events.

    context = open_trigger_context(git, environment, open_run_store(git), TriggerOptions())
    result = fire_trigger(context, TriggerEvent("session_end", issue_id="bd-7"))
    if result.exit: ...  # the run ends here

Commands come first, the review after them; what the review finds is in the tracker before anybody
fixes it.
"""

from msgspec.structs import replace

from ..epics.task import find_epic
from ..epics.verify import verify_completed_epic
from ..issues.epics import completion_obstacle, count_issues, should_fire
from ..issues.tracked import Workspace
from ..model.epic_verification import EpicResult
from ..model.errors import Exit, GateError
from ..model.run import CumulativeReviewResult, LogEvent, RunMetadata
from ..model.triggers import CodeReview, EpicCompletion, RunEnd, Trigger, TriggerType
from ..reporters._words import count_noun
from ..system.files import review_path
from .commands import run_trigger_commands
from .remediation import FIXER_VARIABLE
from .review import review_until_decided
from .runs import update_run
from .trigger_context import TriggerContext, TriggerOptions, open_trigger_context
from .trigger_outcome import TriggerEvent, TriggerResult

__all__ = [
    "TriggerContext",
    "TriggerEvent",
    "TriggerOptions",
    "TriggerResult",
    "fire_trigger",
    "open_trigger_context",
]


def fire_trigger(context: TriggerContext, event: TriggerEvent) -> TriggerResult:
    """Run the trigger's commands, then its review, and record the result in the run.

    Raises:
        ConfigError, UsageError: a mistake of the user's, such as an unknown command.
        NoReviewers, InternalError: a failure that no failure mode covers.
    """
    fixing = FIXER_VARIABLE in context.environment.variables
    if fixing and event.trigger != "session_end":
        return TriggerResult(event.trigger, False, "a fixer session fires only session_end")
    if why := _aborted(context.run, event):
        return TriggerResult(event.trigger, False, why, exit=Exit.BLOCK)
    trigger = context.effective_triggers.triggers.trigger_of(event.trigger)
    if why := _not_due(context, event, trigger):
        return TriggerResult(event.trigger, False, why)
    config = None if fixing else context.review_of(event.trigger)
    if trigger is None and config is None:
        why = f"validation_triggers.{event.trigger} is not set"
        return TriggerResult(event.trigger, False, why)
    result = run_trigger_commands(context, trigger, TriggerResult(event.trigger, True))
    if result.exit and trigger is not None and trigger.failure_mode == "abort":
        return _noted(context, event, result)
    epic = _verified(context, event)
    if epic is not None and epic.aborts:
        why = f"the epic {event.epic_id} is not verified: {epic.message or epic.reason}"
        stopped = replace(result, epic=epic).stopped(epic.exit, why, aborts=True)
        return _noted(context, event, stopped)
    if config:
        result = _reviewed(context, config, event, result)
    elif not fixing and _is_review_disabled(context, event.trigger):
        result = replace(result, review=CumulativeReviewResult("skipped", skip_reason="disabled"))
    return _noted(context, event, replace(result, epic=epic))


def _reviewed(
    context: TriggerContext, config: CodeReview, event: TriggerEvent, result: TriggerResult
) -> TriggerResult:
    """The result with that of the trigger's review; the run remembers an error that ends it."""
    try:
        return review_until_decided(context, config, event, result)
    except GateError as error:
        _noted(context, event, result.stopped(error.exit, error.message, aborts=True))
        raise


def _aborted(run: RunMetadata, event: TriggerEvent) -> str:
    """Why nothing more happens in this run; "" where it was not aborted, and for the event that
    aborted it, which may be tried again."""
    if not run.aborted or _has_aborted(run, event):
        return ""
    return f"the run was aborted by {run.aborted}; to resume it: {run.resume_command}"


def _has_aborted(run: RunMetadata, event: TriggerEvent) -> bool:
    return run.aborted.startswith(f"{event.name}: ")


def _is_review_disabled(context: TriggerContext, trigger: TriggerType) -> bool:
    """The caller has disabled the configured review."""
    return not context.options.review and context.effective_triggers.review_of(trigger) is not None


def _verified(context: TriggerContext, event: TriggerEvent) -> EpicResult | None:
    """What the verification of a completed epic came to; None where none is wanted. Where nobody
    wrote how epics are verified, a missing verifier is reported and the review goes on."""
    if event.trigger != "epic_completion" or not context.config.epic_verification.enabled:
        return None
    result = verify_completed_epic(context, event.epic_id)
    is_written = any("epic_verification" in each for each in context.written_config)
    return (
        result if is_written or result.reason != "config_error" else replace(result, aborts=False)
    )


def _not_due(context: TriggerContext, event: TriggerEvent, trigger: Trigger | None) -> str:
    if isinstance(trigger, RunEnd):
        _succeeded, failed = count_issues(
            len(context.run.issues), len(context.run.failed), event.succeeded, event.failed
        )
        return (
            ""
            if should_fire(trigger.fire_on, failed)
            else f"fire_on is {trigger.fire_on}, and {count_noun(failed, 'issue')} failed"
        )
    if isinstance(trigger, EpicCompletion):
        return _epic_not_due(context, event, trigger)
    return ""


def _epic_not_due(context: TriggerContext, event: TriggerEvent, trigger: EpicCompletion) -> str:
    """If the tracker cannot report the epic's state, the caller decides."""
    workspace = Workspace(context.git, context.environment, [])
    try:
        epic = find_epic(event.epic_id, context.config, workspace)
    except (GateError, OSError) as error:
        context.log(
            LogEvent(
                "WARN", f"could not read the state of {event.epic_id} from the tracker: {error}"
            )
        )
        epic = None
    return completion_obstacle(epic, trigger, context.run.failed, event.succeeded, event.failed)


def _noted(context: TriggerContext, event: TriggerEvent, result: TriggerResult) -> TriggerResult:
    """The run remembers which sessions failed, which epics are done, what aborted it, and where its
    last report is."""
    if not context.run.run_id or FIXER_VARIABLE in context.environment.variables:
        return result
    report = result.review.report if result.review else None
    path = (
        str(review_path(context.git.common, report.review_id))
        if report
        else context.run.review_log_path
    )

    def change(before: RunMetadata) -> RunMetadata:
        # Another session may have aborted the run while this one was at work
        aborted = "" if _has_aborted(before, event) else before.aborted
        if result.aborts:
            aborted = f"{event.name}: {result.reason}"
        run = replace(before, review_log_path=path, aborted=aborted)
        if event.trigger == "session_end":
            others = tuple(name for name in run.failed if name != event.issue_id)
            return replace(run, failed=(*others, event.issue_id) if result.exit else others)
        if event.trigger == "epic_completion":
            epics = tuple(dict.fromkeys((*run.epics, event.epic_id)))
            unknown = (
                result.epic is not None
                and result.epic.reason == "execution_error"
                and not result.epic.attempts
            )
            # An epic of unknown state is tried again at the end
            done = () if result.exit or unknown else (event.epic_id,)
            return replace(
                run, epics=epics, completed=tuple(dict.fromkeys((*run.completed, *done)))
            )
        return run

    try:
        update_run(context.store, context.run, change)
    except GateError as error:
        context.log(LogEvent("WARN", f"could not record this in the run: {error.message}"))
    return result
