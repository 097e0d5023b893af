"""Reading objects: blobs and path lists, many at a time, never through the work tree."""

import os
from collections.abc import Callable, Iterable

from ...model.values import dataclass
from ..together import Later
from .door import Git

_ROOT = frozenset({""})


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree: six-digit mode, object id, path."""

    mode: str
    oid: str
    path: str


def list_tree(git: Git, tree: str) -> tuple[Entry, ...]:
    """Every path below a commit or tree."""
    rows = git.run("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0")
    return tuple(_entry(row) for row in rows if row)


def list_paths(git: Git, tree: str) -> tuple[str, ...]:
    """The same without modes and ids, many times faster."""
    return tuple(os.fsdecode(git.run("ls-tree", "-r", "-z", "--full-tree", "--name-only", tree)).split("\0")[:-1])


def _entry(row: bytes) -> Entry:
    head, path = row.split(b"\t", 1)
    mode, _kind, oid = head.decode().split(" ")
    return Entry(mode, oid, os.fsdecode(path))


def look_into(git: Git, tree: str, folders: frozenset[str] = _ROOT) -> list[bytes]:
    """What lies directly in these folders of a commit or tree, asked for once; each ends in a slash, or they are the root."""
    look_ahead(git, tree, folders)
    return git.looked_into[tree, folders].result()


def look_ahead(git: Git, tree: str, folders: frozenset[str] = _ROOT) -> None:
    """Begin to ask for that."""
    if (tree, folders) not in git.looked_into:
        git.looked_into[tree, folders] = Later(_rows, git, tree, folders)


def _rows(git: Git, tree: str, folders: frozenset[str]) -> list[bytes]:
    named = () if folders == _ROOT else ("--", *sorted(folders))
    return git.run("ls-tree", "-z", "--full-tree", tree, *named).split(b"\0")


def list_folders(git: Git, tree: str, folders: Iterable[str], fits: Callable[[str], bool]) -> tuple[Entry, ...]:
    """The regular files with such base names directly in these folders; each folder ends in a slash, "" is the root."""
    wanted = frozenset(folders)
    rows = [row for part in (wanted - _ROOT, wanted & _ROOT) if part for row in look_into(git, tree, part)]
    return tuple(_entry(row) for row in rows if row.startswith(b"100") and fits(_base_name(row)))


def _base_name(row: bytes) -> str:
    return os.fsdecode(row[max(row.find(b"\t"), row.rfind(b"/")) + 1 :])


def read_blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes]:
    """Content by object id; an object that is missing (a partial clone) is absent from the answer."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    out = git.run("cat-file", "--batch", "--buffer", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    found, at = {}, 0
    while at < len(out):
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if words[-1] == b"missing":
            continue
        size = int(words[2])
        found[words[0].decode()] = out[at : at + size]
        at += size + 1
    return found


def read_parents(git: Git, revision: str) -> tuple[str, list[str]] | None:
    """The commit behind a revision and its parents; None where there is no such commit."""
    if {"\n", "\0"} & set(revision) or revision.startswith(":/"):  # the second searches for all that follows
        return None
    head, _, body = git.run("cat-file", "--batch", stdin=os.fsencode(f"{revision}^{{commit}}\n"), ok=(0, 128)).partition(b"\n")
    words, header = head.decode(errors="replace").split(" "), body.partition(b"\n\n")[0].decode(errors="replace")
    if words[1:2] != ["commit"]:
        return None
    return words[0], [line.removeprefix("parent ") for line in header.split("\n") if line.startswith("parent ")]


def read_sizes(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """Bytes by object id; a missing object is absent."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    out = git.run("cat-file", "--batch-check", "--buffer", stdin="".join(f"{oid}\n" for oid in wanted).encode())
    rows = (line.split(" ") for line in out.decode().splitlines())
    return {words[0]: int(words[2]) for words in rows if words[-1] != "missing"}


def read_files(git: Git, tree: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Content by path of regular files of a commit or tree; what is absent or no regular file is absent from the answer."""
    names = tuple(paths)
    if any("/" in name for name in names):
        rows = git.run("ls-tree", "-z", "--full-tree", tree, "--", *names).split(b"\0")
    else:
        wanted = {os.fsencode(name) for name in names}
        rows = [row for row in look_into(git, tree) if row.partition(b"\t")[2] in wanted]
    entries = [entry for row in rows if row and (entry := _entry(row)).mode.startswith("100")]
    blobs = read_blobs(git, (entry.oid for entry in entries))
    return {entry.path: blobs[entry.oid] for entry in entries if entry.oid in blobs}
