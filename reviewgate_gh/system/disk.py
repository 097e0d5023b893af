"""Files of the work tree compared with git's objects by their content: no index, no filters, no links."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..model.digest import sha1, sha256

_LITTLE = 1_000_000  # bytes
_NOT_DOWN = ("", ".", "..")


class Disk:
    """A work tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = os.path.realpath(tree)
        self._direct = cache(self._is_direct)
        self._folder = cache(_is_folder)
        self._seen = 0  # bytes

    def holds(self, path: str, oid: str) -> bool:
        """A regular file, reached without symbolic links, whose content is this blob."""
        folder, _, _name = path.rpartition("/")
        if not self._direct(folder):
            return False
        with suppress(OSError, ValueError):
            handle = os.open(os.path.join(self._tree, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                return stat.S_ISREG(os.fstat(handle).st_mode) and self._blob(file.read(), len(oid)) == oid
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


def _is_folder(place: str) -> bool:
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(os.lstat(place).st_mode)
    return False
