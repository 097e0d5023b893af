"""Folders for temporary files, leased as long as the run lives: what killed runs left is told from
what is in use, and goes."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR

from ..text.patterns import lazy_pattern

_PREFIX = "reviewgate-gh-"
_NAME = lazy_pattern(rf"{_PREFIX}[a-z]+-\w{{8}}")
_OWNER = ".reviewgate-gh-owner"
_NEW = 60.0  # seconds in which one that is empty may be just being made
_held: dict[Path, tuple[int, int]] = {}  # the process that leased it, and the owner file


def make_temp_dir(kind: str) -> Path:
    """A new folder that nobody else can enter. Its owner file is locked until `give_back`, or until
    this process ends, however.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-"))
    new = folder / f"{_OWNER}.new"
    handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with suppress(OSError):  # a file system without locks: then nobody can take it from us either
        # https://man7.org/linux/man-pages/man2/flock.2.html
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.write(handle, b"%d\n" % os.getpid())
    os.rename(new, folder / _OWNER)  # under this name it has always been locked
    _held[folder] = os.getpid(), handle
    return folder


def remove_temp_dir(folder: Path) -> bool:
    """Remove it with all that is in it; whether it is gone.

    A program that was just killed may still write there: try again.
    """
    # In a copy of the process that leased it, it is that one's, and the file's number may mean
    # another by now.
    if _held.get(folder, (0, 0))[0] != os.getpid():
        return True
    if not _removed(folder):
        return False
    if mine := _held.pop(folder, None):  # unless another thread was faster
        os.close(mine[1])
    return True


@contextmanager
def temp_dir(kind: str) -> Iterator[Path]:
    """Such a folder that is gone at the end."""
    folder = make_temp_dir(kind)
    try:
        yield folder
    finally:
        remove_temp_dir(folder)


def is_in_use(folder: Path) -> bool:
    """It is such a folder, and the process that made it lives."""
    try:
        handle = os.open(folder / _OWNER, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def remove_stale_temp_dirs() -> list[Path]:
    """Remove the folders of runs that have ended without doing so; those that are gone."""
    place = Path(tempfile.gettempdir())
    with suppress(OSError), os.scandir(place) as entries:
        found = [place / entry.name for entry in entries if entry.name.startswith(_PREFIX)]
        return [folder for folder in sorted(found) if _dropped(folder)]
    return []


def _dropped(folder: Path) -> bool:
    """Removed while its lock is ours. What has no owner file of ours is none of these, or its run
    ended before it wrote one."""
    try:
        seen = folder.lstat()
        if not S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid():
            return False
        if (
            _NAME.fullmatch(folder.name)
            and time.time() - seen.st_mtime > _NEW
            and not os.listdir(folder)
        ):
            folder.rmdir()
            return True
        handle = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _removed(folder)
    except OSError:
        return False  # its run lives, or nobody can tell
    finally:
        os.close(handle)


def _removed(folder: Path) -> bool:
    """Whether it is gone. What is large goes before the owner file: a run that ends in the middle
    leaves what the next one knows."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
