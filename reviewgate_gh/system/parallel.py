"""Several calls at once: background calls that an interrupt ends together with the programs they
wait for."""

import importlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from .children import stop_all_children
from .threads import (
    END_SECONDS,
    FOREVER,
    end_all_waits,
    join_threads,
    result_within,
    start_thread,
    wait_for_any,
)

T = TypeVar("T")
R = TypeVar("R")


class BackgroundCall(Generic[R]):
    """A call that runs on a thread of its own; `result` waits for it and raises what it raised."""

    def __init__(self, call: Callable[..., R], *args: Any) -> None:
        self._future = start_thread(partial(call, *args), END_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        return wait_for_any(seconds, self._future)

    def result(self, seconds: float = FOREVER) -> R:
        """The call's value, or TimeoutError after so many seconds; the thread then goes on, and
        nobody waits for it."""
        return _result(self._future, seconds)


def _result(future: Future[R], seconds: float = FOREVER) -> R:
    """An interrupt ends the programs that the threads wait for, before what they work in is
    removed."""
    try:
        return result_within(seconds, future)
    except KeyboardInterrupt:
        stop_all_children()
        raise


def map_parallel(call: Callable[[T], R], items: Sequence[T], most: int) -> list[R]:
    """`call` over the items, started in their order, at most so many at once; the results in that
    order, or the first error."""
    results = [Future[R]() for _ in items]
    waiting = deque(zip(items, results, strict=True))

    def work() -> None:
        while waiting:
            _take_one(waiting, call)

    for _ in range(min(most, len(items))):
        start_thread(work, END_SECONDS)
    return [_result(result) for result in results]


class WorkSlots:
    """So many calls at once, whoever makes them: those of `map`, and the parts of such a call that
    `map_parts` makes."""

    def __init__(self, most: int) -> None:
        self._most, self._free = most, threading.Semaphore(most)

    def map(self, call: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """As map_parallel."""

        def with_slot(item: T) -> R:
            with self._free:
                return call(item)

        return map_parallel(with_slot, items, self._most)

    def map_parts(self, call: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """The same within a call of `map`: this thread works through the items, and others help as
        long as slots are free. Nobody waits for a slot while an item waits for nobody."""
        results = [Future[R]() for _ in items]
        waiting = deque(zip(items, results, strict=True))

        def help_out() -> None:
            while waiting:
                with self._free:
                    _take_one(waiting, call)

        for _ in range(min(self._most, len(items)) - 1):
            start_thread(help_out, END_SECONDS)
        while waiting:
            _take_one(waiting, call)
        return [_result(result) for result in results]


def _take_one(waiting: "deque[tuple[T, Future[R]]]", call: Callable[[T], R]) -> None:
    with suppress(IndexError):
        item, result = waiting.popleft()
        try:
            result.set_result(call(item))
        except BaseException as error:
            result.set_exception(error)


def call_once(call: Callable[[], R]) -> Callable[[], R]:
    """The call made when somebody first asks, whichever thread that is; the others wait for its
    value.

    functools.cache makes it more than once where several ask at the same time
    (https://docs.python.org/3/library/functools.html#functools.cache).
    """
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


def end_background_work() -> None:
    """End what other threads still do, as this process is about to: the programs that they wait
    for, then the threads, which end soon."""
    stop_all_children()
    end_all_waits()
    join_threads()
