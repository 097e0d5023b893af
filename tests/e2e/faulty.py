"""The program stopped, or refused by the disk, at the nth operation on files of its own; and which operations there are."""

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

from .sampling import sample

FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
SEED = 20261122
METADATA, TRACKER = "run_metadata.json", "issues.jsonl"
HOWS = ("kill", "ENOSPC", "EIO")
# Kills its own process, or lets the call fail as on a full disk, at the nth operation on our files; notes in a file which there were.
# A write that fails has written the first half. Python tells of none of the last three by itself. With n below 0 nothing can be changed.
AT_FILE = """
import errno, os, runpy, signal, sys
how, left, total, noted = sys.argv[1], int(sys.argv[2]), 0, os.open(sys.argv[3], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
real = {name: getattr(os, name) for name in ("write", "fsync", "fdopen")}
def operation(what, first=lambda: None, changes=True):
    global total
    total += 1
    real["write"](noted, what.replace("\\n", " ").encode() + b"\\n")
    if total == left or (left < 0 and changes):
        first()
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(getattr(errno, how), os.strerror(getattr(errno, how)), what.split()[1])
def ours(name):
    return ".git/reviewgate-gh" in str(name)
def watch(event, args):
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod") and any(map(ours, args)):
        changes = event != "open" or args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        operation(" ".join([event, *map(str, args)]), changes=changes)
def name_of(handle):
    return os.readlink(f"/proc/self/fd/{handle}")
def write(handle, data):
    if ours(name_of(handle)):
        operation(f"write {name_of(handle)}", lambda: real["write"](handle, data[: len(data) // 2]))
    return real["write"](handle, data)
def fsync(handle):
    if ours(name_of(handle)):
        operation(f"fsync {name_of(handle)}")
    return real["fsync"](handle)
class File:
    def __init__(self, file):
        self.file = file
    def __getattr__(self, name):
        return getattr(self.file, name)
    def __enter__(self):
        return self
    def __exit__(self, *why):
        return self.file.__exit__(*why)
    def half(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
    def write(self, data):
        operation(f"write {name_of(self.file.fileno())}", lambda: self.half(data))
        return self.file.write(data)
def fdopen(handle, *args, **options):
    file = real["fdopen"](handle, *args, **options)
    return File(file) if ours(name_of(handle)) else file
os.write, os.fsync, os.fdopen = write, fsync, fdopen
sys.addaudithook(watch)
sys.argv = ["reviewgate-gh", *sys.argv[4:]]
runpy.run_module("reviewgate_gh", run_name="__main__", alter_sys=True)
"""


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
        argv = [sys.executable, "-P", "-c", AT_FILE, self.how, str(nth), str(place.beside / "operations"), *self.args]
        return run(argv, place.repo.path, {"PYTHONPATH": str(ROOT)})

    def undisturbed(self, code: int = 0) -> tuple[Place, list[str]]:
        """What it comes to where nothing fails, and the operations."""
        place = self.copy(0)
        done = self.at(place, 0)
        names = (place.beside / "operations").read_text().splitlines()
        assert done.code == code and len(names) > 5, done.output
        return place, names

    def cells(self, names: Sequence[str], *files: str) -> list[int]:
        """The operations that are tried: all that put these files in place, one that writes and one that syncs are among them."""
        every = [*enumerate(names, 1)]
        placed = tuple(f"/{name}" for name in files)
        placing = [cell for cell in every if cell[1].startswith("os.rename ") and cell[1].split()[2].endswith(placed)]
        assert len(placing) >= len(files), names
        kinds = [*(cell.__eq__ for cell in placing), _is("write"), _is("fsync")]
        return [nth for nth, _ in (every if FULL else sample(every, len(kinds), f"{SEED} {self.how} {self.args}", *kinds))]

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
