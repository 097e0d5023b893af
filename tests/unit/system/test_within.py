"""Waiting has an end: by its own bound, and with the process."""

import sys
import threading

import pytest

from reviewgate_gh.system.threads import with_timeout
from tests.support import ROOT, run

# In a process of its own, since it ends all waiting there.
_ENDING = """
import threading
from reviewgate_gh.system.parallel import BackgroundCall, end_background_work
from reviewgate_gh.system.threads import interruptible_sleep, with_timeout
waits = (lambda: with_timeout(600, threading.Event().wait), lambda: interruptible_sleep(600))
calls = [BackgroundCall(call) for call in waits]
end_background_work()
print([call.wait(0) for call in calls])
"""


def test_a_value_an_error_and_too_late():
    assert with_timeout(60, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        with_timeout(60, lambda: 1 // 0)
    over = threading.Event()
    with pytest.raises(TimeoutError):
        with_timeout(0.05, over.wait)
    over.set()


def test_when_a_process_ends_nobody_waits_any_longer():
    done = run([sys.executable, "-c", _ENDING], ROOT)
    assert done.stdout == "[True, True]\n", done.output
