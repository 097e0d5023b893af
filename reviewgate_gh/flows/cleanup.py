"""What reviews of a target left behind is removed and named; a second run finds nothing, and what is not ours is not looked at."""

from collections.abc import Iterator

from ..reporters._doors import line
from ..system.git import Git
from ..system.git.kept import drop_refs
from ..system.git.worktrees import drop_worktrees
from ..system.lease import drop_stale
from ..system.outbox import drop_intents
from ..system.targets import check_target, drop_files


def cleanup(git: Git, target: str) -> tuple[str, ...]:
    """Remove the target's worktrees, refs, files and unanswered requests, and what killed runs left of any.

    A sentence for each, and for what had to stay.

    Raises:
        UsageError: it is no name of a target, or something cannot be removed.
    """
    said = tuple(line(text, 400) for text in _removed(git, check_target(target)))
    return said or ("nothing to clean up",)


def _removed(git: Git, target: str) -> Iterator[str]:
    trees = drop_worktrees(git, target)
    yield from (f"removed the worktree {path}" for path in trees.removed)
    yield from (f"left the worktree {path} alone: {why}" for path, why in trees.left.items())
    yield from (f"removed the ref {name}" for name in drop_refs(git, target))
    yield from (f"removed {path}" for path in (*drop_files(git.common, target), *drop_intents(git.common, target)))
    yield from (f"removed {path}, left behind by a killed run" for path in drop_stale())
