"""The programs that run now: each with its process group, so that all of it can be ended."""

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..model.errors import GateError
from . import guard
from .search_path import with_absolute_paths
from .threads import END_SECONDS, FOREVER, result_within, start_thread, wait_for_any

POLL_SECONDS = 0.05
_GRACE = 1.0

_running: set["ChildProcess"] = set()
# To be ended, too, when all is stopped; nobody watches them
unwatched_children: set["subprocess.Popen[bytes]"] = set()
_stopping = False


class ToolMissing(GateError):
    """The program is not there or may not be run."""


def start_process(
    argv: Sequence[str],
    cwd: str | Path,
    env: Mapping[str, str],
    source: IO[bytes] | int,
    out: IO[bytes] | int,
    err: IO[bytes],
) -> "subprocess.Popen[bytes]":
    """A program in a session of its own; whoever starts it sees to its end, and when this process
    is killed it ends, too.

    Raises:
        ToolMissing: it could not be started.
        OSError: too many files are open.
    """
    if _stopping:
        raise ToolMissing(f"cannot run {argv[0]}: this run was interrupted")
    own = guard.with_run_variable(with_absolute_paths(env))
    try:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=own,
            stdin=source,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        if getattr(error, "errno", 0) in (errno.EMFILE, errno.ENFILE):
            raise  # no fault of the program
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolMissing(f"cannot run {argv[0]}: {reason}") from None
    guard.guard_group(child)
    return child


class ChildProcess:
    """A program from its start to its end, on a thread of its own.

    Signals interrupt the main thread alone, and would else find it where the program runs and
    nobody knows of it yet.
    """

    def __init__(
        self,
        launch: "Callable[[], subprocess.Popen[bytes]]",
        leave: "Callable[[subprocess.Popen[bytes]], object]",
    ) -> None:
        self._launch, self._leave = launch, leave
        self._started = Future["subprocess.Popen[bytes]"]()
        self._ended = Future[None]()

    def start(self) -> None:
        """Start it, and wait until it runs.

        Raises:
            ToolMissing: it could not be started.
        """
        start_thread(self._run, END_SECONDS)
        result_within(FOREVER, self._started)

    def _run(self) -> None:
        try:
            child = self._launch()
        except BaseException as error:
            self._started.set_exception(error)
            return
        self._started.set_result(child)
        self._leave(child)
        self._ended.set_result(None)

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """What was started.

        Raises:
            ToolMissing: it could not be.
            TimeoutError: it has not been yet.
        """
        return result_within(0, self._started)

    def _started_within(self, seconds: float) -> "subprocess.Popen[bytes] | None":
        with suppress(Exception):
            return result_within(seconds, self._started)
        return None

    def wait(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        return wait_for_any(seconds, self._ended)

    def stop(self) -> None:
        """End it and its group, wherever its start has got to."""
        child = self._started_within(_GRACE)
        if child is None:
            return
        for sign in (signal.SIGTERM, signal.SIGCONT):
            signal_process_group(child, sign)
        if self.wait(_GRACE):
            time.sleep(POLL_SECONDS)  # others may be left in its group, and have had no time
        signal_process_group(child, signal.SIGKILL)
        self.wait(_GRACE)

    def detach(self) -> None:
        """Its group is at its end."""
        if child := self._started_within(0):
            guard.release_group(child)


@contextmanager
def run_child(
    launch: "Callable[[], subprocess.Popen[bytes]]",
    leave: "Callable[[subprocess.Popen[bytes]], object]",
) -> Iterator[ChildProcess]:
    """A program that runs; when we are interrupted it ends, from its very start on."""
    life = ChildProcess(launch, leave)
    _running.add(life)
    try:
        life.start()
        yield life
    except BaseException:
        life.stop()
        raise
    finally:
        _running.discard(life)
        life.detach()


def stop_all_children() -> None:
    """End every program that runs, on whichever thread, and start no more: this process is about to
    end itself."""
    global _stopping
    _stopping = True
    for child in tuple(unwatched_children):
        if (
            child.poll() is None
            # A copy of the process that started it is told that it has none: the number may be
            # another's by now
        ):
            signal_process_group(child, signal.SIGKILL)
    end = time.monotonic() + 3 * _GRACE
    while _running and time.monotonic() < end:
        time.sleep(POLL_SECONDS)


def is_stopping() -> bool:
    """This process is about to end itself."""
    return _stopping


def signal_process_group(child: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    """Send it to the program and all of its group, while there is one."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, sign)


_PROCESSES = Path("/proc")  # where there is none, nobody is found
_LOOKS = 5


def kill_orphans(variable: str, value: str) -> None:
    """Kill every process of this user's that has the variable with this value, and those that they
    start meanwhile."""
    mark = b"\0" + os.fsencode(f"{variable}={value}") + b"\0"
    for _ in range(_LOOKS):
        found = list(_having(mark))
        if not found:
            return
        for number in found:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.02)


# https://man7.org/linux/man-pages/man5/proc.5.html (/proc/pid/environ)
def _having(mark: bytes) -> Iterator[int]:
    own = os.getpid()
    with suppress(OSError):
        for entry in os.scandir(_PROCESSES):
            if entry.name.isdigit() and int(entry.name) != own:
                # It has ended, or is somebody else's; who is dead already has no variables
                with suppress(OSError):
                    if mark in b"\0" + Path(entry.path, "environ").read_bytes() + b"\0":
                        yield int(entry.name)
