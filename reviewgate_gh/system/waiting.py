"""Findings that a tracker did not take, kept on disk until it does: a file a run, so that no run needs another's lock."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..model.codec import from_plain, to_plain
from ..model.tracked import Tracked
from ..model.values import dataclass
from .store import HOME, set_aside, sweep, write_atomic

_HELD = "pull-"  # before a number: a run that posts on that pull request takes what waits there, and no other


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits: the issues, the files that hold them, and the files that could not be read, damaged ones set aside."""

    issues: tuple[Tracked, ...] = ()
    files: tuple[Path, ...] = ()
    damaged: tuple[Path, ...] = ()


def _folder(common: Path) -> Path:
    return common / HOME / "outbox" / "tracker"


def held(pull: int) -> str:
    """The name under which findings wait for the next run that posts on this pull request, and for no other."""
    return f"{_HELD}{pull}"


def waiting(common: Path, pull: int | None = None) -> Waiting:
    """All that waits, the oldest first; for a run that posts on `pull` (0: on none) without what is held for others."""
    issues, files, damaged = list[Tracked](), list[Path](), list[Path]()
    sweep(_folder(common))
    for path in sorted(_folder(common).glob("*.json")):
        if pull is not None and path.stem.startswith(_HELD) and path.stem != held(pull):
            continue
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
