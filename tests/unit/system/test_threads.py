"""Threads and latches: whatever a signal interrupts, the next one who asks is answered."""

import sys
import threading
import time
from functools import partial

import pytest

from reviewgate_gh.system import threads
from reviewgate_gh.system.threads import FOREVER, OneTimeEvent, start_thread
from tests.support import ROOT, run
from tests.unit.system.interrupts import interrupts

_LATE = 30  # seconds: nothing here takes that long unless it hangs

_AT_THE_END = """
import time
from reviewgate_gh.system.threads import start_thread
start_thread(lambda: time.sleep({seconds}) or print("done", flush=True), {at_end})
"""

# Profilers and, from Python 3.12 on, audit hooks look on at each start of a thread, in Python,
# where signals are told.
_NEVER_STARTED = """
import _thread, sys
from reviewgate_gh.system.threads import FOREVER, start_thread
def look(_frame, event, called):
    if (event, called) == ("c_call", _thread.start_new_thread):
        sys.setprofile(None)
        raise KeyboardInterrupt
sys.setprofile(look)
try:
    start_thread(bool, FOREVER)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_a_latch_happens_once_and_all_learn_of_it():
    latch, told = OneTimeEvent(), []
    waiting = [threading.Thread(target=lambda: told.append(latch.wait(_LATE))) for _ in range(5)]
    for thread in waiting:
        thread.start()
    assert (latch.is_set(), latch.wait(0), latch.wait(-1), latch.wait(0.01)) == (
        False,
        False,
        False,
        False,
    )
    latch.set()
    latch.set()
    for thread in waiting:
        thread.join(_LATE)
    assert told == [True] * 5 and latch.is_set() and latch.wait(0)


def test_who_is_interrupted_while_waiting_locks_nobody_out():
    with interrupts() as interrupted:
        for _ in range(300):
            latch = OneTimeEvent()
            interrupted(partial(latch.wait, 0), times=10_000)
            assert start_thread(latch.set).wait(_LATE) and latch.wait(0)


def test_who_is_interrupted_while_beginning_leaves_nothing_that_never_ends():
    begun = []
    with interrupts() as interrupted:
        for _ in range(300):
            interrupted(lambda: begun.append(start_thread(bool, FOREVER)), times=100)
    assert all(latch.wait(_LATE) for latch in begun)
    end = time.monotonic() + _LATE
    while FOREVER in threads._running.values() and time.monotonic() < end:
        time.sleep(0.01)
    assert (
        FOREVER not in threads._running.values()
    )  # those whose thread was never started are waited for a moment


def test_when_its_end_is_told_all_that_it_held_is_gone():
    gone = []

    class Held:
        def __call__(self):
            pass

        def __del__(self):
            time.sleep(0.2)
            gone.append(True)

    latch = start_thread(Held())
    assert latch.wait(_LATE) and gone


@pytest.mark.parametrize(
    ("seconds", "at_end", "said"), [(0.3, "86400", "done\n"), (20, "0", ""), (20, "0.1", "")]
)
def test_the_end_of_a_process_waits_as_long_as_was_said(seconds, at_end, said):
    done = run([sys.executable, "-c", _AT_THE_END.format(seconds=seconds, at_end=at_end)], ROOT)
    assert (done.code, done.stdout, done.stderr) == (0, said, "")


def test_the_end_of_a_process_does_not_wait_for_a_thread_that_was_never_started():
    done = run([sys.executable, "-c", _NEVER_STARTED], ROOT)
    assert (done.code, done.stdout, done.stderr) == (0, "interrupted\n", "")
