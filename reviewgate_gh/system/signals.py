"""Signals that end a run: an interrupt, once, however many come at once and wherever Python was."""

import signal
import sys
import threading
import time
from typing import Any

from .threads import start_thread

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 5.0  # seconds in which a run that was interrupted comes to its end
_AGAIN = 0.01

_heard: float | None = None  # when, by the monotonic clock
_last: int = signal.SIGINT


def install_handlers() -> None:
    """From now on signals interrupt; one that is ignored (nohup, a job in the background) stays
    so."""
    sys.unraisablehook = _not_raised
    for sign in _SIGNALS:
        now = signal.getsignal(sign)
        if now is signal.SIG_DFL or (sign is signal.SIGINT and now is not signal.SIG_IGN):
            signal.signal(sign, _interrupt)


def was_interrupted() -> bool:
    """There was a signal; what is raised from then on, whatever it is, may have come of it."""
    return _heard is not None


def ignore_signals() -> None:
    """From now on they do nothing."""
    for sign in _SIGNALS:
        signal.signal(sign, signal.SIG_IGN)


def _interrupt(number: int, _frame: Any) -> None:
    global _heard, _last
    if (
        _heard is None or time.monotonic() - _heard > _PATIENCE
    ):  # a second one would break what the first has to clean up
        _heard, _last = time.monotonic(), number
        raise KeyboardInterrupt


def _not_raised(lost: "sys.UnraisableHookArgs") -> None:
    """Finalizers and the like let no error out: an interrupt that came there comes again."""
    if lost.exc_type is KeyboardInterrupt:
        start_thread(_again)
    else:
        sys.__unraisablehook__(lost)


def _again() -> None:
    global _heard
    time.sleep(_AGAIN)
    _heard = None
    signal.pthread_kill(threading.main_thread().ident or 0, _last)
