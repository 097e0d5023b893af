"""A change as two commits that a gate can name. For what was never committed they are made beside the repository, and go with the run."""

from ..system.git import Git
from ..system.git.door import alternate
from ..system.git.snapshot import objects_environment

_NOBODY = {
    "GIT_AUTHOR_NAME": "reviewgate-gh", "GIT_AUTHOR_EMAIL": "reviewgate-gh@localhost",
    "GIT_COMMITTER_NAME": "reviewgate-gh", "GIT_COMMITTER_EMAIL": "reviewgate-gh@localhost",
}  # fmt: skip


def as_commits(git: Git, base: str, head: str) -> tuple[str, str]:
    """Two commits or trees as commits.

    Raises:
        GitFailed: git makes no commit of a tree here.
    """
    first = git.resolve(base) or _commit(git, base, ())
    return first, git.resolve(head) or _commit(git, head, (first,))


def _commit(git: Git, tree: str, parents: tuple[str, ...]) -> str:
    words = [word for parent in parents for word in ("-p", parent)]
    env = {**objects_environment(git, git.scratch), **_NOBODY}
    return git.run("commit-tree", tree, *words, "-m", "for review", env=env).decode().strip()


def seen_by_git(git: Git) -> dict[str, str]:
    """The environment in which any git finds what `as_commits` made."""
    made = git.scratch / "objects"
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": alternate(made)} if made.exists() else {}
