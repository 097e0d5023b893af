"""Whose commits these are. Trust belongs to commits that the user made in this very clone; the reflog is the evidence."""

import re

from .door import Git
from .ranges import refs_of

# A reflog action that made the commit here. Fast-forwards, resets, checkouts and clones only moved a name; the name of a
# fetched branch stands in the action too, and can hold anything but a space.
_MADE = re.compile(
    r"(?:commit(?: \([a-z-]+\))?|cherry-pick|revert|am|rebase(?: -i)? \((?!start|finish|abort)[a-z]+\)|pull .* \(pick\)):"
    r"(?! [Ff]ast-forward$)|merge .*: Merge made"
)
_MOST_ABOVE = 10_000  # commits; who has more of them on no remote waits no longer
_LIMIT = "--max-count=20000"


def made_here(git: Git) -> frozenset[str]:
    """The commits that were made in this clone, by the configured author."""
    _name, email = git.user
    if not email:
        return frozenset()
    # The author comes last: a commit from elsewhere may hold any character in it, the reflog's own words no tab and no newline.
    rows = git.text("log", "--walk-reflogs", "--all", _LIMIT, "--format=%H%x09%gs%x09%ae", ok=(0, 128)).split("\n")
    parts = ([*row.split("\t", 2), "", ""][:3] for row in rows)
    return frozenset(oid for oid, action, author in parts if author == email and _MADE.match(action))


def own_base(git: Git, base: str) -> bool:
    """What lies under the change is the user's too: one of their remotes has it, or they made it; it is not a checked-out stranger's.

    Their remotes are `origin` and `upstream`, or all where there are only others.
    """
    known = set(git.text("remote").splitlines())
    remotes = sorted(known & {"origin", "upstream"} or known)
    if not remotes or base == git.empty_tree:
        return True
    rows = git.text("rev-list", f"--max-count={_MOST_ABOVE}", base, "--not", *(word for name in remotes for word in refs_of(git, name)))
    return set(rows.split()) <= made_here(git)
