"""Our own files: written whole or not at all, locked while they change; a damaged one is set aside
and counts as none."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STATE_FOLDER = "reviewgate-gh"
RESULT_FILE = "result.json"  # of a review by a template
KEPT_REVIEWS = 100
_OLD = 3600  # seconds: no write takes so long


def write_atomic(path: Path, data: bytes, mode: int = 0o644, lasting: bool = True) -> None:
    """Replace the file by one that holds exactly this; readers see the old one or the new one.

    `lasting`: so also after a loss of power.

    Raises:
        OSError: the disk or the rights do not allow it; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        # https://docs.python.org/3/library/tempfile.html#tempfile.mkstemp
        os.chmod(name, mode)  # mkstemp keeps others out, a report is for others to read
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    if lasting:
        _sync_folder(path.parent)


def remove_partial_files(folder: Path) -> None:
    """Remove what killed runs have half written into a folder of ours; what is young may be
    somebody's at work."""
    for path in folder.glob(".*.json.*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _OLD:
                path.unlink()


def write_report(path: Path, data: bytes) -> None:
    """Write a file that the user names; a device or a pipe is written to, never replaced.

    Raises:
        OSError: it cannot be written.
    """
    if _is_stream(path.absolute()) or (path.exists() and not path.is_file()):
        with path.open("wb") as file:
            file.write(data)
    else:
        write_atomic(path, data)


def _is_stream(path: Path) -> bool:
    """Whether it names what a process has open, like /dev/stdout; /dev/shm is memory, and a folder
    like any other."""
    above = path.parts[1:3]
    return above[:1] == ("proc",) or (above[:1] == ("dev",) and above != ("dev", "shm"))


def keep_copy(path: Path, data: bytes) -> Path:
    """Keep what a damaged file holds under a name that nobody reads, and return that.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    kept = path.with_name(f"{path.name}.damaged-{time.time_ns() // 1000}")
    write_atomic(kept, data)
    return kept


def set_damaged_aside(path: Path) -> Path:
    """Give a damaged file a name that nobody reads, and return that; where even this is refused it
    stays."""
    kept = path.with_name(f"{path.name}.damaged-{time.time_ns() // 1000}")
    try:
        os.replace(path, kept)
    except OSError:
        return path
    return kept


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def review_path(common: Path, review_id: str, name: str = "report.json") -> Path:
    """Where a report is kept."""
    return common / STATE_FOLDER / "reviews" / review_id / name


def save_review(common: Path, review_id: str, report: str, name: str = "report.json") -> Path:
    """Keep a report below the git directory; the oldest beyond 100 go.

    One of another `name` is none of the gate's.
    """
    path = review_path(common, review_id, name)
    folder = path.parent.parent
    # First, since the name of a report that is not there misleads nobody; where it is lost, the
    # clock decides.
    write_atomic(_last(folder, name), review_id.encode(), lasting=False)
    write_atomic(path, report.encode())
    others = sorted(entry for entry in folder.iterdir() if entry.is_dir() and entry != path.parent)
    for old in others[: 1 - KEPT_REVIEWS]:
        shutil.rmtree(old, ignore_errors=True)
    return path


def stored_reviews(common: Path, name: str = "report.json") -> list[Path]:
    """The reports that are kept under this name: the one that was saved last, whatever the clock
    said, and the others by their time."""
    folder = common / STATE_FOLDER / "reviews"
    found = sorted(folder.glob(f"*/{name}"), reverse=True) if folder.is_dir() else []
    with suppress(OSError):
        last = os.fsdecode(_last(folder, name).read_bytes())
        found.sort(key=lambda path: path.parent.name != last)
    return found


def _last(folder: Path, name: str) -> Path:
    """Where the id of the review stands that was saved last."""
    return folder / f"last-{name}.txt"


_TICK = 0.02


@contextmanager
def file_lock(path: Path, deadline: float) -> Iterator[bool]:
    """Hold the lock of this file or folder; False where so many seconds passed, or there is no
    place for it, and nothing is held."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        yield False
        return
    try:
        yield _taken(handle, deadline)
    finally:
        os.close(handle)


def _taken(handle: int, deadline: float) -> bool:
    end = time.monotonic() + deadline
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
        except OSError:
            return False  # a file system without locks
        time.sleep(_TICK)
