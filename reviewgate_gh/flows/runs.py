"""A run is started or resumed, and what it has recorded moves forward."""

from collections.abc import Callable
from dataclasses import replace

from ..model.errors import UsageError
from ..model.run import RunMetadata
from ..model.values import dataclass
from ..system.git import Git
from ..system.git.baselines import is_ancestor
from ..system.run_metadata import goes_on
from ..system.run_store import RunStore
from ..system.world import World

CLI_KEY = "review"  # what `review --since-last` has reviewed


@dataclass(frozen=True, slots=True)
class Started:
    """The run, whether it was resumed, and whether its start commit could only be recorded now."""

    run: RunMetadata
    resumed: bool
    late: bool = False


def start(
    store: RunStore, git: Git, world: World, issues: tuple[str, ...] = (), epics: tuple[str, ...] = (), *, fresh: bool = False,
    review_enabled: bool = True,
) -> Started:  # fmt: skip
    """Start a run over these issues at HEAD, or resume the existing one over the same issues.

    Raises:
        UsageError: there is no commit yet, or the run cannot be written down.
    """
    import uuid

    head = git.resolve("HEAD")
    if not head:
        raise UsageError("there is no commit yet", "make a commit first: a run starts at one")
    found: list[Started] = []

    def begin(before: RunMetadata | None) -> RunMetadata:
        if before is None or not goes_on(before, issues, fresh):
            run = RunMetadata(str(uuid.uuid4()), head, issues=issues, epics=epics, started=world.now(), review_enabled=review_enabled)
            run = replace(run, last_cumulative_review_commits=_by_hand(before))
            found.append(Started(run, False))
            return run
        every = tuple(dict.fromkeys((*before.epics, *epics)))
        first = before.run_start_commit or head
        run = replace(before, run_start_commit=first, epics=every, ended="", review_enabled=review_enabled)
        found.append(Started(run, True, before.run_start_commit is None))
        return run

    store.update(begin)
    return found[-1]


def _by_hand(before: RunMetadata | None) -> dict[str, str]:
    """Where the next review by hand starts. It belongs to no run: a new run must not move it past commits that were not reviewed."""
    last = before.last_cumulative_review_commits.get(CLI_KEY) if before else None
    return {CLI_KEY: last} if last else {}


def current(store: RunStore) -> RunMetadata:
    """The run that was started here.

    Raises:
        UsageError: no run was started.
    """
    run = store.load()
    if run is None or not run.run_id:
        said = "; ".join([f"no run has been started here ({store.path})", *store.told])
        raise UsageError(said, "to start one: reviewgate-gh orchestrate start")
    return run


def advance(store: RunStore, git: Git, key: str, before: str, reviewed: str, run_id: str = "") -> tuple[str, str]:
    """Remember what was reviewed last under this key: what was there and what is now.

    Where another command has moved it meanwhile, from `before` to a commit that includes this one, that stays. With a `run_id` only
    this run remembers it.

    Raises:
        UsageError: it cannot be written, or a different run has started since.
    """
    old: list[str] = []

    def move(run: RunMetadata | None) -> RunMetadata:
        mine = run or RunMetadata()
        if run_id and mine.run_id != run_id:
            raise UsageError("another run has been started since", "to see it: reviewgate-gh orchestrate status")
        there = mine.last_cumulative_review_commits.get(key, "")
        old.append(there)
        if there not in ("", before) and is_ancestor(git, reviewed, there):
            return mine
        return replace(mine, last_cumulative_review_commits={**mine.last_cumulative_review_commits, key: reviewed})

    moved = store.update(move).last_cumulative_review_commits[key]
    return old[-1], moved


def remember(store: RunStore, run: RunMetadata, change: Callable[[RunMetadata], RunMetadata]) -> RunMetadata:
    """Change the run on disk, if it is still this one; as it is then.

    Raises:
        UsageError: it cannot be written.
    """
    return store.update(lambda there: change(there) if there and there.run_id == run.run_id else there or run)
