"""Threads that a signal cannot break, and waiting with a time limit."""

import _thread
import atexit
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

END_SECONDS = 2.0  # seconds
FOREVER = 86_400.0

_running: dict["OneTimeEvent", float] = {}


class OneTimeEvent:
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


def start_thread(call: Callable[[], object], at_end: float = 0.0) -> OneTimeEvent:
    """Make the call on a thread of its own; what is returned tells of its end. `call` lets no error
    out.

    The end of this process waits for it `at_end` seconds.

    Raises:
        RuntimeError: the system has no thread to give.
    """
    over, calls = OneTimeEvent(), [call]

    def run() -> None:
        _running[over] = at_end
        try:
            # With the call goes what it holds, and folders with that: all of it before its end is
            # told
            calls.pop()()
        finally:
            over.set()
            _running.pop(over, None)

    _running[over] = min(
        at_end, END_SECONDS
    )  # an interrupt may come before there is a thread, and nobody can tell
    try:
        _thread.start_new_thread(run, ())
    except RuntimeError:
        del _running[over]
        raise
    return over


@atexit.register
def join_threads() -> None:
    """Wait for what was begun, as long as each may take from now."""
    start = time.monotonic()
    with suppress(KeyError):
        while True:
            over, seconds = _running.popitem()
            over.wait(start + seconds - time.monotonic())


os.register_at_fork(after_in_child=_running.clear)


_TICK = 0.2
_over = OneTimeEvent()
T = TypeVar("T")


def with_timeout(seconds: float, call: Callable[[], T]) -> T:
    """The call's value, or TimeoutError after so many seconds: names that do not resolve and
    drop-by-drop answers know no timeout.

    It runs on a thread of its own, which is left behind then.
    """
    values, errors = list[T](), list[BaseException]()

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:
            errors.append(error)

    done = start_thread(run)  # nobody need wait for it at the end: its call changes nothing here
    end = time.monotonic() + seconds
    while not done.wait(
        min(_TICK, max(0.0, end - time.monotonic()))
    ):  # in steps: a signal that another thread is given must not wait
        if time.monotonic() >= end or _over.is_set():
            raise TimeoutError
    if errors:
        raise errors[0]
    return values[0]


def interruptible_sleep(seconds: float) -> None:
    """Wait so long."""
    _over.wait(seconds)


def end_all_waits() -> None:
    """Nobody waits any longer, in this process."""
    _over.set()
