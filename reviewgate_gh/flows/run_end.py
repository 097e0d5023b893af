"""The end of a run: first the epics that are complete and have not fired, then the run itself, once."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..model.errors import UsageError
from ..model.event import Event
from ..model.exits import Exit
from ..model.run import RunMetadata
from ..model.values import dataclass
from ..reporters._words import counted
from ..steps.epics import tally
from ..system.jobs import wait_free
from ..system.locks import locked
from ..system.site import Site
from .epics import epics_above
from .remediation import FIXER
from .runs import current, remember
from .triggers import Engine, Fired, Occurrence, fire

_LOCK = "run_end.lock"  # held while a run ends, so that no other command fires the same beside it


@dataclass(frozen=True, slots=True)
class Counts:
    """Issues of the run; None: as far as the run remembers."""

    succeeded: int | None = None
    failed: int | None = None


def end(engine: Engine, counts: Counts, epics: Iterable[str] = ()) -> tuple[Fired, ...]:
    """Fire what is due, in order, until something ends the run. A run that has ended well fires nothing more.

    Raises:
        UsageError: there is no run, or another command is ending it.
        GateError: as `fire`.
    """
    current(engine.store)
    if FIXER in engine.world.env:
        return (Fired("run_end", False, "a fixer session fires only session_end"),)
    lock = engine.store.folder / _LOCK
    with locked(lock, 0) as ours:
        if not ours and not wait_free(lock, 0):  # a folder without room for a lock holds up no end
            raise UsageError("another process is already ending this run", "to see its state: reviewgate-gh orchestrate status")
        return _end(engine, current(engine.store), counts, tuple(epics))


def _end(engine: Engine, run: RunMetadata, counts: Counts, epics: tuple[str, ...]) -> tuple[Fired, ...]:
    if run.ended:
        return (Fired("run_end", False, f"the run already ended at {run.ended}"),)
    done: list[Fired] = []
    pending, untold = _pending(replace(engine, run=run), epics)
    for fired in _each(replace(engine, run=run), counts, pending):
        done.append(fired)
        if fired.exit:
            return tuple(done)
    if untold:
        engine.log(
            Event("WARN", "the run stays open because its epics could not be read: run orchestrate end again when the tracker works")
        )
    else:
        _ended(engine, run)
    return tuple(done)


def _each(engine: Engine, counts: Counts, epics: tuple[str, ...]) -> Iterator[Fired]:
    for epic in epics:
        fired = fire(engine, Occurrence("epic_completion", epic_id=epic))
        yield replace(fired, why=f"{epic}: {fired.why}" if fired.why else epic)
    now = replace(engine, run=current(engine.store))
    succeeded, failed = tally(len(now.run.issues), len(now.run.failed), counts.succeeded, counts.failed)
    now.log(Event("INFO", f"ending the run: {counted(succeeded, 'issue')} succeeded, {failed} failed"))
    yield fire(now, Occurrence("run_end", succeeded=succeeded, failed=failed))


def _pending(engine: Engine, named: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The epics of the run, of its issues by the tracker's word, and those that the caller names, but for those that are done.

    And whether the tracker could not tell of some.
    """
    if engine.settled.triggers.epic_completion is None:
        return (), False
    site = Site(engine.git, engine.world, [])
    known = epics_above(engine.run.issues, engine.config, site)
    for text in site.told:
        engine.log(Event("WARN", text))
    every = dict.fromkeys((*known, *engine.run.epics, *named))
    return tuple(name for name in every if name not in engine.run.completed), bool(site.told)


def _ended(engine: Engine, run: RunMetadata) -> None:
    try:
        remember(engine.store, run, lambda run: replace(run, ended=engine.world.now()))
    except UsageError as error:
        engine.log(Event("WARN", f"could not record the end of the run: {error.message}"))


def worst(fired: Iterable[Fired]) -> Exit:
    """The exit code of several triggers, of which the last alone can have failed."""
    return next((each.exit for each in reversed([*fired]) if each.exit), Exit.OK)
