"""Threads, and waiting for what happens once, that a signal cannot spoil.

The library's events, and the start of its threads, stay locked when a handler raises at the wrong moment: who asks next hangs.
"""

import _thread
import atexit
import os
import time
from collections.abc import Callable
from contextlib import suppress

SOON = 2.0  # seconds
EVER = 86_400.0

_running: dict["Latch", float] = {}


class Latch:
    """Something that happens once. Any number of threads may wait for it; one tells that it has."""

    def __init__(self) -> None:
        self._happened = False
        self._held = _thread.allocate_lock()
        self._held.acquire()

    def set(self) -> None:
        """It has happened."""
        if not self._happened:
            self._happened = True
            self._held.release()

    def is_set(self) -> bool:
        """Whether it has."""
        return self._happened

    def wait(self, seconds: float) -> bool:
        """Whether it happens within so many seconds."""
        if not self._happened and self._held.acquire(timeout=max(0.0, seconds)):
            self._held.release()  # the next one's turn; whoever comes later need not ask
        return self._happened


def begin(call: Callable[[], object], at_end: float = 0.0) -> Latch:
    """Make the call on a thread of its own; what is returned tells of its end. `call` lets no error out.

    The end of this process waits for it `at_end` seconds.

    Raises:
        RuntimeError: the system has no thread to give.
    """
    over, calls = Latch(), [call]

    def run() -> None:
        _running[over] = at_end
        try:
            calls.pop()()  # with the call goes what it holds, and folders with that: all of it before its end is told
        finally:
            over.set()
            _running.pop(over, None)

    _running[over] = min(at_end, SOON)  # an interrupt may come before there is a thread, and nobody can tell
    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:
        del _running[over]
        raise
    return over


@atexit.register
def let_end() -> None:
    """Wait for what was begun, as long as each may take from now."""
    start = time.monotonic()
    with suppress(KeyError):
        while True:
            over, seconds = _running.popitem()
            over.wait(start + seconds - time.monotonic())


os.register_at_fork(after_in_child=_running.clear)
