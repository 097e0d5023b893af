"""Where commits come from: the branch whose settings count, and what the reflog says about who made
a commit; in an orchestrated run also whose commits belong to it.

The reflog is weak evidence: rebase, cherry-pick and `am` make commits here that somebody else
wrote, and author names are free text. So it never lets anything run or loosens anything by itself;
approvals by content do (`system/approvals.py`).
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from ..git import Git, open_repository
from ..git.history import commits_between
from ..git.ranges import merge_base, remote_branches, remote_default
from ..model.change import RunGrant
from ..model.errors import GateError
from ..text.patterns import lazy_pattern
from .approvals import change_grant, load_approvals

# A reflog action that made the commit here. Fast-forwards, resets, checkouts and clones only moved
# a name; the name of a fetched branch stands in the action too, and can hold anything but a space.
_MADE = lazy_pattern(
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


def commits_made_here(git: Git, run_id: str = "") -> frozenset[str]:
    """The commits that were made in this clone, by the configured author, and those that the grant
    of the run covers."""
    grant = load_approvals(git).grant_of(run_id) if run_id else RunGrant("")
    named = {git.user[1], *_addresses(grant)}
    made = {
        oid
        for clone in (git, *_clones(git, grant))
        for oid, by in _made(clone)
        if by and by in named | {clone.user[1]}
    }
    return grant.commits | made


def _made(git: Git) -> Iterator[tuple[str, str]]:
    """The commits that were made in a clone, with the address of their author."""
    # The author comes last: a commit from elsewhere may hold any character in it, the reflog's own
    # words no tab and no newline.
    rows = git.text(
        "log", "--walk-reflogs", "--all", _LIMIT, "--format=%H%x09%gs%x09%ae", ok=(0, 128)
    ).split("\n")
    for row in rows:
        oid, action, author = [*row.split("\t", 2), "", ""][:3]
        if _MADE.match(action):
            yield oid, author


def _addresses(grant: RunGrant) -> Iterator[str]:
    return (agent for agent in grant.agents if not Path(agent).is_absolute())


def _clones(git: Git, grant: RunGrant) -> Iterator[Git]:
    """The clones of a grant; one that is gone covers nothing."""
    for agent in grant.agents:
        if Path(agent).is_absolute():
            try:
                yield open_repository(Path(agent), git.env)
            except (GateError, OSError):
                continue


def grant_fixed(git: Git, run_id: str, before: str, after: str) -> None:
    """The commits between the two that were made in this clone, by whomever, belong to the run: its
    fixer made them, under a name of its own perhaps.

    Raises:
        UsageError: the file of approvals cannot be written.
    """
    made = {oid for oid, _author in _made(git)}
    new = frozenset(each.oid for each in commits_between(git, before, after) if each.oid in made)
    if run_id and new:
        change_grant(git, run_id, lambda known: replace(known, commits=known.commits | new))


def is_users_base(git: Git, base: str, run_id: str = "") -> bool:
    """What lies under the change is the user's too: one of their remotes has it, or they or the run
    made it; it is not a checked-out stranger's.

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
    return set(rows.split()) <= commits_made_here(git, run_id)
