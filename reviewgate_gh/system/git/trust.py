"""Whose commits these are. Trust belongs to commits that the user made in this very clone; the reflog is the evidence."""

import re
from collections.abc import Iterable

from .door import Git

# A reflog action that made the commit here. Fast-forwards, resets, checkouts and clones only moved a name; the name of a
# fetched branch stands in the action too, and can hold anything but a space.
_MADE = re.compile(
    r"(?:commit(?: \([a-z-]+\))?|cherry-pick|revert|am|rebase(?: -i)? \((?!start|finish|abort)[a-z]+\)|pull .* \(pick\)):"
    r"(?! [Ff]ast-forward$)|merge .*: Merge made"
)
_LIMIT = "--max-count=20000"


def made_here(git: Git, commits: Iterable[str]) -> bool:
    """There are such commits, and every one was made in this clone, by the configured author."""
    wanted = set(commits)
    _name, email = git.user
    if not wanted or not email:
        return False
    # The author comes last: a commit from elsewhere may hold any character in it, the reflog's own words no tab and no newline.
    rows = git.text("log", "--walk-reflogs", "--all", _LIMIT, "--format=%H%x09%gs%x09%ae", ok=(0, 128)).split("\n")
    for row in rows:
        oid, action, author = [*row.split("\t", 2), "", ""][:3]
        if author == email and _MADE.match(action):
            wanted.discard(oid)
    return not wanted
