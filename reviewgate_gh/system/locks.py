"""One at a time, on one machine: the operating system's own lock, which is free again however its holder ended."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TICK = 0.02


@contextmanager
def locked(path: Path, deadline: float) -> Iterator[bool]:
    """Hold the lock of this file or folder; False where so many seconds passed, or there is no place for it, and nothing is held."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        yield False
        return
    try:
        yield _taken(handle, deadline)
    finally:
        os.close(handle)


def _taken(handle: int, deadline: float) -> bool:
    end = time.monotonic() + deadline
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
        except OSError:
            return False  # a file system without locks
        time.sleep(_TICK)
