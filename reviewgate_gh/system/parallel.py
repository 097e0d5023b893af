"""Several calls at once on threads, without the library's import cost: a gate's time is mostly its
start."""

import importlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from .children import stop_all_children
from .threads import END_SECONDS, FOREVER, OneTimeEvent, end_all_waits, join_threads, start_thread

_TICK = 0.2
T = TypeVar("T")
R = TypeVar("R")


class BackgroundCall(Generic[R]):
    """A call that runs on a thread of its own; `result` waits for it and raises what it raised."""

    def __init__(self, call: Callable[..., R], *args: Any) -> None:
        self._call = call
        self._args = args
        self._value: list[R] = []
        self._error: BaseException | None = None
        self._over = start_thread(self._run, END_SECONDS)

    def _run(self) -> None:
        try:
            self._value.append(self._call(*self._args))
        except BaseException as error:
            self._error = error

    def wait(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        return self._over.wait(seconds)

    def result(self) -> R:
        """The call's value.

        An interrupt ends the programs that the threads wait for, before what they work in is
        removed.
        """
        return self.result_within(FOREVER)

    def result_within(self, seconds: float) -> R:
        """The same, or TimeoutError after so many seconds; the thread then goes on, and nobody
        waits for it."""
        end = time.monotonic() + seconds
        try:
            while not self.wait(
                min(_TICK, max(0.0, end - time.monotonic()))
            ):  # in steps: a signal that another thread is given must not wait
                if time.monotonic() >= end:
                    raise TimeoutError
        except KeyboardInterrupt:
            stop_all_children()
            raise
        if self._error is not None:
            raise self._error
        return self._value[0]


def call_once(call: Callable[[], R]) -> Callable[[], R]:
    """The call made when somebody first asks, whichever thread that is; the others wait for its
    value."""
    lock = threading.Lock()
    values: list[R] = []

    def value() -> R:
        with lock:
            if not values:
                values.append(call())
            return values[0]

    return value


def preload_modules(*modules: str, then: Callable[[], object] = bool) -> None:
    """Import these on a thread and then do what will be wanted next: Python has nothing else to do
    while a tool is at work."""
    BackgroundCall(
        lambda: [
            *(importlib.import_module(f"reviewgate_gh.{module}") for module in modules),
            then(),
        ]
    )


def map_parallel(call: Callable[[T], R], items: Sequence[T], most: int) -> list[R]:
    """`call` over the items, begun in their order, at most so many at once; the results in that
    order, or the first error."""
    free, begun = threading.Semaphore(most), [OneTimeEvent() for _ in items]

    def in_turn(at: int) -> R:
        while at and not begun[at - 1].wait(FOREVER):
            pass
        with free:
            begun[at].set()
            return call(items[at])

    return [later.result() for later in [BackgroundCall(in_turn, at) for at in range(len(items))]]


def end_background_work() -> None:
    """End what other threads still do, as this process is about to: the programs that they wait
    for, then the threads, which end soon."""
    stop_all_children()
    end_all_waits()
    join_threads()
