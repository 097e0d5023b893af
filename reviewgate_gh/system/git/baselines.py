"""Review baselines: from which commit on a review reads, and how much that is."""

import os
from collections.abc import Sequence

from ...model.errors import UsageError
from ...model.run import DiffStat
from .diff import diff_trees
from .door import Git
from .history import list_commits
from .ranges import parent


class Unreachable(UsageError):
    """A commit is not in this clone; `sha` names it."""

    def __init__(self, sha: str) -> None:
        super().__init__(f"commit {sha[:12]} is not in this clone", "fetch it first: git fetch --unshallow")
        self.sha = sha


def has_commit(git: Git, sha: str) -> bool:
    """The commit (or tree) is in the store, whatever refers to it."""
    return git.exists(sha)


def is_ancestor(git: Git, older: str, younger: str) -> bool:
    """The one commit is the other, or among its ancestors; one that is not here is not."""
    first, second = git.resolve(older), git.resolve(younger)
    return bool(first and second) and git.text("rev-list", "--count", "--max-count=1", f"{first}", f"^{second}") == "0"


def issue_baseline(git: Git, issue: str, head: str = "HEAD") -> str | None:
    """The parent of the issue's first commit (the empty tree under a root commit), None where it has no commits.

    Its commits are those whose subject begins with `bd-ISSUE:`; an id that begins with `bd-` itself may stand there once.

    Raises:
        Unreachable: the parent was cut off by a shallow clone.
    """
    mine = issue_commits(git, (issue,), head)
    return _parent(git, mine[0]) if mine else None


def issue_commits(git: Git, issues: Sequence[str], head: str = "HEAD") -> tuple[str, ...]:
    """The commits of these issues, oldest first: those whose subject begins with `bd-ISSUE:`, where an id's own `bd-` may stand once."""
    names = [name for issue in issues for name in (f"bd-{issue}", *([issue] if issue.startswith("bd-") else []))]
    beginnings = tuple(f"{name}:" for name in names)
    if not beginnings or not (git.is_id(head) or git.resolve(head)):
        return ()
    patterns = [f"--grep={text}" for text in beginnings]
    rows = list_commits(git, ("%s",), "--topo-order", "--fixed-strings", *patterns, head)
    return tuple(oid for oid, subject in rows if subject.startswith(beginnings))[::-1]


def _parent(git: Git, commit: str) -> str:
    try:
        return parent(git, commit)
    except UsageError:
        header = git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]
        raise Unreachable(header.partition(b"\nparent ")[2].split(b"\n")[0].decode()) from None


def get_diff_stat(git: Git, from_commit: str, to_commit: str = "HEAD") -> DiffStat:
    """How much differs between two commits, by the two-argument form; files without lines (modes, binaries) count as files."""
    options = ("--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    rows = git.run("diff", *options, from_commit, to_commit).split(b"\0")
    parts = [row.split(b"\t", 2) for row in rows if row]
    added, deleted = (sum(int(part[at]) for part in parts if part[at] != b"-") for at in (0, 1))
    return DiffStat(added, deleted, tuple(os.fsdecode(part[2]) for part in parts))


def get_diff_content(git: Git, from_commit: str, to_commit: str = "HEAD") -> str:
    """The unified diff between two commits, by the two-argument form; bytes that are no UTF-8 as surrogates."""
    base, head = (git.resolve(name) or git.resolve(name, "tree") or name for name in (from_commit, to_commit))
    text = os.fsdecode(diff_trees(git, base, head))
    return text[text.find("diff --git ") :] if "diff --git " in text else ""


def commit_list(git: Git, base: str, head: str) -> tuple[str, ...]:
    """The commits that a review takes in, newest first, as `git log --oneline` shows them."""
    since = f"{base}..{head}" if base != git.empty_tree else head
    return tuple(os.fsdecode(git.run("log", "--oneline", "--no-decorate", since, "--")).splitlines())
