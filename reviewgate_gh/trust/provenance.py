"""Where commits come from: the branch whose settings count, and what the reflog says about who made
a commit.

The reflog is weak evidence: rebase, cherry-pick and `am` make commits here that somebody else
wrote, and author names are free text. So it never lets anything run or loosens anything by itself;
approvals by content do (`system/approvals.py`).
"""

import re

from ..git import Git
from ..git.ranges import merge_base, remote_branches, remote_default

# A reflog action that made the commit here. Fast-forwards, resets, checkouts and clones only moved
# a name; the name of a fetched branch stands in the action too, and can hold anything but a space.
_MADE = re.compile(
    r"(?:commit(?: \([a-z-]+\))?|cherry-pick|revert|am|rebase(?: -i)? "
    r"\((?!start|finish|abort)[a-z]+\)|pull .* \(pick\)):"
    r"(?! [Ff]ast-forward$)|merge .*: Merge made"
)
_MOST_ABOVE = 10_000  # commits; who has more of them on no remote waits no longer
_LIMIT = "--max-count=20000"
_USUAL = ("origin", "upstream")


def trusted_branch(git: Git, recorded: str) -> tuple[str, str]:
    """Name and commit of the branch whose settings count; two empty texts where there is none.

    It is the recorded one. Where none was recorded it is the default branch of `origin`, else of
    `upstream`, else of the remote that the configuration names first, which a clone wrote: one that
    is added later may be anybody's.
    """
    if recorded:
        return recorded, git.resolve(recorded) or ""
    names = git.text("remote").splitlines()
    oldest = [name for name, _url in git.remotes if name in names][:1] or names[:1]
    for remote in [name for name in _USUAL if name in names] or oldest:
        if found := remote_default(git, remote):
            return f"refs/remotes/{found[0]}", found[1]
    return "", ""


def settings_side(git: Git, base: str, recorded: str) -> str:
    """The commit whose settings count for a change from `base` that nobody has approved.

    That is the base where the trusted branch holds it, else the commit at which the base left that
    branch; without a common history the branch's tip. A recorded branch that is gone leaves no
    settings at all. Without any such branch it is the base.
    """
    name, commit = trusted_branch(git, recorded)
    if not name or base == commit:
        return base
    if not commit:
        return git.empty_tree
    return (git.resolve(base) and merge_base(git, base, commit)) or commit


def commits_made_here(git: Git) -> frozenset[str]:
    """The commits that were made in this clone, by the configured author."""
    _name, email = git.user
    if not email:
        return frozenset()
    # The author comes last: a commit from elsewhere may hold any character in it, the reflog's own
    # words no tab and no newline.
    rows = git.text(
        "log", "--walk-reflogs", "--all", _LIMIT, "--format=%H%x09%gs%x09%ae", ok=(0, 128)
    ).split("\n")
    parts = ([*row.split("\t", 2), "", ""][:3] for row in rows)
    return frozenset(
        oid for oid, action, author in parts if author == email and _MADE.match(action)
    )


def is_users_base(git: Git, base: str) -> bool:
    """What lies under the change is the user's too: one of their remotes has it, or they made it;
    it is not a checked-out stranger's.

    Their remotes are `origin` and `upstream`, or all where there are only others.
    """
    known = set(git.text("remote").splitlines())
    remotes = sorted(known & {"origin", "upstream"} or known)
    if not remotes or base == git.empty_tree:
        return True
    rows = git.text(
        "rev-list",
        f"--max-count={_MOST_ABOVE}",
        base,
        "--not",
        *(word for name in remotes for word in remote_branches(git, name)),
    )
    return set(rows.split()) <= commits_made_here(git)
