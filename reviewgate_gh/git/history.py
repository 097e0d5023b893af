"""The commits of a range or a branch, and the baselines that reviews start from."""

import os
import re
from collections.abc import Sequence

from ..model.change import MAX_COMMITS, Commit
from ..model.errors import InternalError, UsageError
from ..model.run import DiffStat
from ..text.patterns import lazy_pattern
from .client import Git
from .diff import diff_trees
from .objects import read_objects
from .ranges import first_parent

_SHORT = 8  # commits in a line, which are read without a process of their own
# A commit whose subject and author need no interpretation: one parent at most, one address, a
# subject of one line.
_PLAIN = lazy_pattern(
    rb"tree [0-9a-f]+\n(?:parent (?P<parent>[0-9a-f]+)\n)?author [^<>\n]*<(?P<author>[^<>\n]*)> "
    rb"\d+ [+-]\d{4}\n"
    rb"committer [^\n]+\n\n(?P<subject>[!-~](?:[ -~]*[!-~])?)(?:\n|\n\n.*)?",
    re.DOTALL,
)


def list_commits(git: Git, fields: tuple[str, ...], *argv: str) -> list[list[str]]:
    """The ids of the commits that `rev-list` finds, each with these fields of git's formats.

    A line each: whoever makes a commit can put any character into its fields but a line break.
    """
    width = 1 + len(fields)
    said = git.run(
        "rev-list", "--no-commit-header", f"--format={'%n'.join(('%H', *fields))}", *argv
    )
    lines = os.fsdecode(said).removesuffix("\n").split("\n") if said else []
    rows = [lines[at : at + width] for at in range(0, len(lines), width)]
    if any(len(row) != width or not git.is_id(row[0]) for row in rows):
        raise InternalError("git printed an unexpected list of commits")
    return rows


def commits_between(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    """Commits reachable from head and not from base, newest first, `MOST_COMMITS` and one more at
    most.

    head is a commit, base may be the empty tree.
    """
    line = _line(git, base, head)
    return _listed(git, base, head) if line is None else line


def _line(git: Git, base: str, head: str) -> tuple[Commit, ...] | None:
    """Those of a short line of plain commits; None where it is something else."""
    found: list[Commit] = []
    at = head
    while at != base:
        known = read_objects(git, [at])[0] if len(found) < _SHORT else None
        plain = _PLAIN.fullmatch(known.data) if known and known.kind == "commit" else None
        if not plain:
            return None
        found.append(Commit(at, plain["subject"].decode(), os.fsdecode(plain["author"])))
        at = plain["parent"].decode() if plain["parent"] else git.empty_tree
    return tuple(found)


def _listed(git: Git, base: str, head: str) -> tuple[Commit, ...]:
    since = [f"^{base}"] if base != git.empty_tree else []
    # https://git-scm.com/docs/git-rev-list (--topo-order)
    # By this order no clock puts a commit before its parents
    options = ("--date-order", f"--max-count={MAX_COMMITS + 1}")
    rows = list_commits(git, ("%ae", "%s"), *options, head, *since)
    return tuple(Commit(oid, subject, author) for oid, author, subject in rows)


class CommitNotHere(UsageError):
    """A commit is not in this clone; `sha` names it."""

    def __init__(self, sha: str) -> None:
        super().__init__(
            f"commit {sha[:12]} is not in this clone", "fetch it first: git fetch --unshallow"
        )
        self.sha = sha


def has_commit(git: Git, sha: str) -> bool:
    """The commit (or tree) is in the store, whatever refers to it."""
    return git.exists(sha)


def is_ancestor(git: Git, older: str, younger: str) -> bool:
    """The one commit is the other, or among its ancestors; one that is not here is not."""
    first, second = git.resolve(older), git.resolve(younger)
    return (
        bool(first and second)
        and git.text("rev-list", "--count", "--max-count=1", f"{first}", f"^{second}") == "0"
    )


def issue_baseline(git: Git, issue: str, head: str = "HEAD") -> str | None:
    """The parent of the issue's first commit (the empty tree under a root commit), None where it
    has no commits.

    Its commits are those whose subject begins with `bd-ISSUE:`; an id that begins with `bd-` itself
    may stand there once.

    Raises:
        CommitNotHere: the parent was cut off by a shallow clone.
    """
    mine = issue_commits(git, (issue,), head)
    return _parent(git, mine[0]) if mine else None


def issue_commits(git: Git, issues: Sequence[str], head: str = "HEAD") -> tuple[str, ...]:
    """The commits of these issues, oldest first: those whose subject begins with `bd-ISSUE:`, where
    an id's own `bd-` may stand once."""
    names = [
        name
        for issue in issues
        for name in (f"bd-{issue}", *([issue] if issue.startswith("bd-") else []))
    ]
    beginnings = tuple(f"{name}:" for name in names)
    if not beginnings or not (git.is_id(head) or git.resolve(head)):
        return ()
    patterns = [f"--grep={text}" for text in beginnings]
    rows = list_commits(git, ("%s",), "--topo-order", "--fixed-strings", *patterns, head)
    return tuple(oid for oid, subject in rows if subject.startswith(beginnings))[::-1]


def _parent(git: Git, commit: str) -> str:
    try:
        return first_parent(git, commit)
    except UsageError:
        header = git.run("cat-file", "commit", commit).split(b"\n\n", 1)[0]
        raise CommitNotHere(header.partition(b"\nparent ")[2].split(b"\n")[0].decode()) from None


def get_diff_stat(git: Git, from_commit: str, to_commit: str = "HEAD") -> DiffStat:
    """How much differs between two commits, by the two-argument form; files without lines (modes,
    binaries) count as files."""
    options = (
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=none",
    )
    rows = git.run("diff", *options, from_commit, to_commit).split(b"\0")
    parts = [row.split(b"\t", 2) for row in rows if row]
    added, deleted = (sum(int(part[at]) for part in parts if part[at] != b"-") for at in (0, 1))
    return DiffStat(added, deleted, tuple(os.fsdecode(part[2]) for part in parts))


def get_diff_content(git: Git, from_commit: str, to_commit: str = "HEAD") -> str:
    """The unified diff between two commits, by the two-argument form; bytes that are no UTF-8 as
    surrogates."""
    base, head = (
        git.resolve(name) or git.resolve(name, "tree") or name for name in (from_commit, to_commit)
    )
    text = os.fsdecode(diff_trees(git, base, head))
    return text[text.find("diff --git ") :] if "diff --git " in text else ""


def commit_list(git: Git, base: str, head: str) -> tuple[str, ...]:
    """The commits that a review takes in, newest first, as `git log --oneline` shows them."""
    since = f"{base}..{head}" if base != git.empty_tree else head
    return tuple(
        os.fsdecode(git.run("log", "--oneline", "--no-decorate", since, "--")).splitlines()
    )


_ONLY = {"changes": (), "merges": ("--merges",), "commits": ("--no-merges",)}


def last_first_parents(git: Git, head: str, count: int, kind: str) -> tuple[Commit, ...]:
    """The last `count` steps of the first-parent history, newest first: all changes, merges alone,
    or commits that are none."""
    rows = list_commits(git, ("%s",), "--first-parent", *_ONLY[kind], f"--max-count={count}", head)
    return tuple(Commit(oid, subject) for oid, subject in rows)
