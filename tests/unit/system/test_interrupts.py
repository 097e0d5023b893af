"""Signals become one interrupt that is neither lost nor told as a fault of ours."""

import os
import re
import sys

import pytest

from tests.support import ROOT, run

FULL = os.environ.get("REVIEWGATE_GH_FULL")

_NOT_LOST = """
import os, signal, sys, time, weakref
from reviewgate_gh.system import signals
signals.install_handlers()
class Thing: pass
thing = Thing()
weakref.finalize(thing, lambda: [os.kill(os.getpid(), signal.SIGTERM), time.sleep(0.1)])
try:
    del thing
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", signals.was_interrupted())
"""

_OTHER_ERRORS = """
import sys
from reviewgate_gh.system import signals
signals.install_handlers()
class Bad:
    def __del__(self): raise ValueError("this one is not ours")
Bad()
print(signals.was_interrupted())
"""

_ONCE = """
import os, signal, time
from reviewgate_gh.system import signals
signals.install_handlers()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
except KeyboardInterrupt:
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(os.getpid(), sign)
    time.sleep(0.1)
    print("cleaned up")
signals._heard -= 6  # seconds later it is still at work
try:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
except KeyboardInterrupt:
    print("once more")
signals.ignore_signals()
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.1)
print("ignored")
"""

_KEPT = """
import signal, sys
from reviewgate_gh.system import signals
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signals.install_handlers()
signs = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
print([signal.getsignal(sign) is signal.SIG_IGN for sign in signs])
"""

_SWALLOWED = """
import os, signal, time
import click
from reviewgate_gh.cli import run
@click.command("verb")
def verb():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    except BaseException:
        print("no matter")
print(run(verb, []))
"""

# A whole run, in copies of this process, with a signal at the n-th call that it makes.
_ANYWHERE = """
import os, signal, sys
import click
from reviewgate_gh.cli import run
from reviewgate_gh.text import safe
from reviewgate_gh.system.parallel import BackgroundCall

class Named:
    def __set_name__(self, owner, name): pass

@click.command("verb")
def verb():
    class Kind:
        value = Named()
    BackgroundCall(bool).result()
    print("all of it")

def end_with_a_signal(at, counted):
    made = 0
    def count(_frame, event, _argument):
        nonlocal made
        made += event == "call"
        if made == at:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGTERM)
    sys.setprofile(count)
    code = run(verb, [])
    sys.setprofile(None)
    os.write(counted, b"%d" % made)
    os._exit(code)

def ending(at):
    reading, writing = os.pipe()
    if (copy := os.fork()) == 0:
        end_with_a_signal(at, writing)
    os.close(writing)
    code, made = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), os.read(reading, 100)
    os.close(reading)
    return code, int(made or 0)

code, made = ending(0)
print(code, *(ending(at)[0] for at in range(1, made, int(sys.argv[1]))))
"""


@pytest.mark.parametrize(
    ("script", "said", "told"),
    [
        (_NOT_LOST, "interrupted True\n", ""),
        (_OTHER_ERRORS, "False\n", "ValueError: this one is not ours"),
        (_ONCE, "cleaned up\nonce more\nignored\n", ""),
        (_KEPT, "[True, False, True]\n", ""),
        (_SWALLOWED, "no matter\n130\n", "verb: interrupted"),
    ],
    ids=["in a finalizer", "other errors", "once", "ignored ones", "swallowed"],
)
def test_a_signal_interrupts_once(script, said, told):
    done = run([sys.executable, "-c", script], ROOT)
    assert (done.code, done.stdout) == (0, said) and (
        told in done.stderr if told else not done.stderr
    )


@pytest.mark.contract(plain=False)
def test_a_signal_at_any_call_of_a_run_ends_it_in_one_line():
    done = run([sys.executable, "-c", _ANYWHERE, "1" if FULL else "5"], ROOT)
    # Not yet, by the run, and no longer
    assert re.fullmatch(r"(all of it\n)+0( -15)+( 130){40,}( 0)+\n", done.stdout), done.output
    told = [line for line in done.stderr.splitlines() if line]
    assert told == ["verb: interrupted"] * done.stdout.count(" 130")
