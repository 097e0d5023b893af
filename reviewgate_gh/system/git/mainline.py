"""The last steps of a branch, as its first parents tell them."""

from ...model.change import Commit
from .door import Git
from .history import list_commits


def last_steps(git: Git, head: str, count: int, merges: bool) -> tuple[Commit, ...]:
    """The last `count` merges, or all commits but merges, of the first-parent history; newest first."""
    which = "--merges" if merges else "--no-merges"
    rows = list_commits(git, ("%s",), "--first-parent", which, f"--max-count={count}", head)
    return tuple(Commit(oid, subject) for oid, subject in rows)
