"""Calls on threads of their own, each with a Future for its value, and waiting with a time limit.

The threads are daemons: those of a ThreadPoolExecutor hold the process at its end for as long as
their calls take (https://github.com/python/cpython/issues/80961), and a name that does not resolve
knows no timeout. All waiting is in short steps: a signal that the system gives to another thread
does not wake the main one, where alone its handler runs
(https://docs.python.org/3/library/signal.html#signals-and-threads).
"""

import atexit
import concurrent.futures
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from .signals import deferred_interrupts

END_SECONDS = 2.0  # seconds
FOREVER = 86_400.0
_STEP = 0.05

T = TypeVar("T")

_running: dict[Future[Any], float] = {}
_end_of_waits: Future[None] = Future()


def start_thread(call: Callable[[], T], at_end: float = 0.0) -> Future[T]:
    """Make the call on a thread of its own. The end of this process waits for it `at_end` seconds.

    Raises:
        RuntimeError: the system has no thread to give.
    """
    future, calls = Future[T](), [call]
    del call  # with the call goes what it holds, and folders with that, before its end is known

    def run() -> None:
        try:
            value = calls.pop()()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(value)
        finally:
            _running.pop(future, None)

    with deferred_interrupts():
        _running[future] = at_end
        try:
            threading.Thread(target=run, daemon=True).start()
        except RuntimeError:
            del _running[future]
            raise
    return future


def wait_for_any(seconds: float, *futures: Future[Any]) -> bool:
    """Whether one of them is done within so many seconds."""
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        with deferred_interrupts():
            done = concurrent.futures.wait(
                futures, max(0.0, min(_STEP, left)), concurrent.futures.FIRST_COMPLETED
            ).done
        if done or left <= 0:
            return bool(done)


def result_within(seconds: float, future: Future[T]) -> T:
    """Its value, or what its call raised.

    Raises:
        TimeoutError: it is not done after so many seconds.
    """
    if not wait_for_any(seconds, future):
        raise TimeoutError
    with deferred_interrupts():
        return future.result()


def with_timeout(seconds: float, call: Callable[[], T]) -> T:
    """The call's value, or TimeoutError after so many seconds: names that do not resolve and
    drop-by-drop answers know no timeout.

    It runs on a thread of its own, which is left behind then.
    """
    future = start_thread(call)  # nobody need wait for it at the end: its call changes nothing here
    return result_before_end(seconds, future)


def result_before_end(seconds: float, future: Future[T]) -> T:
    """As `result_within`; TimeoutError too where this process is about to end."""
    wait_for_any(seconds, future, _end_of_waits)
    return result_within(0, future)


def interruptible_sleep(seconds: float) -> None:
    """Wait so long, or until this process is about to end."""
    wait_for_any(seconds, _end_of_waits)


def end_all_waits() -> None:
    """Nobody waits any longer, in this process."""
    with deferred_interrupts():
        if not _end_of_waits.done():
            _end_of_waits.set_result(None)


@atexit.register
def join_threads() -> None:
    """Wait for what was started, as long as each may take from now."""
    start = time.monotonic()
    while _running:
        future, seconds = _running.popitem()
        wait_for_any(start + seconds - time.monotonic(), future)


os.register_at_fork(after_in_child=_running.clear)
