"""A bound on the time of whatever has none of its own."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

_TICK = 0.2
T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's value, or TimeoutError after so many seconds: names that do not resolve and drop-by-drop answers know no timeout."""
    done, values, errors = threading.Event(), list[T](), list[BaseException]()

    def run() -> None:
        try:
            values.append(call())
        except BaseException as error:
            errors.append(error)
        done.set()

    threading.Thread(target=run, daemon=True).start()
    end = time.monotonic() + seconds
    while not done.wait(min(_TICK, max(0.0, end - time.monotonic()))):  # in steps: a signal that another thread is given must not wait
        if time.monotonic() >= end:
            raise TimeoutError
    if errors:
        raise errors[0]
    return values[0]
