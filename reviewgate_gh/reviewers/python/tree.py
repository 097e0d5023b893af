"""The Python files of a commit in a folder of their own, first as they are at head, then as they
were at base."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ...git import Git
from ...git.objects import TreeEntry, list_tree, read_blobs
from ...model.change import Change
from ...text.visible import is_valid_unicode

SUFFIXES = (".py", ".pyi")
_LARGEST = 1_000_000  # bytes of a file; a module that is not there is not there on either side
_BATCH = 500  # files in memory
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class PythonTree:
    """The folder. Links are never written, so that nothing leads out of it."""

    def __init__(self, git: Git, change: Change, folder: Path) -> None:
        self._git, self._change, self._folder = git, change, folder

    @staticmethod
    def entries(git: Git, commit: str) -> tuple[TreeEntry, ...]:
        """The Python files of a commit that a folder can hold."""
        return tuple(
            entry
            for entry in list_tree(git, commit)
            if entry.mode.startswith("100") and is_python(entry.path)
        )

    def write_head(self, entries: Sequence[TreeEntry]) -> None:
        """All of these files."""
        self._write({entry.path: entry.oid for entry in entries})

    def turn_to_base(self) -> None:
        """What the change brought goes, and what it took away comes back."""
        files = self._change.files
        for file in files:
            if is_python(file.path) and file.mode != "000000":
                self._remove(self._folder / file.path)
        old = {
            file.old_path: file.old_oid
            for file in files
            if file.status != "A" and file.old_mode.startswith("100") and is_python(file.old_path)
        }
        self._write(old)

    def _write(self, oids: Mapping[str, str]) -> None:
        rows = [*oids.items()]
        for folder in {os.path.dirname(path) for path in oids}:
            with suppress(OSError):  # a name that no disk takes
                os.makedirs(self._folder / folder, exist_ok=True)
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            blobs = read_blobs(self._git, (oid for _path, oid in batch))
            for path, oid in batch:
                data = blobs.get(oid)
                if data is not None and len(data) <= _LARGEST:
                    self._put(path, data)

    def _remove(self, file: Path) -> None:
        """Without it; an empty folder would be a package."""
        file.unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            for folder in file.parents:
                if folder == self._folder:
                    break
                folder.rmdir()

    def _put(self, path: str, data: bytes) -> None:
        # Thousands of files: a path object takes longer than the file
        with suppress(OSError):
            file = os.open(f"{self._folder}/{path}", _NEW, 0o600)
            try:
                os.write(file, data)
            finally:
                os.close(file)


def is_python(path: str) -> bool:
    """A module by its name, at a place that stays below the folder."""
    parts = PurePosixPath(path).parts
    return (
        path.endswith(SUFFIXES)
        and is_valid_unicode(path)
        and not path.startswith(("/", "-"))
        and not any(part == ".." or part.lower() == ".git" for part in parts)
    )
