"""The commits of a range."""

import os

from ...model.change import Commit
from ...model.errors import InternalError
from .door import Git

_MOST = 10_000


def list_commits(git: Git, fields: tuple[str, ...], *argv: str) -> list[list[str]]:
    """The ids of the commits that `rev-list` finds, each with these fields of git's formats.

    A line each: whoever makes a commit can put any character into its fields but a line break.
    """
    width = 1 + len(fields)
    said = git.run("rev-list", "--no-commit-header", f"--format={'%n'.join(('%H', *fields))}", *argv)
    lines = os.fsdecode(said).removesuffix("\n").split("\n") if said else []
    rows = [lines[at : at + width] for at in range(0, len(lines), width)]
    if any(len(row) != width or not git.is_id(row[0]) for row in rows):
        raise InternalError("git's list of commits is not what was asked for")
    return rows


def commits_between(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    """Commits reachable from head and not from base, newest first; head is a commit, base may be the empty tree."""
    since = [f"^{base}"] if base != git.empty_tree else []
    rows = list_commits(git, ("%ae", "%s"), f"--max-count={_MOST}", head, *since)
    return tuple(Commit(oid, subject, author) for oid, author, subject in rows)
