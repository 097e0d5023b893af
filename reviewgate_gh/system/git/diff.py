"""The one diff command: every option that a config could change is pinned."""

import time
from collections.abc import Iterator, Sequence

from ..companion import Companion, Silent
from .door import MOST, Git, failure

_COMMAND = "diff-tree"
_RAW = ("-r", "-z", "--raw", "--find-renames=50%", "-l1000", "--no-relative", "--ignore-submodules=none", "--no-commit-id")
# Some of these mean --patch by themselves, so a list alone is asked for without them.
_PATCH = (
    "--patch", "--full-index", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic", "--no-color",
    "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short",
)  # fmt: skip


def diff_trees(git: Git, base: str, head: str, patch: bool = True, paths: Sequence[str] = (), text: bool = False) -> bytes:
    """Raw records and patch between two object ids (commits or trees), as `steps.diff` reads them.

    Only of `paths` where given; with `text` no file counts as binary.
    """
    options = (*_RAW, *(_PATCH if patch else ()), *(["--text"] if text else []))
    return git.run(_COMMAND, *options, base, head, "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"})


class Diff:
    """The same of all paths, from a git whose raw records are read before it has made the patch."""

    def __init__(self, git: Git, base: str, head: str) -> None:
        argv, folder, env = git.order(_COMMAND, *_RAW, *_PATCH, base, head, "--")
        self._end = time.monotonic() + git.deadline
        self._program = Companion(argv, cwd=folder, env=env)

    def records(self) -> bytes:
        """The raw records, with the NUL that ends them.

        Raises:
            GitFailed: git failed, or its deadline passed.
            UsageError: a partial clone lacks an object.
        """
        try:
            return self._program.until(b"\0\0", self._end)
        except Silent as error:
            raise failure((_COMMAND,), str(error)) from None

    def whole(self) -> bytes:
        """Raw records and patch. Raises what `records` does."""
        try:
            return self._program.rest(self._end, MOST)
        except Silent as error:
            raise failure((_COMMAND,), str(error)) from None

    def stop(self) -> None:
        """No more is wanted."""
        self._program.leave()


def diff_commits(git: Git, commits: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The same of each commit against its parent, named with its id; none of a commit without changes. Oldest first.

    Of a merge the combined form, as `steps.merged` reads it.
    """
    options = (*(option for option in _RAW if option != "--no-commit-id"), *_PATCH, "-c")
    data = git.run(_COMMAND, "--stdin", "--root", *options, stdin="".join(f"{oid}\n" for oid in commits).encode())
    # A path could look like the line that begins a commit, but not with the id of a later one: ids are not known before.
    named, at = "", 0
    for oid in commits:
        mark = f"{oid}\0".encode()
        found = data.find(mark, at)
        if found >= 0:
            if named:
                yield named, data[at:found]
            named, at = oid, found + len(mark)
    if named:
        yield named, data[at:]
