"""Where files went that are no longer there: renames of the past, found from the commit that took
the old name away."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from ..text.patterns import lazy_pattern
from .client import Git

_MOST_STEPS = 20
_BATCH = 500
_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_COMMIT = lazy_pattern(rb"\x01([0-9a-f]{40}(?:[0-9a-f]{24})?)\n?")


def former_names(git: Git, commit: str, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those of the paths that a commit's tree no longer has, by the path of today that git's
    renames lead to."""
    names = {path: path for path in missing_paths(git, commit, paths)}
    arrived: dict[str, tuple[str, ...]] = {}
    for _ in range(_MOST_STEPS):
        moved = _moved(git, commit, set(names.values()))
        names = {old: moved[now] for old, now in names.items() if now in moved}
        gone = missing_paths(git, commit, names.values())
        for old in [old for old, now in names.items() if now not in gone]:
            now = names.pop(old)
            arrived[now] = (*arrived.get(now, ()), old)
        if not names:
            break
    return arrived


def missing_paths(git: Git, tree: str, paths: Iterable[str]) -> set[str]:
    """Those of the paths that are no file of a commit or tree."""
    wanted = {path for path in paths if _plain(path)}
    rows = (row for batch in _batches(wanted) for row in _listed(git, tree, batch))
    return wanted - set(rows)


def _listed(git: Git, tree: str, paths: Sequence[str]) -> Iterator[str]:
    out = git.run("ls-tree", "-z", "--full-tree", "--name-only", tree, "--", *paths, env=_LITERAL)
    return (os.fsdecode(row) for row in out.split(b"\0"))


def _plain(path: str) -> bool:
    """A name as git itself lists it; git refuses to look for others."""
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


def _batches(paths: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(paths)
    return (ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH))


def _moved(git: Git, commit: str, paths: set[str]) -> dict[str, str]:
    """The new name of each path that the newest commit without it has renamed."""
    last = _removed_by(git, commit, paths)
    commits = "".join(f"{oid}\n" for oid in dict.fromkeys(last.values()))
    if not commits:
        return {}
    options = (
        "--stdin",
        "-r",
        "-z",
        "--find-renames=50%",
        "-l1000",
        "--diff-filter=R",
        "--name-status",
        "--format=%x01%H",
    )
    words = git.run("diff-tree", *options, stdin=commits.encode()).split(b"\0")
    found: dict[tuple[str, str], str] = {}
    here, at = "", 0
    while at < len(words):
        if header := _COMMIT.fullmatch(words[at]):
            here, at = header[1].decode(), at + 1
        elif re.fullmatch(rb"\n?R\d+", words[at]):
            found[here, os.fsdecode(words[at + 1])], at = os.fsdecode(words[at + 2]), at + 3
        else:
            at += 1
    return {path: found[oid, path] for path, oid in last.items() if (oid, path) in found}


def _removed_by(git: Git, commit: str, paths: set[str]) -> dict[str, str]:
    """The newest commit that took each path away."""
    # `log` reads settings that plumbing does not: each that could matter is said here.
    # https://git-scm.com/docs/git-config#Documentation/git-config.txt-logfollow
    # https://git-scm.com/docs/git-config#Documentation/git-config.txt-difforderFile
    options = (
        "-O/dev/null",
        "--no-follow",
        "--diff-merges=off",
        "--no-renames",
        "--diff-filter=D",
        "--name-only",
        "-z",
        "--format=%x01%H",
    )
    found: dict[str, str] = {}
    for batch in _batches(paths):
        here = ""
        for word in git.run("log", *options, commit, "--", *batch, env=_LITERAL).split(b"\0"):
            if header := _COMMIT.fullmatch(word):
                here = header[1].decode()
            elif (path := os.fsdecode(word.removeprefix(b"\n"))) in paths:
                found.setdefault(path, here)
    return found
