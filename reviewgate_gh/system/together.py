"""Several calls at once on threads, without the library's import cost: a gate's time is mostly its start."""

import importlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from .children import stop_all
from .threads import EVER, SOON, Latch, begin, let_end
from .within import end_waiting

_TICK = 0.2
T = TypeVar("T")
R = TypeVar("R")


class Later(Generic[R]):
    """A call that runs on a thread of its own; `result` waits for it and raises what it raised."""

    def __init__(self, call: Callable[..., R], *args: Any) -> None:
        self._call = call
        self._args = args
        self._value: list[R] = []
        self._error: BaseException | None = None
        self._over = begin(self._run, SOON)

    def _run(self) -> None:
        try:
            self._value.append(self._call(*self._args))
        except BaseException as error:
            self._error = error

    def wait(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        return self._over.wait(seconds)

    def result(self) -> R:
        """The call's value. An interrupt ends the programs that the threads wait for, before what they work in is removed."""
        return self.within(EVER)

    def within(self, seconds: float) -> R:
        """The same, or TimeoutError after so many seconds; the thread then goes on, and nobody waits for it."""
        end = time.monotonic() + seconds
        try:
            while not self.wait(
                min(_TICK, max(0.0, end - time.monotonic()))
            ):  # in steps: a signal that another thread is given must not wait
                if time.monotonic() >= end:
                    raise TimeoutError
        except KeyboardInterrupt:
            stop_all()
            raise
        if self._error is not None:
            raise self._error
        return self._value[0]


def once(call: Callable[[], R]) -> Callable[[], R]:
    """The call made when somebody first asks, whichever thread that is; the others wait for its value."""
    lock = threading.Lock()
    values: list[R] = []

    def value() -> R:
        with lock:
            if not values:
                values.append(call())
            return values[0]

    return value


def read_ahead(*modules: str, then: Callable[[], object] = bool) -> None:
    """Import these on a thread and then do what will be wanted next: Python has nothing else to do while a tool is at work."""
    Later(lambda: [*(importlib.import_module(f"reviewgate_gh.{module}") for module in modules), then()])


def together(call: Callable[[T], R], items: Sequence[T], most: int) -> list[R]:
    """`call` over the items, begun in their order, at most so many at once; the results in that order, or the first error."""
    free, begun = threading.Semaphore(most), [Latch() for _ in items]

    def in_turn(at: int) -> R:
        while at and not begun[at - 1].wait(EVER):
            pass
        with free:
            begun[at].set()
            return call(items[at])

    return [later.result() for later in [Later(in_turn, at) for at in range(len(items))]]


def end_all() -> None:
    """End what other threads still do, as this process is about to: the programs that they wait for, then the threads, which end soon."""
    stop_all()
    end_waiting()
    let_end()
