"""What was found in an earlier run on equal files, kept in the clone's own cache."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from ...system.files import STATE_FOLDER, write_atomic
from .ty import Diagnostic

_MOST_KEPT = 200


class KnownAnswers(Struct, frozen=True):
    """A folder of answers by the digest of everything that decides them; None keeps nothing."""

    folder: Path | None

    def get(self, digest: str) -> tuple[Diagnostic, ...] | None:
        """The answer; None where there is none, or a damaged one."""
        if self.folder is None:
            return None
        try:
            data = (self.folder / f"{digest}.json").read_bytes()
            return msgspec.json.decode(data, type=tuple[Diagnostic, ...])
        except (OSError, ValueError):
            return None

    def save(self, digest: str, found: Sequence[Diagnostic]) -> None:
        """Keep an answer; a disk that is full or may not be written to only costs the next run its
        time."""
        if self.folder is not None:
            with suppress(OSError):
                write_atomic(self.folder / f"{digest}.json", msgspec.json.encode(found))


def open_known_answers(common: Path, in_ci: bool) -> KnownAnswers:
    """The cache below the git directory, on a person's machine, where nobody else can write to it;
    the oldest answers go."""
    if in_ci:
        return KnownAnswers(None)
    folder = common / STATE_FOLDER / "cache" / "callers"
    with suppress(OSError):
        aged = sorted((each.stat().st_mtime, each.path) for each in os.scandir(folder))
        for _time, path in aged[:-_MOST_KEPT]:
            os.unlink(path)
    return KnownAnswers(folder)
