"""The commits of a range."""

import os
import re

from ...model.change import Commit
from .batch import contents
from .door import Git

_MOST = 10_000
_SHORT = 8  # commits in a line, which are read without a process of their own
# A commit whose subject and author need no interpretation: one parent at most, one address, a subject of one line.
_PLAIN = re.compile(
    rb"tree [0-9a-f]+\n(?:parent (?P<parent>[0-9a-f]+)\n)?author [^<>\n]*<(?P<author>[^<>\n]*)> \d+ [+-]\d{4}\n"
    rb"committer [^\n]+\n\n(?P<subject>[!-~](?:[ -~]*[!-~])?)(?:\n|\n\n.*)?",
    re.DOTALL,
)


def commits_between(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    """Commits reachable from head and not from base, newest first; head is a commit, base may be the empty tree."""
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
    text = os.fsdecode(git.run("rev-list", f"--max-count={_MOST}", "--no-commit-header", "--format=%H%x1f%ae%x1f%s%x1e", head, *since))
    rows = (row.strip("\n").split("\x1f", 2) for row in text.split("\x1e"))
    return tuple(Commit(oid, subject, author) for oid, author, subject in (row for row in rows if len(row) == 3))
