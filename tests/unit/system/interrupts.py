"""An interrupt at a moment that nobody chose."""

import gc
import signal
from contextlib import contextmanager, suppress

from reviewgate_gh.system import signals


@contextmanager
def interrupts():
    """A function that makes a call so many times, while an interrupt comes after so many
    seconds."""
    armed = []

    def interrupt(number, frame):
        if armed:
            armed.clear()
            signals._heard = None
            signals._interrupt(number, frame)

    def interrupted(call, *, after=0.000_2, times=1):
        with suppress(KeyboardInterrupt):
            armed.append(True)
            signal.setitimer(signal.ITIMER_REAL, after)
            for _ in range(times):
                call()
            armed.clear()  # where another thread is given the signal, ours learns of it later

    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # what is raised in the functions that libraries let it call is lost
    try:
        yield interrupted
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signals._heard = None
