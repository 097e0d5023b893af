"""What coding agents tried that only a person may do: it has no effect, and is told to people until
one of them has seen it.

They are kept in the git directory of the clone, for a week.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from msgspec import Struct, to_builtins

from ..git import Git
from ..model.errors import UsageError
from ..system.environment import SKIP_VARIABLE, Environment
from ..system.files import STATE_FOLDER, file_lock, write_atomic
from ..text.safe import safe_line
from ..text.strict import checked
from .audit_log import record

_MOST = 100
_DAYS = 7
_WAIT = 5.0  # seconds for another process that is writing
_IN_VAIN = ("tried ", "asked ")


class Attempt(Struct, frozen=True):
    """Who did what (`tried to ...`, `asked to ...`), and when last."""

    agent: str
    what: str
    at: str


def record_attempt(git: Git, environment: Environment, agent: str, what: str) -> None:
    """Keep it, in the audit log as well; the same one again only renews its time. A disk that
    refuses takes nothing of the refusal back."""
    path = _file(git)
    new = Attempt(agent, safe_line(what, 500), environment.now())
    with file_lock(path.with_suffix(".lock"), _WAIT), suppress(OSError):
        kept = _kept(path)
        others = [old for old in kept if (old.agent, old.what) != (new.agent, new.what)]
        _write(path, [*others, new])
        if others == kept:
            record(git.common, agent, [("attempt", {"reason": new.what})])


def record_outcome(git: Git, environment: Environment, agent: str, what: str) -> None:
    """What an agent's work has come to; the same again is not recorded again."""
    new = f"ended an answer while {what}"
    if not any((old.agent, old.what) == (agent, new) for old in _kept(_file(git))):
        record_attempt(git, environment, agent, new)


def recent_attempts(git: Git, environment: Environment) -> list[Attempt]:
    """Those of the last days that nobody has cleared, oldest first."""
    oldest = (date.fromisoformat(environment.today()) - timedelta(days=_DAYS)).isoformat()
    return [attempt for attempt in _kept(_file(git)) if attempt.at >= oldest]


def attempt_notices(git: Git, environment: Environment) -> tuple[str, ...]:
    """The same as lines of a report."""
    return tuple(attempt_text(attempt) for attempt in recent_attempts(git, environment))


def attempt_text(attempt: Attempt) -> str:
    """`Codex tried to ... (time): it had no effect`."""
    effect = "it had no effect; " if attempt.what.startswith(_IN_VAIN) else ""
    return (
        f"{attempt.agent} {attempt.what} ({attempt.at}): {effect}to clear this line: "
        "reviewgate-gh agents clear"
    )


def clear_attempts(git: Git) -> int:
    """Forget them: a person has seen them. How many there were."""
    path = _file(git)
    count = len(_kept(path))
    with suppress(FileNotFoundError):
        path.unlink()
    return count


def note_refused_skip(git: Git, environment: Environment) -> None:
    """An override of the gate that an agent's session asks for."""
    if environment.coding_agent and SKIP_VARIABLE in environment.variables:
        reason = environment.variables[SKIP_VARIABLE].strip() or "no reason"
        what = f"tried to skip the review with {SKIP_VARIABLE}={reason}"
        record_attempt(git, environment, environment.coding_agent, what)


def require_person(git: Git, environment: Environment, what: str, command: str) -> None:
    """Only a person may do this; the command is what a person would run.

    Raises:
        UsageError: a coding agent's session asks for it.
    """
    agent = environment.coding_agent
    if agent:
        record_attempt(git, environment, agent, f"tried to {what}")
        raise UsageError(
            f"{agent} cannot {what}: nothing was changed",
            f"a person can, in a terminal of their own: {command}",
        )


def _file(git: Git) -> Path:
    return git.common / STATE_FOLDER / "agents" / "attempts.json"


def _kept(path: Path) -> list[Attempt]:
    """A file that is missing or damaged holds none."""
    try:
        return checked(json.loads(path.read_bytes()), list[Attempt], "attempts")
    except (OSError, ValueError, RecursionError):
        return []


def _write(path: Path, attempts: Iterable[Attempt]) -> None:
    kept = [to_builtins(attempt) for attempt in attempts][-_MOST:]
    write_atomic(path, json.dumps(kept, indent=1).encode())
