"""Waiting has an end: by its own bound, and with the process."""

import sys
import threading

import pytest

from reviewgate_gh.system.within import within

from ...support import ROOT, run

# In a process of its own, since it ends all waiting there.
_ENDING = """
import threading
from reviewgate_gh.system.together import Later, end_all
from reviewgate_gh.system.within import pause, within
calls = [Later(call) for call in (lambda: within(600, threading.Event().wait), lambda: pause(600))]
end_all()
print([call.wait(0) for call in calls])
"""


def test_a_value_an_error_and_too_late():
    assert within(60, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 // 0)
    over = threading.Event()
    with pytest.raises(TimeoutError):
        within(0.05, over.wait)
    over.set()


def test_when_a_process_ends_nobody_waits_any_longer():
    done = run([sys.executable, "-c", _ENDING], ROOT)
    assert done.stdout == "[True, True]\n", done.output
