"""The user's logins, copied for programs that need them: one shared copy, since vendors revoke what
was refreshed elsewhere."""

import atexit
import errno
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from .files import file_lock, write_atomic
from .signals import deferred_interrupts
from .temp_dirs import make_temp_dir, remove_temp_dir
from .threads import start_thread

_MOST = 1_000_000  # bytes


def read_small(path: Path) -> bytes:
    """The content of a regular file of at most a megabyte.

    Raises:
        OSError: it is none, is larger, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not S_ISREG(found.st_mode) or found.st_size > _MOST:
            raise OSError(errno.EFBIG, "not a small file", str(path))
        return os.read(handle, _MOST)
    finally:
        os.close(handle)


_PATIENCE = 5.0  # seconds for another gate that brings the same login back
_TICK = 0.05  # seconds between two looks at a copy: what one program renewed, another may wipe out

_lock = threading.Lock()
_there: dict[frozenset[tuple[str, Path]], "_SharedCopy"] = {}


class _SharedCopy:
    """The files by their names below a folder that nobody else can enter.

    `same` is how they were when we and the user had the same, `good` how they were last whole.
    """

    def __init__(self, own: Mapping[str, Path]) -> None:
        self.own = own
        self.same: dict[str, bytes] = {}
        self.good: dict[str, bytes] = {}
        self.holders = 0
        self.looking, self.over = threading.Lock(), threading.Event()
        self.folder = make_temp_dir("agent")
        try:
            for name, path in own.items():
                self.same[name] = self.good[name] = read_small(path)
                write_atomic(self.folder / name, self.same[name], 0o600)
        except BaseException:
            self.remove()
            raise
        start_thread(self._watch)

    def copy_back(self, patience: float) -> None:
        """What was renewed, where the user's own is still what it was made of; nothing where its
        folder stays locked."""
        self._look()
        for name, path in self.own.items():
            if self.good[name] == self.same[name]:
                continue
            with suppress(OSError), file_lock(path.resolve().parent, patience) as ours:
                renewed = self.good[name]
                if ours and read_small(path) == self.same[name]:
                    write_atomic(path.resolve(), renewed, path.stat().st_mode & 0o777)
                    self.same[name] = renewed

    def restore_lost(self) -> None:
        """Who was refused may have written down that nobody is logged in: not for those who come
        later."""
        if any(self._whole(name) is None for name in self.own):
            time.sleep(_TICK)  # somebody may be writing just now
        for name in self.own:
            if self._whole(name) is None:
                write_atomic(self.folder / name, self.good[name], 0o600)

    def remove(self) -> None:
        """It holds secrets."""
        with deferred_interrupts():
            self.over.set()
        remove_temp_dir(self.folder)

    def _watch(self) -> None:
        while not self.over.wait(_TICK):
            if self._look():
                self.copy_back(0)  # where that cannot be now, whoever leaves has the patience

    def _look(self) -> bool:
        """Whether something was renewed since the last look."""
        with self.looking:
            seen = {name: self._whole(name) or good for name, good in self.good.items()}
            news, self.good = seen != self.good, seen
            return news

    def _whole(self, name: str) -> bytes | None:
        """What the copy of this file holds, unless a login was lost there."""
        with suppress(OSError, ValueError, RecursionError):
            now, good = read_small(self.folder / name), self.good[name]
            if now == good or _still_in(json.loads(good), json.loads(now)):
                return now
        return None


@contextmanager
def borrowed_credentials(own: Mapping[str, Path]) -> Iterator[Path]:
    """A folder with a copy of each of the user's files by its name; the same one for all that hold
    it at once, gone with the last.

    A login that a program renews there is brought back, or the user would be logged out.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    key = frozenset(own.items())
    with _lock:
        copy = _there[key] = _there.get(key) or _SharedCopy(own)
        copy.holders += 1
    try:
        copy.restore_lost()
        yield copy.folder
    finally:
        copy.copy_back(_PATIENCE)  # it may wait: others come and go meanwhile
        _leave(key, copy)


def _leave(key: frozenset[tuple[str, Path]], copy: _SharedCopy) -> None:
    with _lock:
        copy.holders -= 1
        if copy.holders:
            return
        del _there[key]
    copy.remove()


def _still_in(before: Any, now: Any) -> bool:
    """Each token has one in its place: a program that is refused writes down that nobody is logged
    in, which is not to spread."""
    return isinstance(before, dict) <= isinstance(now, dict) and set(_tokens(before)) <= set(
        _tokens(now)
    )


def _tokens(login: Any, *place: str) -> Iterator[tuple[str, ...]]:
    """Where they stand; the rest of a login may come and go."""
    if isinstance(login, dict):
        for name, value in login.items():
            if value and isinstance(value, str) and "token" in name.lower():
                yield (*place, name)
            yield from _tokens(value, *place, name)


@atexit.register
def _return_rest() -> None:
    """Threads that an interrupted run does not wait for had no time to."""
    for copy in tuple(_there.values()):
        copy.copy_back(_PATIENCE)
        copy.remove()
