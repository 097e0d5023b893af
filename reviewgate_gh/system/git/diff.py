"""The one diff command: every option that a config could change is pinned."""

from collections.abc import Sequence

from .door import Git

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
    return git.run("diff-tree", *options, base, head, "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"})
