"""From a range to a change: the diff, its commits, and whose work it is."""

import os

from ..model.change import Change, FileDiff
from ..model.selection import Range
from ..steps.diff import parse, parse_raw, portions
from ..system.git import Git
from ..system.git.diff import diff_trees
from ..system.git.history import commits_between
from ..system.git.trust import made_here
from ..system.together import Later
from ..system.world import World
from .unmask import unmask


def load_change(git: Git, wanted: Range, world: World, trusted: bool) -> Change:
    """The change of a range. Trusted: the user said so, or made every commit of it in this clone (never in CI).

    A whole tree has no base to take the config from, so its own serves.
    """
    files = Later(_files, git, wanted.base, wanted.head)  # the long part; whose work it is can be found out meanwhile
    commits = () if wanted.local or wanted.whole else commits_between(git, wanted.base, wanted.head)
    mine = trusted or (not world.in_ci and not wanted.whole and (wanted.local or made_here(git, (c.oid for c in commits))))
    return Change(
        repo=str(git.directory),
        base=wanted.base,
        head=wanted.head,
        trusted=mine,
        rules=wanted.head if mine or wanted.whole else wanted.base,
        commits=commits,
        files=unmask(git, wanted.base, wanted.head, files.result()),
        notes=wanted.notes,
        whole=wanted.whole,
    )


def _files(git: Git, base: str, head: str) -> tuple[FileDiff, ...]:
    """The changed files; git makes the patch of a large change in several portions at once."""
    listed, _end = parse_raw(diff_trees(git, base, head, patch=False))
    parts = portions(listed, os.cpu_count() or 1)
    if len(parts) < 2:
        return parse(diff_trees(git, base, head))
    patches = [Later(diff_trees, git, base, head, True, paths) for paths in parts]
    read = {file.path: file for patch in patches for file in parse(patch.result())}
    return tuple(read[file.path] for file in listed)
