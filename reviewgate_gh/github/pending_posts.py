"""What is being made at GitHub, on disk before it is sent: after a crash a person sees what may or
may not have arrived."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..model.values import dataclass
from ..system.environment import Environment
from ..system.files import STATE_FOLDER, write_atomic
from .errors import Refused

_NAME = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class PendingPosts:
    """The folder of intents for one pull request, or for issues; None where there is no place for
    it, and then nothing is recorded."""

    folder: Path | None
    environment: Environment

    @contextmanager
    def record(self, digest: str, commit: str = "") -> Iterator[None]:
        """A record that stays until its request comes back, with whatever answer. A disk that
        refuses is no reason not to post."""
        path = self.folder / f"{_NAME.sub('-', digest)}.json" if self.folder else None
        if path:
            record = {
                "digest": digest,
                "commit": commit,
                "started": self.environment.now(),
                "process": os.getpid(),
            }
            with suppress(OSError):
                write_atomic(path, json.dumps(record).encode())
        try:
            yield
        except Refused:
            _forget(path)
            raise
        _forget(path)

    def unconfirmed(self) -> tuple[str, ...]:
        """What an earlier run began to send and did not see arrive, in words: this one looks for
        all that is ours anyway."""
        number = (
            sum(1 for _ in self.folder.glob("*.json"))
            if self.folder and self.folder.is_dir()
            else 0
        )
        return (f"{number} request(s) of an interrupted run were looked for",) if number else ()

    def clear(self) -> None:
        """What was left has been looked for: forget it, and what was only half written."""
        for path in self.folder.iterdir() if self.folder and self.folder.is_dir() else ():
            _forget(path)


def _forget(path: Path | None) -> None:
    if path:
        with suppress(OSError):
            path.unlink()


def open_pending_posts(
    common: Path | None, repository: str, what: int | str, environment: Environment
) -> PendingPosts:
    """The intents of one pull request by its number, or of `issues`, below the git directory."""
    name = f"{_NAME.sub('-', repository)}-{what}"
    return PendingPosts(common / STATE_FOLDER / "outbox" / name if common else None, environment)


def remove_pending_posts(common: Path, target: str) -> list[Path]:
    """Remove the intents of a pull request's target (`pr-5`), whichever repository it is in; what
    was there."""
    number = target.removeprefix("pr-")
    if number == target or not number.isdecimal():
        return []
    found = sorted(
        path
        for path in (common / STATE_FOLDER / "outbox").glob(f"*-{number}")
        if path.is_dir() and not path.is_symlink()
    )
    for path in found:
        shutil.rmtree(path)
    return found
