"""The commits of a range."""

import os

from ...model.change import Commit
from .door import Git

_MOST = 10_000


def commits_between(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    """Commits reachable from head and not from base, newest first; head is a commit, base may be the empty tree."""
    since = [f"^{base}"] if base != git.empty_tree else []
    text = os.fsdecode(git.run("rev-list", f"--max-count={_MOST}", "--no-commit-header", "--format=%H%x1f%ae%x1f%s%x1e", head, *since))
    rows = (row.strip("\n").split("\x1f", 2) for row in text.split("\x1e"))
    return tuple(Commit(oid, subject, author) for oid, author, subject in (row for row in rows if len(row) == 3))
