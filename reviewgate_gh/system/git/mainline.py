"""The last steps of a branch, as its first parents tell them."""

from ...model.change import Commit
from .door import Git
from .history import list_commits

_ONLY = {"changes": (), "merges": ("--merges",), "commits": ("--no-merges",)}


def last_steps(git: Git, head: str, count: int, kind: str) -> tuple[Commit, ...]:
    """The last `count` steps of the first-parent history, newest first: all changes, merges alone, or commits that are none."""
    rows = list_commits(git, ("%s",), "--first-parent", *_ONLY[kind], f"--max-count={count}", head)
    return tuple(Commit(oid, subject) for oid, subject in rows)
