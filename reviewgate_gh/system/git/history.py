"""The commits of a range."""

import os
import re

from ...model.change import MOST_COMMITS, Commit
from ...model.errors import InternalError
from .batch import contents
from .door import Git

_SHORT = 8  # commits in a line, which are read without a process of their own
# A commit whose subject and author need no interpretation: one parent at most, one address, a subject of one line.
_PLAIN = re.compile(
    rb"tree [0-9a-f]+\n(?:parent (?P<parent>[0-9a-f]+)\n)?author [^<>\n]*<(?P<author>[^<>\n]*)> \d+ [+-]\d{4}\n"
    rb"committer [^\n]+\n\n(?P<subject>[!-~](?:[ -~]*[!-~])?)(?:\n|\n\n.*)?",
    re.DOTALL,
)


def list_commits(git: Git, fields: tuple[str, ...], *argv: str) -> list[list[str]]:
    """The ids of the commits that `rev-list` finds, each with these fields of git's formats.

    A line each: whoever makes a commit can put any character into its fields but a line break.
    """
    width = 1 + len(fields)
    said = git.run("rev-list", "--no-commit-header", f"--format={'%n'.join(('%H', *fields))}", *argv)
    lines = os.fsdecode(said).removesuffix("\n").split("\n") if said else []
    rows = [lines[at : at + width] for at in range(0, len(lines), width)]
    if any(len(row) != width or not git.is_id(row[0]) for row in rows):
        raise InternalError("git printed an unexpected list of commits")
    return rows


def commits_between(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    """Commits reachable from head and not from base, newest first, `MOST_COMMITS` and one more at most.

    head is a commit, base may be the empty tree.
    """
    line = _line(git, base, head)
    return _listed(git, base, head) if line is None else line


def _line(git: Git, base: str, head: str) -> tuple[Commit, ...] | None:
    """Those of a short line of plain commits; None where it is something else."""
    found: list[Commit] = []
    at = head
    while at != base:
        known = contents(git, [at])[0] if len(found) < _SHORT else None
        plain = _PLAIN.fullmatch(known.data) if known and known.kind == "commit" else None
        if not plain:
            return None
        found.append(Commit(at, plain["subject"].decode(), os.fsdecode(plain["author"])))
        at = plain["parent"].decode() if plain["parent"] else git.empty_tree
    return tuple(found)


def _listed(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    since = [f"^{base}"] if base != git.empty_tree else []
    options = ("--date-order", f"--max-count={MOST_COMMITS + 1}")  # by this order no clock puts a commit before its parents
    rows = list_commits(git, ("%ae", "%s"), *options, head, *since)
    return tuple(Commit(oid, subject, author) for oid, author, subject in rows)
