"""A program that is kept running and asked again and again: one start for many small questions.

It ends with the value that keeps it, and with this process however that ends, since its standard input closes then.
"""

import os
import select
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import process

_TICK = 0.2
_GRACE = 1.0
_CHUNK = 1 << 16


class Silent(Exception):
    """It answers no more: it ended, its deadline passed, or this run was interrupted. Its words are the message."""


class Companion:
    """One running program. It belongs to the process that started it: a copy of that process must not speak to it."""

    def __init__(self, argv: Sequence[str], *, cwd: str | Path, env: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            ToolMissing: it could not be started.
        """
        theirs, self._to = os.pipe()
        self._from, told = os.pipe()
        self._words = process.words()
        try:
            child = process.start(argv, cwd, env, theirs, told, self._words)
        except process.ToolMissing:
            os.close(self._to)
            os.close(self._from)
            raise
        finally:
            os.close(theirs)
            os.close(told)
        self._owner = os.getpid()
        self._read = bytearray()
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self.leave = weakref.finalize(self, _end, child, self._owner, self._to, self._from)
        self.leave.atexit = False  # a process that ends closes its pipes

    @property
    def ours(self) -> bool:
        """It was started by this very process, and runs."""
        return self._owner == os.getpid() and self.leave.alive

    def say(self, data: bytes) -> None:
        """Send a question that fits into a pipe (16 KiB).

        Raises:
            Silent: it has ended.
        """
        try:
            os.write(self._to, data)
        except BrokenPipeError:
            raise Silent(self._said()) from None

    def line(self, end: float) -> bytes:
        """The next line without its newline; `end` is the monotonic clock's time at which it is too late.

        Raises:
            Silent: there is none.
        """
        at = 0
        while (found := self._read.find(b"\n", at)) < 0:
            at = len(self._read)
            self._more(end)
        line = bytes(self._read[:found])
        del self._read[: found + 1]
        return line

    def take(self, size: int, end: float) -> bytes:
        """The next so many bytes.

        Raises:
            Silent: there are fewer.
        """
        while len(self._read) < size:
            self._more(end)
        data = bytes(self._read[:size])
        del self._read[:size]
        return data

    def _more(self, end: float) -> None:
        while not self._poll.poll(1000 * _TICK):
            if time.monotonic() >= end or process.interrupted():
                raise Silent("stopped: interrupted" if process.interrupted() else "stopped: deadline")
        data = os.read(self._from, _CHUNK)
        if not data:
            raise Silent(self._said())
        self._read += data

    def _said(self) -> str:
        self._words.seek(0)
        return self._words.read(4000).decode("utf-8", "backslashreplace").strip()


def _end(child: "subprocess.Popen[bytes]", owner: int, *pipes: int) -> None:
    """Let it go. In a copy of the process that started it, its pipes' numbers may mean other files by now."""
    if os.getpid() != owner:
        return
    for pipe in pipes:
        os.close(pipe)
    threading.Thread(target=_reap, args=(child,), daemon=True).start()


def _reap(child: "subprocess.Popen[bytes]") -> None:
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
