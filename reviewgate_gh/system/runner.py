"""GitHub's runner: the event, and the files that a step writes its results to."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..model.errors import UsageError
from .world import World

_EVENT_BYTES = 30_000_000
_SUMMARY_BYTES = 1_000_000


def event_payload(world: World) -> Mapping[str, Any]:
    """The event that started the workflow.

    Raises:
        UsageError: there is none, or it cannot be read.
    """
    path = world.env.get("GITHUB_EVENT_PATH", "")
    try:
        data = Path(path).read_bytes()
        payload = json.loads(data) if len(data) <= _EVENT_BYTES else None
    except (OSError, ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise UsageError("GITHUB_EVENT_PATH names no readable event", "run this inside a GitHub workflow, or use reviewgate-gh review")
    return payload


def setting(world: World, name: str) -> str:
    """An input of the action."""
    return world.env.get(f"REVIEWGATE_GH_INPUT_{name.upper().replace('-', '_')}", "").strip()


def flag(world: World, name: str) -> bool:
    """A yes/no input of the action.

    Raises:
        UsageError: it is neither.
    """
    text = setting(world, name).lower()
    if text not in ("", "true", "false"):
        raise UsageError(f"the input {name} must be true or false, not {text!r}")
    return text == "true"


def set_output(world: World, values: Mapping[str, str]) -> None:
    """Hand results to later steps; the random delimiter keeps a value from setting another name."""
    path = world.env.get("GITHUB_OUTPUT")
    if path:
        blocks = ((name, value, f"reviewgate_{secrets.token_hex(16)}") for name, value in values.items())
        _append(path, "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value, end in blocks))


def add_summary(world: World, text: str) -> None:
    """Add to the job's summary page, cut where GitHub would refuse it."""
    path = world.env.get("GITHUB_STEP_SUMMARY")
    if path:
        _append(path, text.encode("utf-8", "backslashreplace")[:_SUMMARY_BYTES].decode("utf-8", "ignore"))


def guarded(text: str) -> str:
    """Text for the log in which no line is taken as a workflow command."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n"


def _append(path: str, text: str) -> None:
    with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
