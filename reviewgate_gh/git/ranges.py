"""Which two trees to compare: every way of naming them ends as object ids, or as one line that says
why not."""

from collections.abc import Sequence

from ..model.change import Range, Selection
from ..model.errors import UsageError
from ..text.patterns import lazy_pattern
from .client import Git
from .objects import read_parents
from .snapshot import index_tree, work_tree

_SUFFIX = lazy_pattern(r"[~^:@]")  # of a revision: what follows is counted from the name
_DEFAULT_BRANCHES = ("main", "master")


def resolve_range(git: Git, wanted: Selection) -> Range:
    """The range that was asked for.

    Raises:
        UsageError: it names nothing, or this repository has no such range.
    """
    if len(wanted.selected_options) > 1:
        raise UsageError(
            f"{' and '.join(wanted.selected_options)} cannot be used together",
            "use only one of them",
        )
    if wanted.staged:
        return Range(_head_or_empty(git), index_tree(git), ("staged changes",), is_local=True)
    if wanted.uncommitted:
        return Range(_head_or_empty(git), work_tree(git), ("uncommitted changes",), is_local=True)
    if wanted.commit:
        base, commit = _parent_and_commit(git, wanted.commit)
        return Range(base, commit, (f"commit {commit[:12]}",))
    if wanted.range:
        return _dotted(git, wanted.range)
    head = _head(git)
    if wanted.all_files:
        return Range(git.empty_tree, head, ("all files of HEAD",), whole_tree=True)
    if wanted.base:
        return from_merge_base(git, _commit(git, wanted.base), head, wanted.base)
    return _unpublished(git, head)


def from_merge_base(git: Git, base: str, head: str, name: str) -> Range:
    """From the merge base of two commits to the second of them; `name` is what a person calls the
    first."""
    found = merge_base(git, base, head)
    if found:
        return Range(found, head, (f"changes since {name}",))
    if is_shallow(git):
        raise UsageError(
            f"this shallow clone does not contain the merge base of {name} and {head[:12]}",
            "fetch it first: git fetch --unshallow (actions/checkout: fetch-depth: 0)",
        )
    raise UsageError(
        f"{name} and {head[:12]} have no common ancestor",
        "compare two trees as they are with --range A..B",
    )


def range_over_commits(git: Git, names: Sequence[str]) -> Range:
    """From before the first to the last of commits, whatever order they are named in; what lies
    between them is a part of it.

    Raises:
        UsageError: one names nothing, or none of them comes after all the others.
    """
    commits = list(dict.fromkeys(_commit(git, name) for name in names))
    last, *others = (
        git.text("merge-base", "--independent", *commits).split() if len(commits) > 1 else commits
    )
    if others:
        raise UsageError(
            f"the commits {last[:12]} and {others[0][:12]} are on different lines of history",
            "review them separately",
        )
    first = git.text("merge-base", "--octopus", *commits, ok=(0, 1)) if len(commits) > 1 else last
    base = first_parent(git, first) if first in commits else first or git.empty_tree
    span = [last] if base == git.empty_tree else [last, f"^{base}"]
    extra = int(git.text("rev-list", "--count", *span)) - len(commits)
    what = ", ".join(commit[:12] for commit in commits[:4]) + (" ..." if len(commits) > 4 else "")
    return Range(
        base,
        last,
        (
            f"commit{'s' * (len(commits) > 1)} {what}",
            *([f"with {extra} more between them"] if extra > 0 else []),
        ),
    )


def merge_base(git: Git, one: str, other: str) -> str | None:
    """The best common ancestor of two commits."""
    return git.text("merge-base", one, other, ok=(0, 1)) or None


def first_parent(git: Git, commit: str) -> str:
    """The first parent; the empty tree for a root commit.

    Raises:
        UsageError: the parent was cut off by a shallow clone.
    """
    found = git.resolve(f"{commit}^1")
    if found:
        return found
    header = git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]
    if b"\nparent " in header:
        raise UsageError(
            f"the parent of {commit[:12]} is not in this shallow clone",
            "fetch it first: git fetch --deepen=1",
        )
    return git.empty_tree


def _parent_and_commit(git: Git, name: str) -> tuple[str, str]:
    """The first parent (the empty tree for a root commit) and the commit; in one call of git, where
    nothing can have cut parents off."""
    _refuse_two_meanings(git, name)
    found = None if (git.common / "shallow").exists() else read_parents(git, name)
    if found:
        return (found[1] or [git.empty_tree])[0], found[0]
    commit = _commit(git, name)
    return first_parent(git, commit), commit


def remote_default(git: Git, remote: str) -> tuple[str, str] | None:
    """Name and commit of the remote's default branch, as far as this clone knows it."""
    names = [f"{remote}/HEAD", *(f"{remote}/{branch}" for branch in _DEFAULT_BRANCHES)]
    for name in names:
        if commit := git.resolve(f"refs/remotes/{name}"):
            return name, commit
    return None


def remote_branches(git: Git, remote: str) -> tuple[str, ...]:
    """The remote's branches as `rev-list` takes them, without those of a remote of a longer name
    (origin/fork), which lie among them."""
    longer = {f"--exclude={name}/*" for name, _url in git.remotes if name.startswith(f"{remote}/")}
    return (*longer, f"--remotes={remote}")


def is_shallow(git: Git) -> bool:
    """Part of the history is not here."""
    return git.text("rev-parse", "--is-shallow-repository") == "true"


def _head(git: Git) -> str:
    head = git.resolve("HEAD")
    if not head:
        raise UsageError(
            "there is no commit yet", "commit something, or review what is staged with --staged"
        )
    return head


def _head_or_empty(git: Git) -> str:
    return git.resolve("HEAD") or git.empty_tree


def _commit(git: Git, name: str) -> str:
    _refuse_two_meanings(git, name)
    found = git.resolve(name)
    if found:
        return found
    if is_shallow(git):
        raise UsageError(
            f"{name!r} is not a commit in this shallow clone",
            "fetch the history first: git fetch --unshallow (actions/checkout: fetch-depth: 0)",
        )
    raise UsageError(
        f"{name!r} is not a commit here",
        "list branches with git branch -a and commits with git log; fetch it if it is missing",
    )


def _refuse_two_meanings(git: Git, name: str) -> None:
    """A tag comes before a branch of its name (gitrevisions), and a fetch brings tags along that
    nobody asked for.

    Raises:
        UsageError: a tag and a branch of this name are at different commits.
    """
    plain = _SUFFIX.split(name, maxsplit=1)[0]
    if not plain or "\0" in plain or git.is_id(plain) or plain == "HEAD":
        return
    refs = [f"refs/{kind}/{plain}" for kind in ("tags", "heads", "remotes")]
    rows = [
        row.split(" ")
        for row in git.text(
            "for-each-ref", "--format=%(refname) %(objectname) %(*objectname)", *refs
        ).splitlines()
    ]
    exact = {row[0]: row[-1] or row[1] for row in rows if row[0] in refs}
    if refs[0] in exact and len(set(exact.values())) > 1:
        branch = next(ref for ref in refs[1:] if ref in exact)
        raise UsageError(
            f"{plain!r} is both a tag and a branch, at different commits",
            f"use its full name: {branch} or {refs[0]}",
        )


def _dotted(git: Git, text: str) -> Range:
    three = "..." in text
    left, dots, right = text.partition("..." if three else "..")
    if not dots:
        raise UsageError(
            f"--range takes A..B or A...B, not {text!r}", "for everything since A: --base A"
        )
    if not left:  # what a script's unset variable leaves; HEAD..HEAD would pass
        raise UsageError(
            f"the range {text!r} has no start",
            "use A..B, or HEAD..B for the commit that is checked out",
        )
    base, head = _commit(git, left), _commit(git, right or "HEAD")
    return (
        from_merge_base(git, base, head, left) if three else Range(base, head, (f"range {text}",))
    )


def _unpublished(git: Git, head: str) -> Range:
    """What head adds to its upstream, or to the default branch of a remote; all of it where nothing
    was ever pushed or fetched."""
    upstream = git.resolve("@{upstream}")
    if upstream:
        return from_merge_base(
            git, upstream, head, git.text("rev-parse", "--abbrev-ref", "@{upstream}")
        )
    remotes = git.text("remote").splitlines()
    for remote in sorted(remotes, key=lambda name: name != "origin"):
        if found := remote_default(git, remote):
            return from_merge_base(git, found[1], head, found[0])
    what = "no remote branch is known here" if remotes else "this repository has no remote"
    return Range(git.empty_tree, head, (f"{what}, so everything counts as new",))
