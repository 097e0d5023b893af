"""Reading objects: blobs and path lists, many at a time, never through the work tree."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .door import Git


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


def _entry(row: bytes) -> Entry:
    head, path = row.split(b"\t", 1)
    mode, _kind, oid = head.decode().split(" ")
    return Entry(mode, oid, os.fsdecode(path))


def look_at_root(git: Git, tree: str) -> None:
    """Ask for what lies directly in a commit or tree, which the next two need."""
    if tree not in git.roots:
        git.roots[tree] = git.run("ls-tree", "-z", "--full-tree", tree).split(b"\0")


def list_folders(git: Git, tree: str, folders: Iterable[str], names: re.Pattern[bytes]) -> tuple[Entry, ...]:
    """The regular files with such base names directly in these folders; each folder ends in a slash, "" is the root."""
    wanted = sorted(folders)
    below = [name for name in wanted if name]
    rows = git.run("ls-tree", "-z", "--full-tree", tree, "--", *below).split(b"\0") if below else []
    if "" in wanted:
        look_at_root(git, tree)
        rows += git.roots[tree]
    return tuple(_entry(row) for row in rows if row.startswith(b"100") and names.fullmatch(re.split(rb"[/\t]", row)[-1]))


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
        look_at_root(git, tree)
        wanted = {os.fsencode(name) for name in names}
        rows = [row for row in git.roots[tree] if row.partition(b"\t")[2] in wanted]
    entries = [entry for row in rows if row and (entry := _entry(row)).mode.startswith("100")]
    blobs = read_blobs(git, (entry.oid for entry in entries))
    return {entry.path: blobs[entry.oid] for entry in entries if entry.oid in blobs}
