"""The last steps of a branch, as its first parents tell them."""

import os

from ...model.change import Commit
from .door import Git


def last_steps(git: Git, head: str, count: int, merges: bool) -> tuple[Commit, ...]:
    """The last `count` merges, or all commits but merges, of the first-parent history; newest first."""
    which = "--merges" if merges else "--no-merges"
    options = ("--first-parent", which, f"--max-count={count}", "--no-commit-header", "--format=%H%x1f%s%x1e")
    rows = (row.strip("\n").partition("\x1f") for row in os.fsdecode(git.run("rev-list", *options, head)).split("\x1e"))
    return tuple(Commit(oid, subject) for oid, _, subject in rows if oid)
