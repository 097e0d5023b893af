"""Whose commits these are. Trust belongs to commits that the user made in this very clone; the reflog is the evidence."""

import re
from collections.abc import Iterable

from .door import Git

# A reflog action that made the commit here. Fast-forwards, resets, checkouts and clones only moved a name.
_MADE = re.compile(
    r"(?:commit(?: \([a-z-]+\))?|cherry-pick|revert|am|rebase(?: -i)? \((?!start|finish|abort)[a-z]+\)|pull .*\(pick\)):"
    r"|merge .*: Merge made"
)
_LIMIT = "--max-count=20000"


def made_here(git: Git, commits: Iterable[str]) -> bool:
    """Every one of these commits was made in this clone, by the configured author."""
    wanted = set(commits)
    if not wanted:
        return True
    _name, email = git.user
    rows = git.text("log", "--walk-reflogs", "--all", _LIMIT, "--format=%H%x09%ae%x09%gs", ok=(0, 128)).splitlines()
    for row in rows:
        oid, author, action = [*row.split("\t", 2), "", ""][:3]
        if author == email and _MADE.match(action):
            wanted.discard(oid)
    return not wanted
