"""A private repository for what git has not got: two commits made of given files, gone at the end."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...model.values import dataclass
from ..lease import temporary
from .door import Git, git_environment
from .objects import Entry

_NOBODY = b"nobody <> 0 +0000"
_SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Sides:
    """The two commits of a change."""

    base: str
    head: str


@contextmanager
def scratch_repository(env: Mapping[str, str], hash_name: str) -> Iterator[Git]:
    """An empty bare repository in a folder that is removed at the end; the object ids are made by `hash_name`."""
    with temporary("pull") as folder:
        place = (folder / "git").resolve()
        git = Git(place, place, None, git_environment(env), hash=hash_name)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={hash_name}")
        yield git


def store_sides(git: Git, base: Mapping[str, tuple[Entry, bytes]], head: Mapping[str, tuple[Entry, bytes]]) -> Sides:
    """A commit of the files of each side, by path; the second one follows the first."""
    stream = b"".join([*_commit(b"base", base, b""), *_commit(b"head", head, b"refs/heads/base")])
    git.run("fast-import", "--quiet", stdin=stream)
    return Sides(_found(git, "refs/heads/base"), _found(git, "refs/heads/head"))


def _found(git: Git, ref: str) -> str:
    return git.text("rev-parse", "--verify", ref)


def _commit(name: bytes, files: Mapping[str, tuple[Entry, bytes]], parent: bytes) -> Iterator[bytes]:
    yield b"commit refs/heads/%b\ncommitter %b\ndata 0\n" % (name, _NOBODY)
    yield b"from %b\n" % parent if parent else b""
    yield b"deleteall\n"
    for path, (entry, data) in files.items():
        if entry.mode == _SUBMODULE:
            yield b"M %b %b %b\n" % (entry.mode.encode(), entry.oid.encode(), _quoted(path))
        else:
            yield b"M %b inline %b\ndata %d\n" % (entry.mode.encode(), _quoted(path), len(data))
            yield data + b"\n"


def _quoted(path: str) -> bytes:
    """As the stream wants a name with any byte in it."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(path)) + b'"'
