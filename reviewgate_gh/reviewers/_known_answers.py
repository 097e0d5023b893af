"""What a tool said in an earlier run about equal files, kept in the clone's own cache."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from ..system.files import STATE_FOLDER, write_atomic

T = TypeVar("T")
_MOST_KEPT = 200
_MOST_ROWS = 2_000  # of an answer


class KnownAnswers(Struct, Generic[T], frozen=True):
    """A folder of answers by the digest of everything that decides them; None keeps nothing."""

    folder: Path | None
    kind: type[T]

    def get(self, digest: str) -> tuple[T, ...] | None:
        """The answer; None where there is none, or a damaged one."""
        if self.folder is None:
            return None
        try:
            data = (self.folder / f"{digest}.json").read_bytes()
            answer = tuple[self.kind, ...]  # type: ignore[name-defined]
            return msgspec.json.decode(data, type=answer)
        except (OSError, ValueError):
            return None

    def save(self, digest: str, found: Sequence[T]) -> None:
        """Keep an answer; one that is very long, holds half a character, or finds a full disk only
        costs the next run its time."""
        if self.folder is not None and len(found) <= _MOST_ROWS:
            with suppress(OSError, UnicodeError):
                write_atomic(self.folder / f"{digest}.json", msgspec.json.encode(found))


def open_known_answers(common: Path, name: str, kind: type[T], in_ci: bool) -> KnownAnswers[T]:
    """The cache of that name below the git directory, on a person's machine, where nobody else can
    write to it; the oldest answers go."""
    if in_ci:
        return KnownAnswers(None, kind)
    folder = common / STATE_FOLDER / "cache" / name
    with suppress(OSError):
        aged = sorted((each.stat().st_mtime, each.path) for each in os.scandir(folder))
        for _time, path in aged[:-_MOST_KEPT]:
            os.unlink(path)
    return KnownAnswers(folder, kind)
