"""The reviewed commits' files on disk, for tools that cannot read git objects."""

import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from ..git import Git
from ..git.objects import (
    EXECUTABLE_MODE,
    TreeEntry,
    list_files_in,
    list_paths,
    list_top_level,
    read_blobs,
    read_files,
    read_sizes,
)
from ..git.tree_files import uncommitted_files
from ..model.change import Change, FileDiff
from ..model.errors import GateError
from ..model.finding import sha1, sha256, sha256_hex
from ..system.temp_dirs import make_temp_dir, remove_temp_dir
from ..system.threads import FOREVER, start_thread
from ..text.paths import glob_matcher, is_checked_out
from ..text.patterns import lazy_pattern
from ..text.python_source import as_utf8, may_be_python
from ..trust.approvals import git_blob_id

_LITTLE = 1_000_000  # bytes
_FRESH = 2.0  # seconds: a later change can have the same time only where the first was so late
_NOT_DOWN = ("", ".", "..")


class WorkTreeFiles:
    """A work tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = os.path.realpath(tree)
        self._direct = cache(self._is_direct)
        self._folder = cache(_is_folder)
        self._seen = 0  # bytes
        self._held: dict[tuple[str, str], os.stat_result] = {}

    def has_content(self, path: str, oid: str) -> bool:
        """A regular file, reached without symbolic links, whose content is this blob, in UTF-8."""
        folder, _, _name = path.rpartition("/")
        if not self._direct(folder):
            return False
        with suppress(OSError, ValueError):
            place = os.path.join(self._tree, path)
            if (before := self._held.get((path, oid))) and _unchanged(before, os.lstat(place)):
                return True
            handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                found = os.fstat(handle)
                data = file.read()
                if may_be_python(path) and as_utf8(data) != data:
                    return False  # linters would read another text than Python does
                if stat.S_ISREG(found.st_mode) and self._blob(data, len(oid)) == oid:
                    if found.st_ctime < time.time() - _FRESH:
                        self._held[path, oid] = found
                    return True
        return False

    def is_untouched_since(self, path: str, since: int) -> bool:
        """A regular file, reached without symbolic links, to which nobody has written since then
        (nanoseconds)."""
        with suppress(OSError, ValueError):
            found = os.lstat(os.path.join(self._tree, path))
            return (
                stat.S_ISREG(found.st_mode)
                and found.st_mtime_ns < since
                and self._direct(path.rpartition("/")[0])
            )
        return False

    def _is_direct(self, folder: str) -> bool:
        """A folder below the tree, reached through folders alone."""
        place = self._tree
        for part in folder.split("/") if folder else ():
            place = f"{place}/{part}"
            if part in _NOT_DOWN or not self._folder(place):
                return False
        return True

    def _blob(self, data: bytes, length: int) -> str:
        """The object id of a blob, in the hash whose ids are that long."""
        self._seen += len(data)
        kinds = (sha1, sha256) if self._seen < _LITTLE else _quick()
        found: str = kinds[length != 40](
            b"blob %d\0%b" % (len(data), data), usedforsecurity=False
        ).hexdigest()
        return found


def _quick() -> Sequence[Any]:
    """OpenSSL's, ten times as fast, which it takes a while to load."""
    import hashlib

    return hashlib.sha1, hashlib.sha256


def _unchanged(before: os.stat_result, now: os.stat_result) -> bool:
    """The same file, and nobody has written to it since: a change sets the second of its times,
    which nobody can set back."""
    names = ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
    return all(getattr(before, name) == getattr(now, name) for name in names)


def _is_folder(place: str) -> bool:
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(os.lstat(place).st_mode)
    return False


_OVER = "the folder for linters is gone: this run ended early"
_BATCH = 500
_HEAD = 256  # bytes
_MOST_OPENED = 5_000_000  # bytes: git hands out whole files only, and no script is so large
# Files that git was told not to look at (a sparse checkout, assume-unchanged) may differ from the
# commit, or not be there. https://git-scm.com/docs/git-update-index
_UNWATCHED = lazy_pattern(rb"(?:\A|\0)[^H\0] ")
PrepareContent = Callable[[str, bytes], bytes | None]


def unprepared(_path: str, data: bytes) -> bytes:
    """The content as it is."""
    return data


class Checkout:
    """The changed files at head in a folder; config files are added from the change's trusted side,
    by base name.

    `prepare` sees the content of each changed file at head before it is written, `prepare_base`
    that at base; None keeps it out.
    """

    def __init__(
        self,
        git: Git,
        change: Change,
        prepare: PrepareContent = unprepared,
        prepare_base: PrepareContent = unprepared,
    ) -> None:
        self._git = git
        self._change = change
        self._made: list[Path] = []
        self._prepare, self._prepare_base = prepare, prepare_base
        self._lock, self._making = threading.Lock(), threading.Lock()
        self._closed = False
        self._written: set[str] = set()
        self._at_base: dict[str, str] = {}
        self._added: dict[str, bytes] = {}
        self._beside: dict[tuple[str, ...], dict[str, list[TreeEntry]]] = {}
        self._heads: dict[str, bytes] = {}
        self._known: dict[str, bytes] = {}

    def with_files(self, paths: Iterable[str]) -> Path:
        """The folder, with at least these changed files in it."""
        wanted = set(paths)
        with self._lock:
            files = [
                f
                for f in self._change.files
                if f.path in wanted - self._written and is_checked_out(f.path)
            ]
            folder = self._root / "head"
            self._write(folder, ((f.path, f.oid) for f in files), self._prepare)
            self._written |= wanted
            _make_executable(folder / f.path for f in files if f.mode == EXECUTABLE_MODE)
        return folder

    def add_empty_files(self, globs: Sequence[str]) -> None:
        """Put empty files for all others with such base names at head: a tool may ask what there is
        beside the files that it reads."""
        self._add_neighbours("head", self._change.head, globs, self._written)

    def _add_neighbours(
        self, folder: str, tree: str, globs: Sequence[str], there: Collection[str]
    ) -> None:
        named = glob_matcher(globs)
        paths = list_paths(self._git, tree) if globs else ()
        with self._lock:
            for path in paths:
                if (
                    named(path.rpartition("/")[2])
                    and path not in there
                    and path not in self._added
                    and is_checked_out(path)
                ):
                    with suppress(OSError):  # a name that no disk takes is nobody's module
                        self._put(self._root / folder / path, b"")

    def folder_at_base(self, files: Iterable[FileDiff], neighbours: Sequence[str] = ()) -> Path:
        """A folder with at least these files as they were at base, and empty ones for all others
        with such base names."""
        with self._lock:
            folder = self._root / "base"
            new = {f.old_path: f for f in files if f.old_path not in self._at_base}
            new = {path: f for path, f in new.items() if is_checked_out(path)}
            wanted = ((path, f.old_oid) for path, f in new.items())
            self._at_base |= dict.fromkeys(new, "")
            self._at_base |= self._write(folder, wanted, self._prepare_base)
            programs = (f.old_path for f in new.values() if f.old_mode == EXECUTABLE_MODE)
            _make_executable(folder / path for path in programs)
        self._add_neighbours("base", self._change.base, neighbours, self._at_base)
        return folder

    def base_digest(self, neighbours: Sequence[str] = ()) -> str:
        """What lies in the folder at base, as a digest."""
        with self._lock:
            rows = [f"{path}\0{oid}" for path, oid in self._at_base.items()]
            rows += [f"{path}\0{sha256(data).hexdigest()}" for path, data in self._added.items()]
        # Of the others only names, but of the whole tree
        rows += [self._change.base, *neighbours] if neighbours else []
        return sha256_hex("\n".join(sorted(rows)))

    def add(self, path: str, data: bytes) -> None:
        """Put this file beside them (over one of the same name: config comes from the trusted
        side)."""
        if is_checked_out(path) and not self._below_a_file(path):
            self._added[path] = data
            with self._lock:
                for folder in ("head", "base"):
                    self._put(self._root / folder / path, data)

    def add_aside(self, name: str, data: bytes) -> Path:
        """Put a file of ours where no file of the change can lie."""
        place = self._root / "aside" / name
        with self._lock:
            self._put(place, data)
        return place

    def _below_a_file(self, path: str) -> bool:
        """The change has made a file of one of its folders, so that there is nothing left in it."""
        parents = (str(parent) for parent in PurePosixPath(path).parents)
        return any(
            (file := self._change.file(parent)) is not None and file.mode != "000000"
            for parent in parents
        )

    @property
    def _root(self) -> Path:
        """Made when something is to lie in it, which for a change of the user's own is seldom."""
        with self._making:
            if self._closed:
                raise GateError(_OVER)
            if not self._made:
                self._made.append(make_temp_dir("tree"))
            return self._made[0]

    @cached_property
    def folders(self) -> frozenset[str]:
        """The changed files' folders and those above them, each with its slash; "" is the root."""
        return _folders(self._change) | {""}

    def find_settings(self, names: tuple[str, ...]) -> dict[str, list[TreeEntry]]:
        """By base name: the files with such names (globs) of the side that config comes from, where
        settings of the change can lie."""
        with self._lock:
            if names not in self._beside:
                entries = self._settings_entries(glob_matcher(names))
                found: dict[str, list[TreeEntry]] = {}
                for entry in entries:
                    found.setdefault(entry.path.rpartition("/")[2], []).append(entry)
                self._beside[names] = found
            return self._beside[names]

    def _settings_entries(self, fits: Callable[[str], bool]) -> list[TreeEntry]:
        """The files of the trusted side, and in their place or beside them those of the head whose
        content was approved."""
        return self._entries_in(settings_folders(self._change) | {""}, fits)

    def settings_in(self, folder: str, globs: Sequence[str]) -> dict[str, bytes]:
        """The content of that side's files with such names directly in a folder; most projects have
        none, which the names at the top say."""
        top = os.fsencode(folder.partition("/")[0])
        sides = {self._change.settings_commit}
        if self._change.approvals.files:
            sides.add(self._change.head)
        if not any(top in list_top_level(self._git, side) for side in sides):
            return {}
        with self._lock:
            return self.settings_contents(self._entries_in({f"{folder}/"}, glob_matcher(globs)))

    def _entries_in(self, folders: Collection[str], fits: Callable[[str], bool]) -> list[TreeEntry]:
        found = {
            entry.path: entry
            for entry in list_files_in(self._git, self._change.settings_commit, folders, fits)
        }
        if self._change.approvals.files and self._change.settings_commit != self._change.head:
            head = list_files_in(self._git, self._change.head, folders, fits)
            found |= {
                entry.path: entry
                for entry in head
                if self._change.approvals.is_approved(entry.path, entry.oid)
            }
        return list(found.values())

    def head_settings(self, fits: Callable[[str], bool]) -> tuple[str, ...]:
        """The paths of the head's files with such base names, where settings of the change can
        lie."""
        folders = settings_folders(self._change) | {""}
        return tuple(
            entry.path for entry in list_files_in(self._git, self._change.head, folders, fits)
        )

    def differs_from_head(self, paths: Iterable[str]) -> bool:
        """Whether one of these files would be written here with another content than it has, or not
        at all."""
        wanted = set(paths)
        oids = {file.path: file.oid for file in self._change.files if file.path in wanted}
        blobs = read_blobs(self._git, oids.values())
        return any(
            self._prepare(path, blobs[oid]) != blobs[oid]
            for path, oid in oids.items()
            if oid in blobs
        )

    def settings_contents(self, entries: Iterable[TreeEntry]) -> dict[str, bytes]:
        """The content of files of that side by path."""
        entries = tuple(entries)
        new = [entry.oid for entry in entries if entry.oid not in self._known]
        self._known |= read_blobs(self._git, new)
        return {entry.path: self._known[entry.oid] for entry in entries if entry.oid in self._known}

    def read_trusted(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of regular files of that side, where there are such; approved content of the
        head takes its place."""
        found = read_files(self._git, self._change.settings_commit, paths) if paths else {}
        approved = [path for path in paths if self._change.approvals.approved_blobs(path)]
        if approved and self._change.settings_commit != self._change.head:
            head = read_files(self._git, self._change.head, approved)
            found |= {
                path: data
                for path, data in head.items()
                if self._change.approvals.is_approved(path, git_blob_id(self._git, data))
            }
        return found

    def read_first_bytes(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The first bytes of blobs; none of those that are missing or very large."""
        wanted = set(oids)
        with self._lock:
            if new := sorted(wanted - self._heads.keys()):
                small = [
                    oid for oid, size in read_sizes(self._git, new).items() if size < _MOST_OPENED
                ]
                blobs = read_blobs(self._git, small)
                self._heads |= {oid: blobs.get(oid, b"")[:_HEAD] for oid in new}
            return {oid: self._heads[oid] for oid in wanted}

    @cached_property
    def work_tree_at_head(self) -> Path | None:
        """The user's work tree, when it is the reviewed commit and nothing else."""
        if not (self._git.tree and self._git.resolve("HEAD") == self._change.head):
            return None
        if _UNWATCHED.search(self._git.run("ls-files", "-z", "-v", in_tree=True)):
            return None
        return None if uncommitted_files(self._git) else self._git.tree

    def work_tree_if_equal(
        self, paths: Iterable[str], settings: Iterable[TreeEntry]
    ) -> Path | None:
        """The user's work tree, where these changed files and these settings lie in it exactly as
        the reviewed commit has them."""
        if not self._git.tree:
            return None
        oids = {file.path: file.oid for file in self._change.files}
        wanted = [
            *((path, oids[path]) for path in paths),
            *((entry.path, entry.oid) for entry in settings),
        ]
        return (
            self._git.tree
            if all(self._disk.has_content(path, oid) for path, oid in wanted)
            else None
        )

    def work_tree_if_untouched(
        self, paths: Sequence[str], settings: Sequence[TreeEntry]
    ) -> Path | None:
        """The same, sooner: where nobody wrote to the files since git last looked at them.

        A tool may begin; `work_tree_if_equal` must follow.
        """
        if not (self._change.trusted and self._git.tree):
            return None
        names = (*paths, *(entry.path for entry in settings))
        with suppress(OSError):
            since = (self._git.directory / "index").stat().st_mtime_ns
            if all(self._disk.is_untouched_since(name, since) for name in names):
                return self._git.tree
        return self.work_tree_if_equal(paths, settings)

    @cached_property
    def _disk(self) -> WorkTreeFiles:
        return WorkTreeFiles(self._git.tree or self._git.private_folder)

    def _write(
        self, folder: Path, wanted: Iterable[tuple[str, str]], prepare: PrepareContent
    ) -> dict[str, str]:
        """Write these blobs under their paths, and say by path what lies there now: the blob, or a
        digest of what was made of it. What was added before stays."""
        written: dict[str, str] = {}
        rows = [row for row in wanted if row[0] not in self._added]
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            blobs = read_blobs(self._git, (oid for _path, oid in batch))
            for path, oid in batch:
                data = blobs.get(oid)
                if data is not None and may_be_python(path):
                    data = as_utf8(data)
                made = prepare(path, data) if data is not None else None
                if made is not None:
                    self._put(folder / path, made)
                    written[path] = oid if made is data else sha256(made).hexdigest()
        folder.mkdir(exist_ok=True)
        return written

    def _put(self, target: Path, data: bytes) -> None:
        if self._closed:
            raise GateError(_OVER)
        try:
            target.write_bytes(data)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def remove(self) -> None:
        """Remove the folder; a thread that is writing into it stops before."""
        self._closed = True
        with self._lock, self._making:
            for folder in self._made:
                remove_temp_dir(folder)


def _make_executable(programs: Iterable[Path]) -> None:
    for program in programs:
        with suppress(FileNotFoundError):  # kept out
            program.chmod(0o755)


def settings_folders(change: Change) -> frozenset[str]:
    """Where settings can lie, beside the root: the changed files' folders, those above them, and
    `.github`; each with its slash."""
    return _folders(change) | {".github/"}


def _folders(change: Change) -> frozenset[str]:
    found: set[str] = set()
    for file in filter(lambda file: is_checked_out(file.path), change.files):
        folder = file.path.rpartition("/")[0]
        while folder and f"{folder}/" not in found:
            found.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return frozenset(found)


@contextmanager
def open_checkout(git: Git, change: Change, *prepare: PrepareContent) -> Iterator[Checkout]:
    """A checkout in a private folder that is removed at the end."""
    files = Checkout(git, change, *prepare)
    try:
        yield files
    finally:
        start_thread(files.remove, FOREVER)
