"""The end of a run: first the epics that are complete and have not fired, then the run itself,
once."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ..epics.task import find_parent_epics
from ..issues.epics import count_issues
from ..issues.tracked import Workspace
from ..model.errors import Exit, UsageError
from ..model.run import LogEvent, RunMetadata
from ..reporters._words import count_noun
from ..system.files import file_lock
from ..system.jobs import wait_for_job
from .remediation import FIXER_VARIABLE
from .runs import current_run, end_grant, update_run
from .triggers import TriggerContext, TriggerEvent, TriggerResult, fire_trigger

_LOCK = "run_end.lock"  # held while a run ends, so that no other command fires the same beside it


class IssueCounts(Struct, frozen=True):
    """Issues of the run; None: as far as the run remembers."""

    succeeded: int | None = None
    failed: int | None = None


def end_run(
    context: TriggerContext, counts: IssueCounts, epics: Iterable[str] = ()
) -> tuple[TriggerResult, ...]:
    """Fire what is due, in order, until something ends the run. A run that has ended well fires
    nothing more.

    Raises:
        UsageError: there is no run, or another command is ending it.
        GateError: as `fire`.
    """
    current_run(context.store)
    if FIXER_VARIABLE in context.environment.variables:
        return (TriggerResult("run_end", False, "a fixer session fires only session_end"),)
    lock = context.store.folder / _LOCK
    with file_lock(lock, 0) as ours:
        # A folder without room for a lock holds up no end
        if not ours and not wait_for_job(lock, 0):
            raise UsageError(
                "another process is already ending this run",
                "to see its state: reviewgate-gh orchestrate status",
            )
        return _end(context, current_run(context.store), counts, tuple(epics))


def _end(
    context: TriggerContext, run: RunMetadata, counts: IssueCounts, epics: tuple[str, ...]
) -> tuple[TriggerResult, ...]:
    if run.ended:
        return (TriggerResult("run_end", False, f"the run already ended at {run.ended}"),)
    done: list[TriggerResult] = []
    pending, untold = _pending(replace(context, run=run), epics)
    for fired in _each(replace(context, run=run), counts, pending):
        done.append(fired)
        if fired.exit:
            return tuple(done)
    if untold:
        context.log(
            LogEvent(
                "WARN",
                "the run stays open because its epics could not be read: run orchestrate end "
                "again when the tracker works",
            )
        )
    else:
        _ended(context, run)
    return tuple(done)


def _each(
    context: TriggerContext, counts: IssueCounts, epics: tuple[str, ...]
) -> Iterator[TriggerResult]:
    for epic in epics:
        fired = fire_trigger(context, TriggerEvent("epic_completion", epic_id=epic))
        yield replace(fired, reason=f"{epic}: {fired.reason}" if fired.reason else epic)
    now = replace(context, run=current_run(context.store))
    succeeded, failed = count_issues(
        len(now.run.issues), len(now.run.failed), counts.succeeded, counts.failed
    )
    now.log(
        LogEvent(
            "INFO", f"ending the run: {count_noun(succeeded, 'issue')} succeeded, {failed} failed"
        )
    )
    yield fire_trigger(now, TriggerEvent("run_end", succeeded=succeeded, failed=failed))


def _pending(context: TriggerContext, named: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The epics of the run, of its issues by the tracker's word, and those that the caller names,
    but for those that are done.

    And whether the tracker could not tell of some.
    """
    if context.effective_triggers.triggers.epic_completion is None:
        return (), False
    workspace = Workspace(context.git, context.environment, [])
    known = find_parent_epics(context.run.issues, context.config, workspace)
    for text in workspace.messages:
        context.log(LogEvent("WARN", text))
    every = dict.fromkeys((*known, *context.run.epics, *named))
    return tuple(name for name in every if name not in context.run.completed), bool(
        workspace.messages
    )


def _ended(context: TriggerContext, run: RunMetadata) -> None:
    try:
        update_run(context.store, run, lambda run: replace(run, ended=context.environment.now()))
        end_grant(context.git, run.run_id)
    except UsageError as error:
        context.log(LogEvent("WARN", f"could not record the end of the run: {error.message}"))


def worst_exit(result: Iterable[TriggerResult]) -> Exit:
    """The exit code of several triggers, of which the last alone can have failed."""
    return next((each.exit for each in reversed([*result]) if each.exit), Exit.OK)
