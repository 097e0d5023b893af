"""Reading git objects: blobs and path lists, many at a time or one by one, never through the work
tree."""

import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct

from ..system.streaming import ProcessEnded, StreamingProcess
from ..text.patterns import lazy_pattern
from .client import Git, GitFailed, git_error

_AT_ONCE = 150  # questions: a pipe holds them all, so that neither side waits for the other
_FOUND = lazy_pattern(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) (commit|tree|blob|tag) (\d+)")
_NONE = (b" missing", b" ambiguous")
_LOCK = threading.Lock()


class GitObject(Struct, frozen=True):
    """An object of the store: its id, `kind` (commit, tree, blob, tag), size in bytes, and content
    where that was asked for."""

    oid: str
    kind: str
    size: int
    data: bytes = b""


def read_objects(git: Git, names: Sequence[str]) -> list[GitObject | None]:
    """The objects behind these names (without line breaks), None for each that is not there."""
    return _asked(git, "contents", names)


def read_object_sizes(git: Git, names: Sequence[str]) -> list[GitObject | None]:
    """The same without their content."""
    return _asked(git, "info", names)


def _asked(git: Git, command: str, names: Sequence[str]) -> list[GitObject | None]:
    found: list[GitObject | None] = []
    end = time.monotonic() + git.deadline
    with _LOCK:
        companion = _companion(git)
        try:
            for start in range(0, len(names), _AT_ONCE):
                part = names[start : start + _AT_ONCE]
                companion.write(
                    "".join(f"{command} {name}\n" for name in part).encode(
                        "utf-8", "surrogateescape"
                    )
                )
                found += [_answer(companion, end, command == "contents") for _ in part]
        except ProcessEnded as error:
            raise git_error(("cat-file",), str(error)) from None
        finally:
            if len(found) < len(names):  # what is still to come would be taken for the next answer
                companion.leave()
    return found


def _companion(git: Git) -> StreamingProcess:
    """The one that runs; a new one where there is none, and where it knows too few folders of
    objects."""
    key = len(git.alternates)
    kept = git.running_processes.get(key)
    if kept is None or not kept.is_usable:
        argv, folder, env = git.command_line("cat-file", "--batch-command")
        kept = git.running_processes[key] = StreamingProcess(argv, cwd=folder, env=env)
    return kept


def _answer(companion: StreamingProcess, end: float, whole: bool) -> GitObject | None:
    line = companion.read_line(end)
    found = _FOUND.fullmatch(line)
    if not found and not line.endswith(_NONE):
        raise ProcessEnded("unexpected output from git cat-file")
    if not found:
        return None
    size = int(found[3])
    data = companion.read_bytes(size + 1, end)[:-1] if whole else b""
    return GitObject(found[1].decode(), found[2].decode(), size, data)


EXECUTABLE_MODE = "100755"  # mode
_TREE = (b"40000", b"040000")
TreeNames = dict[bytes, tuple[bytes, bytes]]  # mode and object id by name
_FEW = 100  # objects; more of them are faster with a process of their own


class TreeEntry(Struct, frozen=True):
    """One path of a tree: six-digit mode, object id, path."""

    mode: str
    oid: str
    path: str


def list_tree(git: Git, tree: str) -> tuple[TreeEntry, ...]:
    """Every path below a commit or tree."""
    rows = git.run("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0")
    return tuple(_entry(row) for row in rows if row)


def list_paths(git: Git, tree: str, *below: str) -> tuple[str, ...]:
    """The same without modes and ids, many times faster; of these folders alone, where some are
    named."""
    argv = ("ls-tree", "-r", "-z", "--full-tree", "--name-only", tree, "--", *below)
    return tuple(os.fsdecode(git.run(*argv)).split("\0")[:-1])


def _entry(row: bytes) -> TreeEntry:
    head, path = row.split(b"\t", 1)
    mode, _kind, oid = head.decode().split(" ")
    return TreeEntry(mode, oid, os.fsdecode(path))


def list_files_in(
    git: Git, tree: str, folders: Iterable[str], fits: Callable[[str], bool]
) -> tuple[TreeEntry, ...]:
    """The regular files with such base names directly in these folders; each folder ends in a
    slash, "" is the root."""
    entries = []
    for folder, rows in _folders(git, tree, {os.fsencode(folder) for folder in folders}).items():
        above, names = os.fsdecode(folder), os.fsdecode(b"\0".join(rows)).split("\0")
        # Of an empty folder one name that is none
        for name, (mode, oid) in zip(names, rows.values(), strict=False):
            if fits(name) and mode.startswith(b"100"):
                entries.append(TreeEntry(mode.decode(), oid.hex(), above + name))
    return tuple(entries)


def list_top_level(git: Git, tree: str) -> TreeNames:
    """What lies at the top of a commit or tree."""
    _read_trees(git, [tree])
    return git.trees[tree]


def _folders(git: Git, tree: str, wanted: Collection[bytes]) -> dict[bytes, TreeNames]:
    """The content of these folders, where they are such; asked for at once, since each answer takes
    its time."""
    plain = [
        folder
        for folder in wanted
        if folder and b"\n" not in folder and not folder.startswith((b"./", b"../"))
    ]
    names = {folder: f"{tree}:{os.fsdecode(folder.removesuffix(b'/'))}" for folder in plain}
    _read_trees(git, [tree, *names.values()])
    found = {folder: git.trees[name] for folder, name in names.items() if name in git.trees}
    if b"" in wanted:
        found[b""] = git.trees[tree]
    return found | _walked(git, tree, [folder for folder in wanted if folder not in found])


def _walked(git: Git, tree: str, wanted: Collection[bytes]) -> dict[bytes, TreeNames]:
    """The same from the root down: what is not found there is no folder, and not one that this
    clone has lost."""
    found = {b"": list_top_level(git, tree)}
    parents = {
        b"/".join(parts[:depth]) + b"/"
        for folder in wanted
        if (parts := folder.split(b"/"))
        for depth in range(1, len(parts))
    }
    for folder in sorted(parents, key=lambda folder: folder.count(b"/")):
        above, name = _split(folder)
        mode, oid = found.get(above, {}).get(name, (b"", b""))
        if mode in _TREE:
            _read_trees(git, [oid.hex()])
            found[folder] = git.trees[oid.hex()]
    return {folder: names for folder, names in found.items() if folder in wanted}


def _split(path: bytes) -> tuple[bytes, bytes]:
    """The folder that holds a folder, with its slash, and the name there."""
    above, _slash, name = path.removesuffix(b"/").rpartition(b"/")
    return (above + b"/" if above else b""), name


def _read_trees(git: Git, trees: Iterable[str]) -> None:
    """Read those that are not known yet; of paths that are no folder nothing is known."""
    new = [tree for tree in dict.fromkeys(trees) if tree not in git.trees]
    for tree, found in zip(
        new,
        read_objects(git, [tree if ":" in tree else f"{tree}^{{tree}}" for tree in new]),
        strict=True,
    ):
        if found and found.kind == "tree":
            git.trees[tree] = _names(found.data, len(found.oid) // 2)
        # A folder that cannot be read is not an empty one: settings may be in it
        elif ":" not in tree:
            raise GitFailed(("cat-file",), f"{tree} is not in this clone, or is not a tree")


def _names(data: bytes, size: int) -> TreeNames:
    """What a tree holds, as git stores it: ids of `size` bytes."""
    row = rb"([0-7]{5,6}) ([^\0]+)\0(.{%d})" % size
    if not re.fullmatch(rb"(?:%b)*+" % row, data, re.DOTALL):
        raise GitFailed(("cat-file",), "a tree is damaged: run git fsck")
    return {name: (mode, oid) for mode, name, oid in re.findall(row, data, re.DOTALL)}


def read_blobs(git: Git, oids: Iterable[str]) -> dict[str, bytes]:
    """Content by object id; an object that is missing (a partial clone) is absent from the
    answer."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    if len(wanted) <= _FEW:
        return {found.oid: found.data for found in read_objects(git, wanted) if found}
    out = git.run(
        "cat-file", "--batch", "--buffer", stdin="".join(f"{oid}\n" for oid in wanted).encode()
    )
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
    # https://git-scm.com/docs/gitrevisions
    # The second searches for all that follows
    if {"\n", "\0"} & set(revision) or revision.startswith(":/"):
        return None
    try:
        [found] = read_objects(git, [f"{revision}^{{commit}}"])
    # https://git-scm.com/docs/git-cat-file (batch output)
    except GitFailed:  # some names it refuses altogether
        return None
    if not found:
        return None
    header = found.data.partition(b"\n\n")[0].decode(errors="replace")
    return found.oid, [
        line.removeprefix("parent ") for line in header.split("\n") if line.startswith("parent ")
    ]


def read_sizes(git: Git, oids: Iterable[str]) -> dict[str, int]:
    """Bytes by object id; a missing object is absent."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return {}
    if len(wanted) <= _FEW:
        return {found.oid: found.size for found in read_object_sizes(git, wanted) if found}
    out = git.run(
        "cat-file",
        "--batch-check",
        "--buffer",
        stdin="".join(f"{oid}\n" for oid in wanted).encode(),
    )
    rows = (line.split(" ") for line in out.decode().splitlines())
    return {words[0]: int(words[2]) for words in rows if words[-1] != "missing"}


def read_files(git: Git, tree: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Content by path of regular files of a commit or tree; what is absent or no regular file is
    absent from the answer."""
    wanted = {os.fsencode(path) for path in paths}
    folders = _folders(git, tree, {path[: path.rfind(b"/") + 1] for path in wanted})
    rows = {
        folder + name: row
        for folder, names in folders.items()
        for name, row in names.items()
        if folder + name in wanted
    }
    oids = {
        os.fsdecode(path): oid.hex()
        for path, (mode, oid) in rows.items()
        if mode.startswith(b"100")
    }
    blobs = read_blobs(git, oids.values())
    return {path: blobs[oid] for path, oid in oids.items() if oid in blobs}
