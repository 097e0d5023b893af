"""What of the work tree no commit holds, and where git would notice that."""

import os

from .door import Git

_STATUS = ("--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames")


def uncommitted(git: Git) -> tuple[str, ...]:
    """The tracked files that are not as HEAD has them, staged or not; submodules aside."""
    rows = git.run("status", *_STATUS, in_tree=True).split(b"\0")
    return tuple(os.fsdecode(row[3:]) for row in rows if row)


def watched(git: Git) -> frozenset[str]:
    """The files that git tracks and looks at: not those that are assumed unchanged or left out of a sparse checkout."""
    rows = git.run("ls-files", "-z", "-v", in_tree=True).split(b"\0")
    return frozenset(os.fsdecode(row[2:]) for row in rows if row.startswith(b"H "))
