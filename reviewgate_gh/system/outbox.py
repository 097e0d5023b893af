"""What is being sent, on disk before it is sent: after a crash a person sees what may or may not have arrived."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .store import HOME, write_atomic
from .world import World

_NAME = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class Outbox:
    """The folder of intents for one pull request; None where there is no place for it, and then nothing is recorded."""

    folder: Path | None
    world: World

    @contextmanager
    def intent(self, digest: str, commit: str) -> Iterator[None]:
        """A record that stays when its request does not come back. A disk that refuses is no reason not to post."""
        path = self.folder / f"{digest}.json" if self.folder else None
        if path:
            record = {"digest": digest, "commit": commit, "started": self.world.now(), "process": os.getpid()}
            with suppress(OSError):
                write_atomic(path, json.dumps(record).encode())
        yield
        if path:
            with suppress(OSError):
                path.unlink()

    def left(self) -> list[str]:
        """The digests of what an earlier run began to send and did not see arrive."""
        return sorted(path.stem for path in self.folder.glob("*.json")) if self.folder and self.folder.is_dir() else []

    def clear(self) -> None:
        """What was left has been looked for: forget it."""
        for name in self.left():
            with suppress(OSError):
                (self.folder / f"{name}.json").unlink()  # type: ignore[operator]


def open_outbox(common: Path | None, repository: str, number: int, world: World) -> Outbox:
    """The intents of one pull request, below the git directory."""
    name = f"{_NAME.sub('-', repository)}-{number}"
    return Outbox(common / HOME / "outbox" / name if common else None, world)
