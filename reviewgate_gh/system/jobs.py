"""Work that outlives the command that started it. Its life is an OS lock, so no death goes unseen and no process id is trusted."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

_TICK = 0.05


def start(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path) -> bytes:
    """Start a program in a session of its own, its errors into a file; its first line of output, b"" when it ended without one.

    Raises:
        OSError: it could not be started.
    """
    with log.open("ab") as errors:
        child = subprocess.Popen(
            list(argv), cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
    with cast(IO[bytes], child.stdout) as output:
        return output.readline()


def report_back(line: bytes) -> None:
    """Give the line to whoever called `start`, and let go of standard output.

    Raises:
        BrokenPipeError: nobody waits for it any more.
    """
    sys.stdout.flush()
    os.write(sys.stdout.fileno(), line + b"\n")
    drop_output()


def drop_output() -> None:
    """What is printed from now on goes nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


@contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock for as long as this process lives and stays in the block.

    Raises:
        OSError: another process holds it, or the file system has no locks.
    """
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def wait_free(path: Path, seconds: float) -> bool:
    """Wait until nobody holds the lock, at most so long; says whether it is free (as one that was never made is)."""
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
