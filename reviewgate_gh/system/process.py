"""The one door to other programs: argument lists, a scrubbed environment, a deadline, caps, no shell, no survivors.

Output goes to unlinked temporary files, so a grandchild that keeps a stream open delays nothing and memory stays flat; standard
error to one in memory where there is such a thing, since hardly anything is said there and a file on disk takes its time.
"""

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from ..model.errors import GateError
from ..model.values import dataclass

MEGABYTE = 1_000_000
_TICK = 0.05
_GRACE = 1.0
# What a tool needs to run at all; everything else (tokens above all) stays here.
_KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
    "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "COMSPEC", "PATHEXT",
    "REVIEWGATE_GH_INSIDE", "REVIEWGATE_GH_CONTEXT",
)  # fmt: skip


_running: set["subprocess.Popen[bytes]"] = set()
kept: set["subprocess.Popen[bytes]"] = set()  # to be ended, too, when all is stopped; nobody watches them
_stopping = threading.Event()


class ToolMissing(GateError):
    """The program is not there or may not be run."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program did: its exit code (None when it was killed), why it was killed, and its output, kept on disk until read."""

    argv: tuple[str, ...]
    code: int | None
    stopped: str
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
        self.out_file.seek(0)
        yield from self.out_file

    def close(self) -> None:
        """Give the disk space back."""
        self.out_file.close()
        self.err_file.close()


def clean_environment(source: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a tool: an allow-list of ours plus what the caller adds."""
    return {name: source[name] for name in _KEPT if name in source} | dict(extra or {})


def run(
    argv: Sequence[str],
    *,
    cwd: str | Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    deadline: float = 120,
    cap: int = 256 * MEGABYTE,
    err_cap: int = 64 * MEGABYTE,
    meanwhile: Callable[[], object] | None = None,
) -> Answer:
    """Run a program to its end, its deadline (seconds) or its output caps (bytes), whichever comes first.

    `meanwhile` is called once it runs, and may take no time to speak of.

    Raises:
        ToolMissing: it could not be started.
    """
    started = time.monotonic()
    out, err = tempfile.TemporaryFile(), words()  # noqa: SIM115 - they live as long as the answer
    with _given(stdin) as source:
        child = start(argv, cwd, env, source, out, err)
    _running.add(child)
    try:
        stopped = _watch(child, started + deadline, ((out, cap), (err, min(cap, err_cap))), meanwhile=meanwhile)
    finally:
        _running.discard(child)
    return Answer(tuple(argv), None if stopped else child.returncode, stopped, time.monotonic() - started, out, err)


@contextmanager
def leaving(argv: Sequence[str], *, cwd: str | Path, env: Mapping[str, str], deadline: float, cap: int = MEGABYTE) -> Iterator[Answer]:
    """Run a program that leaves others at work when it ends; they end with the block.

    Raises:
        ToolMissing: it could not be started.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, words() as err:
        with _given(None) as source:
            child = start(argv, cwd, env, source, out, err)
        _running.add(child)
        try:
            # Not reaped before the end: until then nobody else can get the group's number.
            end = partial(os.waitid, os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            stopped = _watch(child, started + deadline, ((out, cap), (err, cap)), end)
            yield Answer(tuple(argv), None if stopped else _code(child), stopped, time.monotonic() - started, out, err)
        finally:
            for sign, patience in ((signal.SIGTERM, _TICK), (signal.SIGKILL, 0)):
                _signal(child, sign)
                time.sleep(patience)
            child.wait()
            _running.discard(child)


def _code(child: "subprocess.Popen[bytes]") -> int:
    """The exit code of one that has ended and is not reaped; minus the signal's number where one ended it."""
    ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    return 0 if ended is None else ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def stop_all() -> None:
    """End every program that runs, on whichever thread, and start no more: this process is about to end itself."""
    _stopping.set()
    for child in tuple(kept):
        if child.poll() is None:  # a copy of the process that started it is told that it has none: the number may be another's by now
            _signal(child, signal.SIGKILL)
    end = time.monotonic() + 3 * _GRACE
    while _running and time.monotonic() < end:
        time.sleep(_TICK)


def interrupted() -> bool:
    """This process is about to end itself."""
    return _stopping.is_set()


def words() -> IO[bytes]:
    """A file for what a program says on the side."""
    try:
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


def start(
    argv: Sequence[str], cwd: str | Path, env: Mapping[str, str], source: IO[bytes] | int, out: IO[bytes] | int, err: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """A program in a session of its own; whoever starts it sees to its end.

    Raises:
        ToolMissing: it could not be started.
    """
    if _stopping.is_set():
        raise ToolMissing(f"cannot run {argv[0]}: this run was interrupted")
    try:
        return subprocess.Popen(list(argv), cwd=cwd, env=dict(env), stdin=source, stdout=out, stderr=err, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ToolMissing(f"cannot run {argv[0]}: {reason}") from None


def _watch(
    child: "subprocess.Popen[bytes]", end: float, outputs: tuple[tuple[IO[bytes], int], ...], leave: Callable[[], object] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> str:  # fmt: skip
    """Wait for the child, with `leave` for its end alone; returns why it had to be stopped, or ""."""
    done = threading.Event()
    threading.Thread(target=_reap, args=(leave or child.wait, done), daemon=True).start()
    stopped = ""
    try:
        if meanwhile:
            meanwhile()
        while not done.wait(max(0.0, min(_TICK, end - time.monotonic()))):
            stopped = _too_much(outputs)
            if not stopped and time.monotonic() >= end:
                stopped = "deadline"
            elif not stopped and _stopping.is_set():
                stopped = "interrupted"
            if stopped:
                break
    except BaseException:
        _end_group(child, done)
        raise
    if stopped:
        _end_group(child, done)
    elif leave is None:
        _signal(child, signal.SIGKILL)  # children that it left behind in its group
    return stopped or _too_much(outputs)  # a program may say a lot between two looks, and end


def _too_much(outputs: tuple[tuple[IO[bytes], int], ...]) -> str:
    """Why there is too much output, or ""."""
    over = (cap for output, cap in outputs if os.fstat(output.fileno()).st_size > cap)
    return next((f"more than {cap // MEGABYTE} MB of output" for cap in over), "")


def _reap(wait: Callable[[], object], done: threading.Event) -> None:
    wait()
    done.set()


def _end_group(child: "subprocess.Popen[bytes]", done: threading.Event) -> None:
    for sign in (signal.SIGTERM, signal.SIGCONT):
        _signal(child, sign)
    done.wait(_GRACE)
    _signal(child, signal.SIGKILL)
    done.wait(_GRACE)


def _signal(child: "subprocess.Popen[bytes]", sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, sign)
