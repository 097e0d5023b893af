"""Findings that a tracker did not take, kept on disk until it does: a file a run, so that no run needs another's lock."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..model.codec import from_plain, to_plain
from ..model.tracked import Tracked
from ..model.values import dataclass
from .store import HOME, set_aside, write_atomic


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: the issues, the files that hold them, and the files that could not be read, damaged ones set aside."""

    issues: tuple[Tracked, ...] = ()
    files: tuple[Path, ...] = ()
    damaged: tuple[Path, ...] = ()


def _folder(common: Path) -> Path:
    return common / HOME / "outbox" / "tracker"


def waiting(common: Path) -> Waiting:
    """All that waits, the oldest first."""
    issues, files, damaged = list[Tracked](), list[Path](), list[Path]()
    for path in sorted(_folder(common).glob("*.json")):
        try:
            issues += from_plain(tuple[Tracked, ...], json.loads(path.read_bytes()))
            files.append(path)
        except FileNotFoundError:
            continue  # another run has just delivered it
        except (ValueError, RecursionError):
            damaged.append(set_aside(path))
        except OSError:
            damaged.append(path)  # the disk may give it another time
    return Waiting(tuple(issues), tuple(files), tuple(damaged))


def keep(common: Path, name: str, issues: Iterable[Tracked], beside: Iterable[Tracked] = ()) -> None:
    """Let these wait under this name, in place of what waits there; of `beside` whatever they do not hold.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    every = {issue.fingerprint: issue for issue in (*beside, *issues)}
    write_atomic(_folder(common) / f"{name}.json", json.dumps(to_plain(tuple(every.values()))).encode())


def waiting_under(common: Path, name: str) -> tuple[Tracked, ...]:
    """What waits under this name; nothing where its file is damaged, which `waiting` sets aside."""
    with suppress(OSError, ValueError, RecursionError):
        return from_plain(tuple[Tracked, ...], json.loads((_folder(common) / f"{name}.json").read_bytes()))  # type: ignore[no-any-return]
    return ()


def delivered(files: Iterable[Path]) -> None:
    """These need not wait any longer."""
    for path in files:
        with suppress(OSError):
            path.unlink()
