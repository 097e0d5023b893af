"""A program that is read while it runs: one that says what is wanted first before it says the rest,
or that is asked again and again.

It ends with the value that keeps it, and with this process however that ends, since its pipes close
then.
"""

import fcntl
import os
import select
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from . import children, guard, process
from .threads import END_SECONDS, start_thread

_TICK = 0.2
_GRACE = 1.0
_CHUNK = 1 << 20


class ProcessEnded(Exception):
    """It answers no more: it ended, its deadline passed, or this run was interrupted.

    Its words are the message.
    """


class _EndOfOutput(ProcessEnded):
    """There is nothing more to read."""


class StreamingProcess:
    """One running program.

    It belongs to the process that started it: a copy of that process must not speak to it.
    """

    def __init__(self, argv: Sequence[str], *, cwd: str | Path, env: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            ToolMissing: it could not be started.
        """
        theirs, self._to = os.pipe()
        self._from, told = os.pipe()
        self._words = process.stderr_file()
        try:
            child = children.start_process(argv, cwd, env, theirs, told, self._words)
        except children.ToolMissing:
            os.close(self._to)
            os.close(self._from)
            raise
        finally:
            os.close(theirs)
            os.close(told)
        # It need not wait for us, whose threads may have other work
        with suppress(OSError, AttributeError):
            # https://man7.org/linux/man-pages/man2/fcntl.2.html (F_SETPIPE_SZ)
            fcntl.fcntl(self._from, fcntl.F_SETPIPE_SZ, _CHUNK)
        self._owner, self._child = os.getpid(), child
        self._read = bytearray()
        children.unwatched_children.add(child)
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self.leave = weakref.finalize(self, _end, child, self._owner, self._to, self._from)
        self.leave.atexit = False  # a process that ends closes its pipes

    @property
    def is_usable(self) -> bool:
        """It was started by this very process, and runs."""
        return self._owner == os.getpid() and self.leave.alive

    def write(self, data: bytes) -> None:
        """Send a question that fits into a pipe (16 KiB).

        Raises:
            ProcessEnded: it has ended.
        """
        try:
            os.write(self._to, data)
        except BrokenPipeError:
            raise ProcessEnded(self._said()) from None

    def read_line(self, end: float) -> bytes:
        """The next line without its newline; `end` is the monotonic clock's time at which it is too
        late.

        Raises:
            ProcessEnded: there is none.
        """
        return self.read_bytes(self._find(b"\n", end) + 1, end)[:-1]

    def read_until(self, mark: bytes, end: float) -> bytes:
        """All up to the end of a mark, or all there is; it stays there to be read by `read_rest`.

        Raises:
            ProcessEnded: the program failed, or was too slow.
        """
        try:
            return bytes(self._read[: self._find(mark, end) + len(mark)])
        except _EndOfOutput:
            return self._all()

    def read_rest(self, end: float, cap: int) -> bytes:
        """All that it says to its end, at most so many bytes.

        Raises:
            ProcessEnded: the program failed, was too slow or said too much.
        """
        try:
            while len(self._read) <= cap:
                self._more(end)
        except _EndOfOutput:
            return self._all()
        raise ProcessEnded(f"stopped: more than {cap // process.MEGABYTE} MB of output")

    def read_bytes(self, size: int, end: float) -> bytes:
        """The next so many bytes.

        Raises:
            ProcessEnded: there are fewer.
        """
        while len(self._read) < size:
            self._more(end)
        data = bytes(self._read[:size])
        del self._read[:size]
        return data

    def _all(self) -> bytes:
        """What it said, where it has ended well."""
        try:
            code = self._child.wait(_GRACE)
        except subprocess.TimeoutExpired:
            code = None
        if code != 0:
            raise ProcessEnded(self._said() or f"exit code {code}")
        return bytes(self._read)

    def _find(self, mark: bytes, end: float) -> int:
        at = 0
        while (found := self._read.find(mark, at)) < 0:
            at = max(0, len(self._read) - len(mark) + 1)
            self._more(end)
        return found

    def _more(self, end: float) -> None:
        while not self._poll.poll(1000 * _TICK):
            if time.monotonic() >= end or children.is_stopping():
                raise ProcessEnded(
                    "stopped: interrupted" if children.is_stopping() else "stopped: deadline"
                )
        data = os.read(self._from, _CHUNK)
        if not data:
            raise _EndOfOutput(self._said())
        self._read += data

    def _said(self) -> str:
        self._words.seek(0)
        return self._words.read(4000).decode("utf-8", "backslashreplace").strip()


def _end(child: "subprocess.Popen[bytes]", owner: int, *pipes: int) -> None:
    """Let it go. In a copy of the process that started it, its pipes' numbers may mean other files
    by now."""
    if os.getpid() != owner:
        return
    for pipe in pipes:
        os.close(pipe)
    start_thread(partial(_reap, child), END_SECONDS)


def _reap(child: "subprocess.Popen[bytes]") -> None:
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    finally:
        children.unwatched_children.discard(child)
        guard.release_group(child)
