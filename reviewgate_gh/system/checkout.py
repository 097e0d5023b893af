"""The files of the reviewed commits on disk, for tools that cannot read git objects.

Written from objects: no filters, no symbolic links, no names that lead elsewhere. The work tree itself serves when it
equals the reviewed commit, which `in_place` finds out.
"""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath

from ..model.change import Change, FileDiff
from .git import Git
from .git.objects import Entry, list_folders, read_blobs

_BATCH = 500
Prepare = Callable[[FileDiff, bytes], bytes]


class Checkout:
    """The changed files at head below `root`; config files are added from the change's trusted side, by base name.

    `prepare` sees each changed file before it is written.
    """

    def __init__(self, git: Git, change: Change, root: Path, prepare: Prepare) -> None:
        self._git = git
        self._change = change
        self._root = root
        self._prepare = prepare
        self._lock = threading.Lock()
        self._written = False

    @property
    def root(self) -> Path:
        """The folder with the changed regular text files, written on first use."""
        with self._lock:
            if not self._written:
                self._write_changed()
                self._written = True
        return self._root

    def add(self, path: str, data: bytes) -> None:
        """Put this file beside them (over one of the same name: config comes from the trusted side)."""
        if _safe(path):
            with self._lock:
                _put(self._root / path, data)

    @cached_property
    def beside(self) -> dict[str, list[Entry]]:
        """By base name: the files of the side that config comes from, in the changed files' folders, those above them, and `.github`."""
        folders = {".github"}
        for file in self._change.files:
            folder = file.path.rpartition("/")[0]
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        named: dict[str, list[Entry]] = {}
        for entry in list_folders(self._git, self._change.rules, folders):
            named.setdefault(entry.path.rpartition("/")[2], []).append(entry)
        return named

    def contents(self, entries: Iterable[Entry]) -> dict[str, bytes]:
        """The content of files of that side by path."""
        entries = tuple(entries)
        blobs = read_blobs(self._git, (entry.oid for entry in entries))
        return {entry.path: blobs[entry.oid] for entry in entries if entry.oid in blobs}

    @cached_property
    def in_place(self) -> Path | None:
        """The user's work tree, when it is the reviewed commit and nothing else."""
        if not (self._change.trusted and self._git.tree and self._git.resolve("HEAD") == self._change.head):
            return None
        options = ("--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames")
        return None if self._git.run("status", *options, in_tree=True) else self._git.tree

    def _write_changed(self) -> None:
        files = [f for f in self._change.files if f.is_text_file and _safe(f.path)]
        for start in range(0, len(files), _BATCH):
            batch = files[start : start + _BATCH]
            blobs = read_blobs(self._git, (file.oid for file in batch))
            for file in batch:
                if file.oid in blobs:
                    _put(self._root / file.path, self._prepare(file, blobs[file.oid]))


def _put(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _safe(path: str) -> bool:
    """A name that stays below the folder and cannot pose as git's own."""
    pure = PurePosixPath(path)
    return not pure.is_absolute() and not any(part == ".." or part.lower() == ".git" for part in pure.parts)


@contextmanager
def checkout(git: Git, change: Change, prepare: Prepare) -> Iterator[Checkout]:
    """A checkout in a private folder that is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="reviewgate-gh-tree-"))
    try:
        yield Checkout(git, change, folder, prepare)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
