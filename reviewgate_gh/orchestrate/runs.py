"""Starting and continuing a run, and `review --since-last`, which continues where the last review
ended."""

import os.path
import sys
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git, open_repository
from ..git.history import has_commit, is_ancestor
from ..model.change import RunGrant, Selection
from ..model.errors import GateError, UsageError
from ..model.report import Outcome, Report
from ..model.run import RunMetadata
from ..system.environment import Environment
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line
from ..trust.approvals import change_grant, load_approvals
from .run_store import RunStore, continues_run, open_run_store
from .trigger_outcome import open_findings

_ADDRESS = lazy_pattern(r"[^\s/<>@]+@[^\s/<>@]+")
CLI_BASELINE_KEY = "review"  # what `review --since-last` has reviewed


class RunRequest(Struct, frozen=True):
    """The run that is asked for; `fresh`: a new one in any case. `agents` are the addresses, or the
    clones, whose commits belong to it."""

    issues: tuple[str, ...] = ()
    epics: tuple[str, ...] = ()
    fresh: bool = False
    review_enabled: bool = True
    agents: tuple[str, ...] = ()


def start_run(
    store: RunStore, git: Git, environment: Environment, wanted: RunRequest
) -> tuple[RunMetadata, RunMetadata | None]:
    """Start a run at HEAD, or resume that over the same issues: the run, and as it was before.

    Raises:
        UsageError: there is no commit yet, or the run cannot be written down.
    """
    head = git.resolve("HEAD")
    if not head:
        raise UsageError("there is no commit yet", "make a commit first: a run starts at one")
    resumed: list[RunMetadata] = []
    earlier: list[str] = []

    def begin(before: RunMetadata | None) -> RunMetadata:
        resumed.clear()
        if before is None or not continues_run(before, wanted.issues, wanted.fresh):
            earlier.append(before.run_id if before else "")
            return RunMetadata(
                str(uuid.uuid4()),
                head,
                _by_hand(before),
                wanted.issues,
                wanted.epics,
                started=environment.now(),
                review_enabled=wanted.review_enabled,
            )
        resumed.append(before)
        every = tuple(dict.fromkeys((*before.epics, *wanted.epics)))
        first = before.run_start_commit or head
        return replace(
            before,
            run_start_commit=first,
            epics=every,
            ended="",
            aborted="",
            review_enabled=wanted.review_enabled,
        )

    agents = _agents(git, environment, wanted.agents)
    run = store.update(begin)
    for run_id in earlier:
        end_grant(git, run_id)
    if agents:
        change_grant(
            git,
            run.run_id,
            lambda known: replace(known, agents=tuple(dict.fromkeys((*known.agents, *agents)))),
        )
    return run, resumed[0] if resumed else None


def _agents(git: Git, environment: Environment, wanted: Iterable[str]) -> tuple[str, ...]:
    """The agents as they are recorded: addresses as they are written, folders absolute.

    Raises:
        UsageError: one is neither an address nor a clone.
    """
    return tuple(_agent(git, environment, each) for each in wanted)


def _agent(git: Git, environment: Environment, agent: str) -> str:
    folder = environment.cwd / os.path.expanduser(agent)
    if _ADDRESS.fullmatch(agent) and not folder.exists():
        return agent
    try:
        return str(open_repository(folder, git.env).directory)
    except UsageError:
        raise UsageError(
            f"--agents {agent!r} is neither an e-mail address nor a clone",
            "name the author address of the agent's commits, or the folder of its clone",
        ) from None


def end_grant(git: Git, run_id: str) -> None:
    """What was granted to a run ends with it. A file that cannot be written is no matter: no other
    run has this id."""
    if run_id and load_approvals(git).grant_of(run_id) != RunGrant(run_id):
        with suppress(UsageError):
            change_grant(git, run_id, lambda _known: None)


def _by_hand(before: RunMetadata | None) -> dict[str, str]:
    """Where the next review by hand starts. It belongs to no run: a new run must not move it past
    commits that were not reviewed."""
    last = before.last_cumulative_review_commits.get(CLI_BASELINE_KEY) if before else None
    return {CLI_BASELINE_KEY: last} if last else {}


def current_run(store: RunStore) -> RunMetadata:
    """The run that was started here.

    Raises:
        UsageError: no run was started.
    """
    run = store.load()
    if run is None or not run.run_id:
        said = "; ".join([f"no run has been started here ({store.path})", *store.messages])
        raise UsageError(said, "to start one: reviewgate-gh orchestrate start")
    return run


class BaselineMove(Struct, frozen=True):
    """What was reviewed under a key, from `before` up to `reviewed`; `run_id`: by that run
    alone."""

    key: str
    before: str
    reviewed: str
    run_id: str = ""


def advance_baseline(store: RunStore, git: Git, move: BaselineMove) -> tuple[str, str]:
    """Remember what was reviewed last under this key: what was there and what is now.

    Where another command has moved it meanwhile to a commit that includes this one, that stays.

    Raises:
        UsageError: it cannot be written, or a different run has started since.
    """
    old: list[str] = []

    def moved(run: RunMetadata | None) -> RunMetadata:
        mine = run or RunMetadata()
        if move.run_id and mine.run_id != move.run_id:
            raise UsageError(
                "another run has been started since", "to see it: reviewgate-gh orchestrate status"
            )
        known = mine.last_cumulative_review_commits
        there = known.get(move.key, "")
        old.append(there)
        if there not in ("", move.before) and is_ancestor(git, move.reviewed, there):
            return mine
        return replace(mine, last_cumulative_review_commits={**known, move.key: move.reviewed})

    new = store.update(moved).last_cumulative_review_commits[move.key]
    return old[-1], new


def update_run(
    store: RunStore, run: RunMetadata, change: Callable[[RunMetadata], RunMetadata]
) -> RunMetadata:
    """Change the run on disk, if it is still this one; as it is then.

    Raises:
        UsageError: it cannot be written.
    """
    return store.update(
        lambda there: change(there) if there and there.run_id == run.run_id else there or run
    )


_OPEN = (
    "the next review --since-last starts at the same commit again: fix or waive the open findings"
)


def select_since_last(git: Git) -> Selection:
    """From the commit that was reviewed last, else the first of the run, to HEAD; without either
    what a plain review takes.

    Raises:
        UsageError: that commit is not here any more.
    """
    run = open_run_store(git).load()
    last = (
        (run.last_cumulative_review_commits.get(CLI_BASELINE_KEY) or run.run_start_commit)
        if run
        else None
    )
    if last and not has_commit(git, last):
        raise UsageError(
            f"the last reviewed commit, {last[:12]}, is not in this clone",
            "name a starting point: --base REF or --range A..B",
        )
    return Selection(range=f"{last}..HEAD") if last else Selection()


def nothing_open(report: Report) -> bool:
    """Everything was read, and no finding is open."""
    return (
        not report.skipped
        and report.verdict.outcome in (Outcome.PASS, Outcome.CONCERNS)
        and not open_findings(report)
    )


def record_reviewed(report: Report, before: Selection, git: Git) -> None:
    """The next review starts at this head if everything was read and no finding is open, else where
    this one started.

    A review by hand creates no issues, so its findings would be forgotten. A disk error does not
    change the verdict.
    """
    last = before.range.partition("..")[0]
    reviewed = (
        report.change.head if nothing_open(report) else last or git.resolve(report.change.base)
    )
    if not reviewed:  # from the empty tree, where a first review begins anyway
        return
    if report.verdict.outcome is Outcome.CONCERNS and reviewed != report.change.head:
        print(f"reviewgate-gh: {_OPEN}", file=sys.stderr)
    try:
        advance_baseline(open_run_store(git), git, BaselineMove(CLI_BASELINE_KEY, last, reviewed))
    except GateError as error:
        print(
            f"reviewgate-gh: could not record what was reviewed: {safe_line(error.message)}",
            file=sys.stderr,
        )
