"""The index, the work tree and given files as commits, without touching any: in temporary object
folders."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ..model.errors import UsageError
from ..system.temp_dirs import temp_dir
from .client import Git, GitFailed, git_environment, quote_alternate
from .objects import TreeEntry


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
    # A pathspec for everything fails where all files are out of a sparse checkout
    git.run("add", "--all", in_tree=True, env=env)
    return _write_tree(git, env)


def file_tree(git: Git, name: str, blob: str) -> str:
    """A tree that holds this content alone, under this name."""
    row = os.fsencode(f"100644 blob {blob}\t{name}\0")
    return os.fsdecode(
        git.run("mktree", "-z", stdin=row, env=objects_environment(git, git.private_folder))
    ).strip()


def _write_tree(git: Git, env: dict[str, str]) -> str:
    try:
        return os.fsdecode(git.run("write-tree", in_tree=True, env=env)).strip()
    except GitFailed as error:
        if "unmerged" in error.stderr or "error building trees" in error.stderr:
            raise UsageError(
                "the index holds unresolved conflicts",
                "resolve them and git add the files, then run this again",
            ) from None
        raise


def _copied_index(git: Git) -> dict[str, str]:
    if not git.tree:
        raise UsageError("a bare repository has no index", "name commits with --range A..B")
    folder = git.private_folder
    index = git.index or git.directory / "index"
    if index.exists():
        shutil.copyfile(index, folder / "index")
    return {"GIT_INDEX_FILE": str(folder / "index"), **objects_environment(git, folder)}


def objects_environment(git: Git, folder: Path) -> dict[str, str]:
    """New objects go into the folder; the repository's own are read from where they are."""
    (folder / "objects").mkdir(exist_ok=True)
    return {
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quote_alternate(git.common / "objects"),
    }


_NOBODY = b"nobody <> 0 +0000"
_SUBMODULE = "160000"


class CommitPair(Struct, frozen=True):
    """The two commits of a change."""

    base: str
    head: str


@contextmanager
def temporary_repository(env: Mapping[str, str], hash_name: str) -> Iterator[Git]:
    """An empty bare repository in a folder that is removed at the end; the object ids are made by
    `hash_name`."""
    with temp_dir("pull") as folder:
        place = (folder / "git").resolve()
        git = Git(place, place, None, git_environment(env), hash=hash_name)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={hash_name}")
        yield git


def borrow_objects(git: Git, lender: Git) -> None:
    """Read the other repository's objects from where they are."""
    info = git.common / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_bytes(os.fsencode(lender.common / "objects") + b"\n")


_Files = Mapping[str, tuple[TreeEntry, bytes] | None]


def store_commits(
    git: Git, base: _Files, head: _Files, trees: CommitPair | None = None
) -> CommitPair:
    """A commit of the files of each side, by path; the second one follows the first.

    With `trees` they are put on these, and a file that is None is taken away.
    """
    parts = [
        *_commit(b"base", base, (b"", trees.base if trees else "")),
        *_commit(b"head", head, (b"refs/heads/base", trees.head if trees else "")),
    ]
    git.run("fast-import", "--quiet", stdin=b"".join(parts))
    return CommitPair(_found(git, "refs/heads/base"), _found(git, "refs/heads/head"))


def _found(git: Git, ref: str) -> str:
    return git.text("rev-parse", "--verify", ref)


def _commit(name: bytes, files: _Files, before: tuple[bytes, str]) -> Iterator[bytes]:
    """The part of the stream for one commit; `before` are its parent and the tree that it changes,
    if any."""
    parent, tree = before
    yield b"commit refs/heads/%b\ncommitter %b\ndata 0\n" % (name, _NOBODY)
    yield b"from %b\n" % parent if parent else b""
    yield b'M 040000 %b ""\n' % tree.encode() if tree else b"deleteall\n"
    for path, file in files.items():
        if file is None:
            yield b"D %b\n" % _quoted(path)
            continue
        entry, data = file
        if entry.mode == _SUBMODULE:
            yield b"M %b %b %b\n" % (entry.mode.encode(), entry.oid.encode(), _quoted(path))
        else:
            yield b"M %b inline %b\ndata %d\n" % (entry.mode.encode(), _quoted(path), len(data))
            yield data + b"\n"


def _quoted(path: str) -> bytes:
    """As the stream wants a name with any byte in it."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(path)) + b'"'
