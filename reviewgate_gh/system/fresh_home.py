"""A program's own folders for one run: an empty one to work in, a fresh home with nothing but what
it is given; gone afterwards."""

import atexit
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from msgspec import Struct

from . import guard
from .children import kill_orphans
from .credentials import borrowed_credentials
from .environment import protect_process
from .temp_dirs import make_temp_dir, remove_temp_dir


class ProgramFolders(Struct, frozen=True):
    """The folders; `root` holds the others and a program's own files beside them."""

    root: Path

    @property
    def work(self) -> Path:
        """Empty: the folder to start in."""
        return self.root / "work"

    @property
    def home(self) -> Path:
        """HOME."""
        return self.root / "home"

    @property
    def temporary(self) -> Path:
        """TMPDIR: crash reports land here, with the code in them."""
        return self.root / "tmp"


_there: set[ProgramFolders] = set()


@contextmanager
def program_folders(carried: Mapping[str, Path]) -> Iterator[ProgramFolders]:
    """New folders that nobody else can enter; `carried` maps paths in a folder of the home to the
    user's own files that are lent there.

    Who is put there shall not look for more than that in this process either.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    protect_process()
    with borrowed_credentials(carried) if carried else nullcontext(Path()) as logins:
        yield from _made(
            {name: logins / name for name in {Path(each).parts[0] for each in carried}}
        )


def _made(linked: Mapping[str, Path]) -> Iterator[ProgramFolders]:
    made = ProgramFolders(make_temp_dir("agent"))
    _there.add(made)
    try:
        for folder in (made.work, made.home, made.temporary):
            folder.mkdir()
        guard.register_temp_dir(made.temporary)
        # Agents look upwards for variables and instructions, to the first `.env` and to the top of
        # a repository: they stop here.
        (made.root / ".env").touch()
        (made.root / ".git").mkdir()
        for name, folder in linked.items():
            (made.home / name).symlink_to(folder)
        yield made
    finally:
        _remove(made)


def _remove(made: ProgramFolders) -> None:
    """A program that was just killed may still have written, so look again."""
    # Who has this variable was started here, whatever group it is in
    kill_orphans("TMPDIR", str(made.temporary))
    for _ in range(3):
        if remove_temp_dir(made.root):
            _there.discard(made)
            return
        time.sleep(0.1)


@atexit.register
def _remove_rest() -> None:
    """Threads that an interrupted run does not wait for had no time to."""
    for made in tuple(_there):
        _remove(made)
