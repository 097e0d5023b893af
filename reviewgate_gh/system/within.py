"""Waiting that ends: a bound on the time of whatever has none of its own, and a word to all who wait when the process is to end."""

import time
from collections.abc import Callable
from typing import TypeVar

from .threads import Latch, begin

_TICK = 0.2
_over = Latch()
T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's value, or TimeoutError after so many seconds: names that do not resolve and drop-by-drop answers know no timeout.

    It runs on a thread of its own, which is left behind then.
    """
    values, errors = list[T](), list[BaseException]()

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:
            errors.append(error)

    done = begin(run)  # nobody need wait for it at the end: its call changes nothing here
    end = time.monotonic() + seconds
    while not done.wait(min(_TICK, max(0.0, end - time.monotonic()))):  # in steps: a signal that another thread is given must not wait
        if time.monotonic() >= end or _over.is_set():
            raise TimeoutError
    if errors:
        raise errors[0]
    return values[0]


def pause(seconds: float) -> None:
    """Wait so long."""
    _over.wait(seconds)


def end_waiting() -> None:
    """Nobody waits any longer, in this process."""
    _over.set()
