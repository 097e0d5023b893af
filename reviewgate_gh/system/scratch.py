"""A program's own folders for one run: an empty one to work in, a fresh home with nothing but what it is given; gone afterwards."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ..model.values import dataclass
from .store import write_atomic
from .strays import end_strays


@dataclass(frozen=True, slots=True)
class Scratch:
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


@contextmanager
def scratch(carried: Mapping[str, Path]) -> Iterator[Scratch]:
    """New folders that nobody else can enter; `carried` maps paths in the home to the user's own files that are copied there.

    A login that the program renews is brought back, or the user would be logged out: vendors take the old one only once.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    made = Scratch(Path(tempfile.mkdtemp(prefix="reviewgate-gh-agent-")))
    given: dict[str, bytes] = {}
    try:
        for folder in (made.work, made.home, made.temporary):
            folder.mkdir()
        # Agents look upwards for variables and instructions, to the first `.env` and to the top of a repository: they stop here.
        (made.root / ".env").touch()
        (made.root / ".git").mkdir()
        given |= {name: _copied(own, made.home / name) for name, own in carried.items()}
        yield made
    finally:
        end_strays("TMPDIR", str(made.temporary))  # who has this variable was started here, whatever group it is in
        for name, data in given.items():
            _bring_back(carried[name], data, made.home / name)
        _remove(made.root)


def _copied(own: Path, to: Path) -> bytes:
    data = own.read_bytes()
    to.parent.mkdir(parents=True, exist_ok=True)
    to.touch(0o600)
    to.write_bytes(data)
    return data


def _bring_back(own: Path, given: bytes, now: Path) -> None:
    """Only a whole file, and only over the one that was taken."""
    with suppress(OSError, ValueError):
        renewed = now.read_bytes()
        if renewed != given and isinstance(json.loads(renewed), dict) and own.read_bytes() == given:
            write_atomic(own.resolve(), renewed, own.stat().st_mode & 0o777)


def _remove(root: Path) -> None:
    """A program that was just killed may still have written, so look again."""
    for _ in range(3):
        shutil.rmtree(root, ignore_errors=True)
        if not root.exists():
            return
        time.sleep(0.1)
