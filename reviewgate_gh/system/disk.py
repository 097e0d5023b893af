"""Files of the work tree compared with git's objects by their content: no index, no filters, no links.

A file that was compared is not read again as long as the system says that nobody has written to it.
"""

import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..model.digest import sha1, sha256

_LITTLE = 1_000_000  # bytes
_FRESH = 2.0  # seconds: a later change can have the same time only where the first was so late
_NOT_DOWN = ("", ".", "..")


class Disk:
    """A work tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = os.path.realpath(tree)
        self._direct = cache(self._is_direct)
        self._folder = cache(_is_folder)
        self._seen = 0  # bytes
        self._held: dict[tuple[str, str], os.stat_result] = {}

    def holds(self, path: str, oid: str) -> bool:
        """A regular file, reached without symbolic links, whose content is this blob."""
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
                if stat.S_ISREG(found.st_mode) and self._blob(file.read(), len(oid)) == oid:
                    if found.st_ctime < time.time() - _FRESH:
                        self._held[path, oid] = found
                    return True
        return False

    def lies(self, path: str, since: int) -> bool:
        """A regular file, reached without symbolic links, to which nobody has written since then (nanoseconds)."""
        with suppress(OSError, ValueError):
            found = os.lstat(os.path.join(self._tree, path))
            return stat.S_ISREG(found.st_mode) and found.st_mtime_ns < since and self._direct(path.rpartition("/")[0])
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
        found: str = kinds[length != 40](b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
        return found


def _quick() -> Sequence[Any]:
    """OpenSSL's, ten times as fast, which it takes a while to load."""
    import hashlib

    return hashlib.sha1, hashlib.sha256


def _unchanged(before: os.stat_result, now: os.stat_result) -> bool:
    """The same file, and nobody has written to it since: a change sets the second of its times, which nobody can set back."""
    names = ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
    return all(getattr(before, name) == getattr(now, name) for name in names)


def _is_folder(place: str) -> bool:
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(os.lstat(place).st_mode)
    return False
