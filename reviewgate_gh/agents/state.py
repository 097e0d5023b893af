"""What the hooks remember of a clone: with which findings a session was sent back, and when an
agent last ran them."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..git import Git
from ..model.finding import sha256_hex
from ..system.files import STATE_FOLDER, file_lock, write_atomic
from ..text.strict import checked

_SESSIONS = 50
_WAIT = 5.0  # seconds for another process that is writing


def sent_back(git: Git, session: str) -> list[str]:
    """The digests of what this session was sent back with."""
    return _sessions(_read(_file(git, "sessions.json"))).get(_key(session), [])


def remember_session(git: Git, session: str, digests: list[str]) -> bool:
    """Keep them, or forget the session where there are none; says whether that is certain."""
    path = _file(git, "sessions.json")
    with file_lock(path.with_suffix(".lock"), _WAIT), suppress(OSError):
        known = _sessions(_read(path))
        if not digests and _key(session) not in known:
            return True
        known.pop(_key(session), None)
        kept = dict([*known.items(), *([(_key(session), digests)] if digests else [])][-_SESSIONS:])
        write_atomic(path, json.dumps(kept).encode())
        return True
    return False


def remember_run(git: Git, agent: str, hook: str, now: str) -> None:
    """An agent has run a hook."""
    path = _file(git, "runs.json")
    with file_lock(path.with_suffix(".lock"), _WAIT), suppress(OSError):
        write_atomic(path, json.dumps({**last_runs(git), f"{agent} {hook}": now}).encode())


def last_runs(git: Git) -> Mapping[str, str]:
    """When each hook was last run, by `agent hook`."""
    plain = _read(_file(git, "runs.json"))
    try:
        return checked(plain, dict[str, str], "runs")
    except ValueError:
        return {}


def _sessions(plain: Any) -> dict[str, list[str]]:
    try:
        return checked(plain, dict[str, list[str]], "sessions")
    except ValueError:
        return {}


def _key(session: str) -> str:
    return sha256_hex(session, 32)


def _file(git: Git, name: str) -> Path:
    return git.common / STATE_FOLDER / "agents" / name


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
