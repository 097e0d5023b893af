"""Threads and waiting: whatever a signal interrupts, the next one who asks is answered."""

import sys
import threading
import time
from concurrent.futures import Future
from functools import partial

import pytest

from reviewgate_gh.system import threads
from reviewgate_gh.system.signals import deferred_interrupts
from reviewgate_gh.system.threads import FOREVER, result_within, start_thread, wait_for_any
from tests.support import ROOT, run
from tests.unit.system.interrupts import interrupts

_LATE = 30  # seconds: nothing here takes that long unless it hangs

_AT_THE_END = """
import time
from reviewgate_gh.system.threads import start_thread
start_thread(lambda: time.sleep({seconds}) or print("done", flush=True), {at_end})
"""

# Profilers and, from Python 3.12 on, audit hooks look on at each start of a thread, in Python,
# where signals are handled.
_INTERRUPTED_START = """
import os, signal, sys
from reviewgate_gh.system import signals
from reviewgate_gh.system.threads import FOREVER, start_thread
signals.install_handlers()
def look(_frame, event, called):
    # start_joinable_thread from 3.13 on
    if event == "c_call" and called.__name__ in ("start_new_thread", "start_joinable_thread"):
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGTERM)
sys.setprofile(look)
try:
    start_thread(bool, FOREVER)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_a_value_that_several_wait_for():
    future, known = Future(), []
    waiting = [
        threading.Thread(target=lambda: known.append(wait_for_any(_LATE, future))) for _ in range(5)
    ]
    for thread in waiting:
        thread.start()
    assert [wait_for_any(seconds, future) for seconds in (0, -1, 0.01)] == [False] * 3
    future.set_result(7)
    for thread in waiting:
        thread.join(_LATE)
    assert (
        known == [True] * 5 and wait_for_any(0, Future(), future) and result_within(0, future) == 7
    )


def test_an_interrupt_while_waiting_leaves_nothing_locked():
    with interrupts() as interrupted:
        for _ in range(300):
            future = Future()
            interrupted(partial(wait_for_any, 0, future), times=1000)
            assert wait_for_any(
                _LATE, start_thread(partial(future.set_result, None))
            ) and wait_for_any(0, future)


def test_an_interrupt_while_a_thread_starts_leaves_nothing_that_never_ends():
    started = []
    with interrupts() as interrupted:
        for _ in range(300):
            interrupted(lambda: started.append(start_thread(bool, FOREVER)), times=100)
    assert all(wait_for_any(_LATE, future) for future in started)
    end = time.monotonic() + _LATE
    while threads._running and time.monotonic() < end:
        time.sleep(0.01)
    assert not threads._running


def test_an_interrupt_that_was_deferred_comes_at_the_end():
    reached = []
    with interrupts() as interrupted:

        def work():
            with deferred_interrupts():
                with deferred_interrupts():
                    time.sleep(0.05)
                reached.append("inside")
            reached.append("after")

        interrupted(work)
        interrupted(work, after=60)
    assert reached == ["inside", "inside", "after"]


def test_when_its_end_is_known_all_that_it_held_is_gone():
    gone = []

    class Held:
        def __call__(self):
            pass

        def __del__(self):
            time.sleep(0.2)
            gone.append(True)

    future = start_thread(Held())
    assert wait_for_any(_LATE, future) and gone


@pytest.mark.parametrize(
    ("seconds", "at_end", "said"), [(0.3, "86400", "done\n"), (20, "0", ""), (20, "0.1", "")]
)
def test_the_end_of_a_process_waits_as_long_as_was_said(seconds, at_end, said):
    done = run([sys.executable, "-c", _AT_THE_END.format(seconds=seconds, at_end=at_end)], ROOT)
    assert (done.code, done.stdout, done.stderr) == (0, said, "")


def test_a_thread_whose_start_was_interrupted_does_not_hold_the_end_of_a_process():
    done = run([sys.executable, "-c", _INTERRUPTED_START], ROOT)
    assert (done.code, done.stdout, done.stderr) == (0, "interrupted\n", "")
