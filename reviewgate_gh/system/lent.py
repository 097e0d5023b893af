"""The user's own logins, lent to programs: one copy for all that hold it at once, since vendors take what was renewed only once."""

import atexit
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .locks import locked
from .store import write_atomic

_PATIENCE = 5.0  # seconds for another gate that brings the same login back

_lock = threading.Lock()
_there: dict[frozenset[tuple[str, Path]], "_Copy"] = {}


class _Copy:
    """The files by their names below a folder that nobody else can enter, as they were when we and the user had the same."""

    def __init__(self, own: Mapping[str, Path]) -> None:
        self.own = own
        self.same: dict[str, bytes] = {}
        self.holders = 0
        self.folder = Path(tempfile.mkdtemp(prefix="reviewgate-gh-agent-"))
        try:
            for name, path in own.items():
                self.same[name] = path.read_bytes()
                write_atomic(self.folder / name, self.same[name], 0o600)
        except BaseException:
            self.remove()
            raise

    def bring_back(self) -> None:
        """What was renewed, where it is whole and the user's own is still what it was made of."""
        for name, path in self.own.items():
            with suppress(OSError, ValueError, RecursionError), locked(path.resolve().parent, _PATIENCE):
                renewed, before = (self.folder / name).read_bytes(), self.same[name]
                if renewed != before and _still_in(json.loads(before), json.loads(renewed)) and path.read_bytes() == before:
                    write_atomic(path.resolve(), renewed, path.stat().st_mode & 0o777)
                    self.same[name] = renewed

    def remove(self) -> None:
        """It holds secrets."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def lent(own: Mapping[str, Path]) -> Iterator[Path]:
    """A folder with a copy of each of the user's files by its name; the same one for all that hold it at once, gone with the last.

    A login that a program renews there is brought back, or the user would be logged out.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    key = frozenset(own.items())
    with _lock:
        copy = _there[key] = _there.get(key) or _Copy(own)
        copy.holders += 1
    try:
        yield copy.folder
    finally:
        with _lock:
            copy.bring_back()
            copy.holders -= 1
            if not copy.holders:
                del _there[key]
                copy.remove()


def _still_in(before: Any, now: Any) -> bool:
    """Each token has one in its place: a program that is refused writes down that nobody is logged in, which is not to spread."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return isinstance(before, dict) <= isinstance(now, dict)
    tokens = (name for name, value in before.items() if value and isinstance(value, str) and "token" in name.lower())
    return all(now.get(name) for name in tokens) and all(_still_in(value, now.get(name)) for name, value in before.items())


@atexit.register
def _return_rest() -> None:
    """Threads that an interrupted run does not wait for had no time to."""
    for copy in tuple(_there.values()):
        copy.bring_back()
        copy.remove()
