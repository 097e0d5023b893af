"""Worktrees below our own folder: one of a run that is dead can go, one that is locked belongs to a run that is not."""

import os
from collections.abc import Mapping
from pathlib import Path

from ...model.values import dataclass
from ..store import HOME
from .door import Git, GitFailed


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was removed, and what had to stay and why."""

    removed: tuple[Path, ...]
    left: Mapping[Path, str]


def drop_worktrees(git: Git, target: str) -> Dropped:
    """Remove the target's worktrees: those named after it, or after it and a hyphen and more."""
    removed, left = [], {}
    for path, locked in _ours(git, target):
        if locked is not None:
            left[path] = f"it is locked ({locked or 'no reason given'})"
            continue
        try:
            git.run("worktree", "remove", "--force", "--", str(path))
            removed.append(path)
        except GitFailed as error:
            left[path] = error.message
    return Dropped(tuple(removed), left)


def _ours(git: Git, target: str) -> list[tuple[Path, str | None]]:
    """Path and lock of each that git knows of in our folder."""
    folder = git.common / HOME / "worktrees"
    blocks = os.fsdecode(git.run("worktree", "list", "--porcelain", "-z")).split("\0\0")
    rows = [dict(row.partition(" ")[::2] for row in block.split("\0") if row) for block in blocks]
    known = [(Path(row["worktree"]), row.get("locked")) for row in rows if "worktree" in row]
    return [(path, locked) for path, locked in known if path.parent == folder and f"{path.name}-".startswith(f"{target}-")]
