"""The one diff command: every option that a config could change is pinned."""

from .door import Git

_OPTIONS = (
    "-r", "-z", "--raw", "--patch", "--full-index", "--unified=3", "--inter-hunk-context=0", "--find-renames=50%", "-l1000",
    "--diff-algorithm=myers", "--indent-heuristic", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=none", "--no-commit-id",
)  # fmt: skip


def diff_trees(git: Git, base: str, head: str, patch: bool = True) -> bytes:
    """Raw records and patch between two object ids (commits or trees), as `steps.diff` reads them."""
    options = _OPTIONS if patch else tuple(o for o in _OPTIONS if o != "--patch")
    return git.run("diff-tree", *options, base, head, "--")
