"""Signals that end a run: an interrupt, once, however many come at once and wherever Python was.

An exception that a signal handler raises can come between any two instructions of the main thread
and leave a library's locks held
(https://docs.python.org/3/library/signal.html#note-on-signal-handlers-and-exceptions). Condition,
Event, Future and Thread.start are Python code that this breaks: all that the main thread does with
them stands in `deferred_interrupts`.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 5.0  # seconds in which a run that was interrupted comes to its end
_AGAIN = 0.01

_heard: float | None = None  # when, by the monotonic clock


class _Deferral(threading.local):  # handlers run on the main thread alone
    depth = 0
    pending = False


_deferral = _Deferral()


def install_handlers() -> None:
    """From now on signals interrupt; one that is ignored (nohup, a job in the background) stays
    so."""
    sys.unraisablehook = _not_raised
    signal.signal(signal.SIGALRM, _again)
    for sign in _SIGNALS:
        now = signal.getsignal(sign)
        if now is signal.SIG_DFL or (sign is signal.SIGINT and now is not signal.SIG_IGN):
            signal.signal(sign, _interrupt)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """An interrupt that comes in this block is raised at its end; the block must be short."""
    _deferral.depth += 1
    try:
        yield
    finally:
        _deferral.depth -= 1
        if _deferral.pending and not _deferral.depth:
            _deferral.pending = False
            raise KeyboardInterrupt


def was_interrupted() -> bool:
    """There was a signal; what is raised from then on, whatever it is, may have come of it."""
    return _heard is not None


def ignore_signals() -> None:
    """From now on they do nothing."""
    for sign in (*_SIGNALS, signal.SIGALRM):
        signal.signal(sign, signal.SIG_IGN)


def _interrupt(_number: int, _frame: Any) -> None:
    global _heard
    # A second one would break what the first has to clean up
    if _heard is None or time.monotonic() - _heard > _PATIENCE:
        _heard = time.monotonic()
        _deferral.pending = _deferral.depth > 0
        if not _deferral.pending:
            raise KeyboardInterrupt


def _not_raised(lost: "sys.UnraisableHookArgs") -> None:
    """Finalizers and the like let no error out: an interrupt that came there comes again."""
    if lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    else:
        sys.__unraisablehook__(lost)


def _again(number: int, frame: Any) -> None:
    global _heard
    _heard = None
    _interrupt(number, frame)
