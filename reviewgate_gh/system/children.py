"""The programs that run now: from their very start somebody can end them, one alone or all, each with its group."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..model.errors import GateError
from . import guard
from .search_path import with_absolute_places
from .threads import SOON, Latch, begin

TICK = 0.05
_GRACE = 1.0

_running: set["Life"] = set()
kept: set["subprocess.Popen[bytes]"] = set()  # to be ended, too, when all is stopped; nobody watches them
_stopping = Latch()


class ToolMissing(GateError):
    """The program is not there or may not be run."""


def start(
    argv: Sequence[str], cwd: str | Path, env: Mapping[str, str], source: IO[bytes] | int, out: IO[bytes] | int, err: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """A program in a session of its own; whoever starts it sees to its end, and when this process is killed it ends, too.

    Raises:
        ToolMissing: it could not be started.
    """
    if _stopping.is_set():
        raise ToolMissing(f"cannot run {argv[0]}: this run was interrupted")
    own = guard.marked(with_absolute_places(env))
    try:
        child = subprocess.Popen(list(argv), cwd=cwd, env=own, stdin=source, stdout=out, stderr=err, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolMissing(f"cannot run {argv[0]}: {reason}") from None
    guard.watch(child)
    return child


class Life:
    """A program from its start to its end, on a thread of its own.

    Signals interrupt the main thread alone, and would else find it where the program runs and nobody knows of it yet.
    """

    def __init__(self, launch: "Callable[[], subprocess.Popen[bytes]]", leave: "Callable[[subprocess.Popen[bytes]], object]") -> None:
        self._launch, self._leave = launch, leave
        self._begun, self.done = Latch(), Latch()
        self._child: subprocess.Popen[bytes] | None = None
        self._error: BaseException | None = None

    def begin(self) -> None:
        """Start it, and wait until it runs.

        Raises:
            ToolMissing: it could not be started.
        """
        begin(self._run, SOON)
        while not self._begun.wait(TICK):
            pass
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._child = child = self._launch()
        except BaseException as error:
            self._error = error
            return
        finally:
            self._begun.set()
        self._leave(child)
        self.done.set()

    @property
    def child(self) -> "subprocess.Popen[bytes]":
        """What was started."""
        if self._child is None:
            raise ValueError("it was not started")
        return self._child

    def end(self) -> None:
        """End it and its group, wherever its start has got to."""
        self._begun.wait(_GRACE)
        if self._child is None:
            return
        for sign in (signal.SIGTERM, signal.SIGCONT):
            signal_group(self._child, sign)
        if self.done.wait(_GRACE):
            time.sleep(TICK)  # others may be left in its group, and have had no time
        signal_group(self._child, signal.SIGKILL)
        self.done.wait(_GRACE)

    def let_go(self) -> None:
        """Its group is at its end."""
        if self._child is not None:
            guard.release(self._child)


@contextmanager
def living(launch: "Callable[[], subprocess.Popen[bytes]]", leave: "Callable[[subprocess.Popen[bytes]], object]") -> Iterator[Life]:
    """A program that runs; when we are interrupted it ends, from its very start on."""
    life = Life(launch, leave)
    _running.add(life)
    try:
        life.begin()
        yield life
    except BaseException:
        life.end()
        raise
    finally:
        _running.discard(life)
        life.let_go()


def stop_all() -> None:
    """End every program that runs, on whichever thread, and start no more: this process is about to end itself."""
    _stopping.set()
    for child in tuple(kept):
        if child.poll() is None:  # a copy of the process that started it is told that it has none: the number may be another's by now
            signal_group(child, signal.SIGKILL)
    end = time.monotonic() + 3 * _GRACE
    while _running and time.monotonic() < end:
        time.sleep(TICK)


def interrupted() -> bool:
    """This process is about to end itself."""
    return _stopping.is_set()


def signal_group(child: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    """Send it to the program and all of its group, while there is one."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, sign)
