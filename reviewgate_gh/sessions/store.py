"""Sessions on disk: a folder each, which one is the newest, of all and of each caller, and how long
they are kept."""

import json
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..git import Git
from ..model.errors import UsageError
from ..model.finding import sha256_hex
from ..system import jobs
from ..system.files import STATE_FOLDER, write_atomic

REQUEST, RESULT, LOCK, LOG, CONTEXT = (
    "request.json",
    "result.json",
    "lock",
    "worker.log",
    "context.txt",
)
_KEPT = 50
_KEPT_DAYS = 30
_DAY = 86_400
_LATEST = "latest"


def sessions_folder(git: Git) -> Path:
    """The folder of all sessions of a repository and its work trees."""
    return git.common / STATE_FOLDER / "sessions"


def record_session(home: Path, key: str, caller: str) -> None:
    """This session is the newest one, of all and of its caller ("" for none).

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    write_atomic(home / _LATEST, key.encode())
    if caller:
        write_atomic(home / _latest_of(caller), key.encode())


def find_session(home: Path, key: str | None, caller: str, *, strict: bool) -> Path:
    """The session with this key, else the newest one of the caller, else the newest of all (never
    where `strict`).

    Raises:
        UsageError: there is none.
    """
    if key is None:
        key = _read(home / _latest_of(caller)) if caller else ""
        if not key and strict:
            raise UsageError(
                "no session was spawned here under this session id",
                "check CLAUDE_SESSION_ID and the spawner's --session-id",
            )
        key = key or _read(home / _LATEST)
    if not key:
        raise UsageError(
            "no session was spawned here",
            "start one with: review-gate spawn-code-review --diff A..B",
        )
    if not (home / key / REQUEST).is_file():
        raise UsageError(
            f"no session {key} in this repository",
            f"only the last {_KEPT} sessions of the last {_KEPT_DAYS} days are kept",
        )
    return home / key


def read_result(folder: Path) -> dict[str, Any] | None:
    """What the worker kept; None when that is nothing, or nothing that can be believed."""
    try:
        said = json.loads((folder / RESULT).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def last_error_line(folder: Path) -> str:
    """The last line that the worker wrote to standard error, without hints and stack frames; "" for
    none."""
    said = [
        words for words in _read(folder / LOG).splitlines() if words and not words.startswith(" ")
    ]
    return said[-1] if said else ""


def prune_sessions(home: Path) -> None:
    """Let the oldest sessions beyond 50 go, and those of more than 30 days ago, but for those at
    work."""
    with suppress(OSError):  # another spawn may be at it, too
        folders = sorted((entry for entry in home.iterdir() if entry.is_dir()), key=_touched)
        oldest = time.time() - _KEPT_DAYS * _DAY
        aged = [folder for folder in folders if _touched(folder) < oldest]
        for folder in dict.fromkeys((*folders[:-_KEPT], *aged)):
            if jobs.wait_for_job(folder / LOCK, 0):
                shutil.rmtree(folder, ignore_errors=True)
        for name in home.glob(f"{_LATEST}-*"):
            if not (home / _read(name)).is_dir():
                name.unlink()


def _touched(folder: Path) -> float:
    return folder.stat().st_mtime


def _latest_of(caller: str) -> str:
    return f"{_LATEST}-{sha256_hex(caller, 16)}"


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace").strip()
    except OSError:
        return ""
