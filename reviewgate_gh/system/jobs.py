"""Work that outlives the command that started it. Its life is an OS lock, so no death goes unseen
and no process id is trusted."""

import atexit
import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_TICK = 0.05


def start_job(work: Callable[[], object], *, env: Mapping[str, str], log: Path) -> bytes:
    """Do the work in a process and session of its own, its errors into a file; its first line of
    output, b"" when it ended without one.

    The process is a copy of this one, which must have no other thread and nothing to do at its end:
    Python is there already, and starting it takes as long as all that is to be done before the line
    comes.

    Raises:
        OSError: it could not be started.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as output:
        try:
            with log.open("ab") as errors:
                sys.stdout.flush()
                sys.stderr.flush()
                if os.fork() == 0:
                    _be_the_copy(work, env, writing, errors.fileno())
        finally:
            os.close(writing)
        return output.readline()


def _be_the_copy(
    work: Callable[[], object], env: Mapping[str, str], output: int, errors: int
) -> None:
    """Let go of all that belongs to the one that was copied, do the work, and never return to what
    that one was doing."""
    try:
        os.setsid()
        for descriptor, stream in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (errors, 2)):
            os.dup2(descriptor, stream)
        _close_others()
        os.environ.clear()
        os.environ.update(env)
        work()
    except Exception as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="backslashreplace"))
    finally:
        for thread in threading.enumerate():
            if not thread.daemon and thread is not threading.current_thread():
                thread.join()
        atexit._run_exitfuncs()
        os._exit(1)


def _close_others() -> None:
    """Close all but the standard streams. There may be a billion numbers of files, so those that
    are open are looked up."""
    try:
        opened = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        opened = [*range(os.sysconf("SC_OPEN_MAX"))]
    for descriptor in opened:
        if descriptor > 2:
            with suppress(OSError):
                os.close(descriptor)


def report_to_starter(line: bytes) -> None:
    """Give the line to whoever called `start`, and let go of standard output.

    Raises:
        BrokenPipeError: nobody waits for it any more.
    """
    sys.stdout.flush()
    os.write(sys.stdout.fileno(), line + b"\n")
    discard_output()


def discard_output() -> None:
    """What is printed from now on goes nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


@contextmanager
def hold_job_lock(path: Path) -> Iterator[None]:
    """Hold the lock for as long as this process lives and stays in the block.

    Raises:
        OSError: another process holds it, or the file system has no locks.
    """
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def wait_for_job(path: Path, seconds: float) -> bool:
    """Wait until nobody holds the lock, at most so long; says whether it is free (as one that was
    never made is)."""
    end = time.monotonic() + seconds
    try:
        with path.open("rb") as file:
            while not _free(file.fileno()):
                left = end - time.monotonic()
                if left <= 0:
                    return False
                time.sleep(min(_TICK, left))
    except FileNotFoundError:
        pass
    return True


def _free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
