"""The program stopped, or refused by the disk, at the nth operation on files of its own; and which
operations there are."""

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.orchestrating import Place
from tests.support import ROOT, Ran, Repo, run

from .dying import dying, operations
from .sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED = 20261122
METADATA, TRACKER = "run_metadata.json", "issues.jsonl"
HOWS = ("kill", "ENOSPC", "EIO")


@dataclass(frozen=True)
class Faulty:
    """One command in copies of one place, disturbed once in each."""

    scene: Place
    how: str
    args: tuple[str, ...]

    def copy(self, number: int) -> Place:
        path = self.scene.repo.path.parent / f"copy{number}"
        shutil.copytree(self.scene.repo.path, path, symlinks=True)
        return Place(Repo(path))

    def at(self, place: Place, nth: int) -> Ran:
        argv = [
            sys.executable,
            "-P",
            *dying(".git/reviewgate-gh", nth, place.beside / "operations", self.how),
            *self.args,
        ]
        return run(argv, place.repo.path, {"PYTHONPATH": str(ROOT)})

    def undisturbed(self, code: int = 0) -> tuple[Place, list[str]]:
        """What it comes to where nothing fails, and the operations."""
        place = self.copy(0)
        done = self.at(place, 0)
        names = operations(place.beside / "operations")
        assert done.code == code and len(names) > 5, done.output
        return place, names

    def cells(self, names: Sequence[str], *files: str) -> list[int]:
        """The operations that are tried: all that put these files in place, one that writes and one
        that syncs are among them."""
        every = [*enumerate(names, 1)]
        placed = tuple(f"/{name}" for name in files)
        placing = [
            cell
            for cell in every
            if cell[1].startswith("os.rename ") and cell[1].split()[2].endswith(placed)
        ]
        assert len(placing) >= len(files), names
        kinds = [*(cell.__eq__ for cell in placing), _is("write"), _is("fsync")]
        return [
            nth
            for nth, _ in (
                every
                if FULL
                else sample(every, len(kinds), f"{SEED} {self.how} {self.args}", *kinds)
            )
        ]

    def each(self, cells: Sequence[int]) -> Iterator[tuple[int, Place, Ran]]:
        """Each copy after its fault."""
        for nth in cells:
            place = self.copy(nth)
            done = self.at(place, nth)
            assert (done.code == -signal.SIGKILL) == (self.how == "kill"), (nth, done.output)
            yield nth, place, done
            shutil.rmtree(place.repo.path)

    @property
    def error(self) -> str:
        """What the operating system says of it."""
        return "" if self.how == "kill" else os.strerror(getattr(errno, self.how))


def _is(kind: str) -> Callable[[tuple[int, str]], bool]:
    return lambda operation: operation[1].startswith(f"{kind} ")


def outbox(place: Place) -> str:
    """All that waits for the tracker."""
    folder: Path = place.repo.path / ".git/reviewgate-gh/outbox/tracker"
    return "".join(path.read_text() for path in folder.glob("*.json")) if folder.exists() else ""


def damaged(place: Place) -> list[Path]:
    """Files that were set aside."""
    return [*place.repo.path.glob(".git/reviewgate-gh/**/*.damaged-*")]


def has_open(pid: int, path: Path) -> bool:
    """The process has this file open at the moment."""
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        with suppress(OSError):
            if os.readlink(link) == str(path):
                return True
    return False
