"""From a range to a change: the diff, its commits, and whose work it is."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..model.approvals import Approvals
from ..model.change import MOST_COMMITS, Change, Commit, FileDiff
from ..model.selection import Range, Selection
from ..model.values import dataclass
from ..steps.diff import parse, parse_raw, portions
from ..system.approvals import load_approvals
from ..system.git import Git
from ..system.git.diff import Diff, diff_trees
from ..system.git.history import commits_between
from ..system.git.ranges import find_range
from ..system.git.trust import made_here, settings_side, trusted_branch
from ..system.together import Later, once
from ..system.world import World
from .unmask import unmask


@dataclass(frozen=True, slots=True)
class Loading:
    """A change that git is still writing down: `listed` has its files without hunks, `whole` waits for all of it."""

    listed: Change
    whole: Callable[[], Change]


def load_change(git: Git, wanted: Range, world: World, trusted: bool) -> Change:
    """The change of a range, with everything."""
    return begin_change(git, wanted, world, trusted).whole()


def begin_change(git: Git, wanted: Range, world: World, trusted: bool) -> Loading:
    """The change of a range, as soon as its files are known.

    Trusted: the user said so, or has approved the tree of its head (never in CI). Who made the commits decides nothing here.
    """
    diff = Diff(git, wanted.base, wanted.head)
    listing = Later(lambda: tuple(parse_raw(diff.records())[0]))
    patch = Later(_patches, git, wanted, diff, listing)
    side = Later(_side, git, wanted, world, trusted)
    made = Later(made_here, git) if not (trusted or world.in_ci or wanted.whole or wanted.local or wanted.foreign) else None
    commits = () if wanted.local or wanted.whole else commits_between(git, wanted.base, wanted.head)
    approved, rules, approvals = side.result()
    listed = Change(
        repo=str(git.directory),
        base=wanted.base,
        head=wanted.head,
        trusted=approved,
        own=approved or (wanted.local and not world.in_ci) or (made is not None and _all_of(commits, made.result())),
        rules=rules,
        approvals=approvals,
        commits=commits,
        files=listing.result(),
        notes=wanted.notes,
        whole=wanted.whole,
    )
    return Loading(listed, once(lambda: replace(listed, files=_with_hunks(git, listed, patch.result()))))


def _side(git: Git, wanted: Range, world: World, trusted: bool) -> tuple[bool, str, Approvals]:
    """Whether the change is approved, the revision whose settings count, and the approvals of this clone.

    In CI that is the base, which the workflow's event names; a whole tree has none, so its own settings serve.
    """
    if trusted:
        return True, wanted.head, Approvals()
    if world.in_ci or wanted.foreign:
        return False, wanted.head if wanted.whole else wanted.base, Approvals()
    approvals = load_approvals(git)
    if approvals.trees and git.resolve(wanted.head, "tree") in approvals.trees:
        return True, wanted.head, approvals
    if wanted.whole:
        name, commit = trusted_branch(git, approvals.branch)
        return False, commit or (git.empty_tree if name else wanted.head), approvals
    return False, settings_side(git, wanted.base, approvals.branch), approvals


def begin_selected(git: Git, selection: Selection, world: World, trusted: bool) -> tuple[Range, Loading | None]:
    """The same for what the command line selects; nothing is read for an overridden run."""
    wanted = find_range(git, selection)
    return wanted, None if world.overridden else begin_change(git, wanted, world, trusted)


def diff_between(git: Git, base: str, head: str) -> tuple[FileDiff, ...]:
    """The files that differ between two commits, with their hunks."""
    return unmask(git, base, head, parse(diff_trees(git, base, head)))


def _all_of(commits: Sequence[Commit], made: frozenset[str]) -> bool:
    return 0 < len(commits) <= MOST_COMMITS and all(commit.oid in made for commit in commits)


def _patches(git: Git, wanted: Range, diff: Diff, listing: Later[tuple[FileDiff, ...]]) -> list[bytes]:
    """The patch; git makes that of a large change in several portions at once."""
    parts = portions(listing.result(), os.cpu_count() or 1)
    if len(parts) < 2:
        return [diff.whole()]
    diff.stop()
    patches = [Later(diff_trees, git, wanted.base, wanted.head, True, paths) for paths in parts]
    return [patch.result() for patch in patches]


def _with_hunks(git: Git, listed: Change, patches: list[bytes]) -> tuple[FileDiff, ...]:
    """The changed files whole: read when they are wanted, since until then there is enough else to do."""
    read = {file.path: file for patch in patches for file in parse(patch)}
    patches.clear()  # the only user: a large change takes many megabytes
    return unmask(git, listed.base, listed.head, tuple(read[file.path] for file in listed.files))
