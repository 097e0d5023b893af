"""The index, the work tree and single files as trees, without touching any: a copy of the index, and objects in a folder that goes away.

A snapshot lives as long as its `Git` value; its objects are read through an alternate.
"""

import os
import shutil
from pathlib import Path

from ...model.errors import UsageError
from .door import Git, GitFailed, alternate


def index_tree(git: Git) -> str:
    """The tree that a commit of the index would have.

    Raises:
        UsageError: the index holds conflicts.
    """
    return _write_tree(git, _copied_index(git))


def work_tree(git: Git) -> str:
    """The tree that a commit of everything in the work tree (ignored files left out) would have."""
    if not git.tree:
        raise UsageError("a bare repository has no work tree", "name commits with --range A..B")
    env = _copied_index(git)
    git.run("add", "--all", in_tree=True, env=env)  # a pathspec for everything fails where all files are out of a sparse checkout
    return _write_tree(git, env)


def file_tree(git: Git, name: str, blob: str) -> str:
    """A tree that holds this content alone, under this name."""
    row = os.fsencode(f"100644 blob {blob}\t{name}\0")
    return os.fsdecode(git.run("mktree", "-z", stdin=row, env=objects_environment(git, git.scratch))).strip()


def _write_tree(git: Git, env: dict[str, str]) -> str:
    try:
        return os.fsdecode(git.run("write-tree", in_tree=True, env=env)).strip()
    except GitFailed as error:
        if "unmerged" in error.stderr or "error building trees" in error.stderr:
            raise UsageError("the index holds unresolved conflicts", "resolve them and git add the files, then run this again") from None
        raise


def _copied_index(git: Git) -> dict[str, str]:
    if not git.tree:
        raise UsageError("a bare repository has no index", "name commits with --range A..B")
    folder = git.scratch
    index = git.index or git.directory / "index"
    if index.exists():
        shutil.copyfile(index, folder / "index")
    return {"GIT_INDEX_FILE": str(folder / "index"), **objects_environment(git, folder)}


def objects_environment(git: Git, folder: Path) -> dict[str, str]:
    """New objects go into the folder; the repository's own are read from where they are."""
    (folder / "objects").mkdir(exist_ok=True)
    return {"GIT_OBJECT_DIRECTORY": str(folder / "objects"), "GIT_ALTERNATE_OBJECT_DIRECTORIES": alternate(git.common / "objects")}
