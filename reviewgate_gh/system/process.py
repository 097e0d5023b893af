"""The one door to other programs: argument lists, a scrubbed environment, a deadline, caps, no
shell, no survivors.

Output goes to unlinked temporary files, so a grandchild that keeps a stream open delays nothing and
memory stays flat; standard error to one in memory where there is such a thing, since hardly
anything is said there and a file on disk takes its time.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from msgspec import Struct

from . import guard
from .children import (
    POLL_SECONDS,
    ChildProcess,
    is_stopping,
    run_child,
    signal_process_group,
    start_process,
)
from .children import ToolMissing as ToolMissing
from .search_path import with_absolute_paths

MEGABYTE = 1_000_000
# What a tool needs to run at all; everything else (tokens above all) stays here.
_KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM",
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "CARGO_HOME", "RUSTUP_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "SYSTEMROOT", "COMSPEC", "PATHEXT",
    "REVIEWGATE_GH_INSIDE", "REVIEWGATE_GH_CONTEXT",
)  # fmt: skip


class ProcessResult(Struct, frozen=True):
    """What a program did: its exit code (None when it was killed), why it was killed, and its
    output, kept on disk until read."""

    argv: tuple[str, ...]
    code: int | None
    killed_reason: str
    seconds: float
    out_file: IO[bytes]
    err_file: IO[bytes]

    @property
    def out(self) -> bytes:
        """All of standard output."""
        self.out_file.seek(0)
        return self.out_file.read()

    @property
    def err(self) -> str:
        """The last 4,000 bytes of standard error, as text."""
        size = self.err_file.seek(0, os.SEEK_END)
        self.err_file.seek(max(0, size - 4000))
        return self.err_file.read().decode("utf-8", "backslashreplace").strip()

    def lines(self) -> Iterator[bytes]:
        """Standard output line by line, without holding it all."""
        yield from _lines(self.out_file)

    def error_lines(self) -> Iterator[bytes]:
        """Standard error in the same way."""
        yield from _lines(self.err_file)

    def close(self) -> None:
        """Give the disk space back."""
        self.out_file.close()
        self.err_file.close()


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """All lines. Not `yield from file`: who stops listening would close the file
    (https://peps.python.org/pep-0380/#formal-semantics)."""
    file.seek(0)
    return iter(file.readline, b"")


def clean_environment(
    source: Mapping[str, str], extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment of a tool: an allow-list of ours plus what the caller adds."""
    return with_absolute_paths(
        {name: source[name] for name in _KEPT if name in source} | dict(extra or {})
    )


def run_process(
    argv: Sequence[str],
    *,
    cwd: str | Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    deadline: float = 120,
    cap: int = 256 * MEGABYTE,
    err_cap: int = 64 * MEGABYTE,
    memory_cap: int = 0,
    meanwhile: Callable[[], object] | None = None,
    unwanted: Callable[[], str] | None = None,
) -> ProcessResult:
    """Run a program to its end, its deadline (seconds), its output caps (bytes) or, where one is
    given, its own memory's (bytes; on Linux alone), whichever comes first.

    `meanwhile` is called once it runs, and may take no time to speak of. `unwanted` is asked again
    and again why it is to be stopped now, and says "" until there is a reason.

    Raises:
        ToolMissing: it could not be started.
    """
    started = time.monotonic()
    # They live as long as the answer
    out, err = tempfile.TemporaryFile(), stderr_file()  # noqa: SIM115
    with (
        _given(stdin) as source,
        run_child(
            partial(start_process, argv, cwd, env, source, out, err), subprocess.Popen.wait
        ) as life,
    ):
        guard.limit_cpu_time(life.process, deadline)
        exceeded = partial(_too_much, ((out, cap), (err, min(cap, err_cap))))
        if memory_cap:
            exceeded = partial(_too_large, life.process.pid, memory_cap, exceeded)
        if unwanted:
            exceeded = partial(_first_reason, unwanted, exceeded)
        stopped = _watch(life, started + deadline, exceeded, meanwhile)
        if not stopped:
            # Children that it left behind in its group
            signal_process_group(life.process, signal.SIGKILL)
    return ProcessResult(
        tuple(argv),
        None if stopped else life.process.returncode,
        stopped,
        time.monotonic() - started,
        out,
        err,
    )


@contextmanager
def run_launcher(
    argv: Sequence[str],
    *,
    cwd: str | Path,
    env: Mapping[str, str],
    deadline: float,
    cap: int = MEGABYTE,
) -> Iterator[ProcessResult]:
    """Run a program that leaves others at work when it ends; they end with the block.

    Raises:
        ToolMissing: it could not be started.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, stderr_file() as err, _given(None) as source:
        with run_child(partial(start_process, argv, cwd, env, source, out, err), _unreaped) as life:
            guard.limit_cpu_time(life.process, deadline)
            exceeded = partial(_too_much, ((out, cap), (err, cap)))
            stopped = _watch(life, started + deadline, exceeded)
            yield ProcessResult(
                tuple(argv),
                None if stopped else _unreaped(life.process),
                stopped,
                time.monotonic() - started,
                out,
                err,
            )
            life.stop()
        # Not before all have ended: until then nobody else can get the group's number
        life.process.wait()


def _unreaped(child: "subprocess.Popen[bytes]") -> int:
    """The exit code of one that is not reaped, when it has ended; minus the signal's number where
    one ended it."""
    # https://man7.org/linux/man-pages/man2/waitid.2.html (WNOWAIT)
    ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    return (
        0
        if ended is None
        else ended.si_status
        if ended.si_code == os.CLD_EXITED
        else -ended.si_status
    )


def stderr_file() -> IO[bytes]:
    """A file for what a program says on the side."""
    try:
        # https://man7.org/linux/man-pages/man2/memfd_create.2.html
        return os.fdopen(os.memfd_create("stderr"), "w+b")
    except (AttributeError, OSError):  # not this system, or not allowed here
        return tempfile.TemporaryFile()


def _given(stdin: bytes | None) -> IO[bytes]:
    if stdin is None:
        return open(os.devnull, "rb")  # a path's own `open` takes three times as long
    source = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller's with
    source.write(stdin)
    source.seek(0)
    return source


def _watch(
    life: ChildProcess,
    end: float,
    exceeded: Callable[[], str],
    meanwhile: Callable[[], object] | None = None,
) -> str:
    """Wait for the program; returns why it had to be stopped, or "". `exceeded` says which of its
    limits it does not keep."""
    if meanwhile:
        meanwhile()
    stopped = ""
    while not life.wait(max(0.0, min(POLL_SECONDS, end - time.monotonic()))):
        stopped = exceeded()
        if not stopped and time.monotonic() >= end:
            stopped = "deadline"
        elif not stopped and is_stopping():
            stopped = "interrupted"
        if stopped:
            life.stop()
            break
    return stopped or exceeded()  # a program may say a lot between two looks, and end


def _too_much(outputs: tuple[tuple[IO[bytes], int], ...]) -> str:
    """Why there is too much output, or ""."""
    over = (cap for output, cap in outputs if os.fstat(output.fileno()).st_size > cap)
    return next((f"more than {cap // MEGABYTE} MB of output" for cap in over), "")


def _first_reason(*reasons: Callable[[], str]) -> str:
    return next(filter(None, (reason() for reason in reasons)), "")


def _too_large(pid: int, cap: int, otherwise: Callable[[], str]) -> str:
    """Why the program needs too much memory, or what else is too much."""
    # https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html (resident, in pages)
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        if pages * os.sysconf("SC_PAGE_SIZE") > cap:
            return f"more than {cap // MEGABYTE:,} MB of memory"
    return otherwise()
