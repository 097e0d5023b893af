"""GitHub's runner: the event, the inputs, the log's commands, and the files that a step writes its
results to."""

import json
import os.path
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..model.errors import UsageError
from ..system.environment import Environment

_EVENT_BYTES = 30_000_000
_SUMMARY_BYTES = 1_000_000


def event_payload(environment: Environment) -> Mapping[str, Any]:
    """The event that started the workflow.

    Raises:
        UsageError: there is none, or it cannot be read.
    """
    path = environment.variables.get("GITHUB_EVENT_PATH", "")
    try:
        with Path(path).open("rb") as file:
            data = file.read(_EVENT_BYTES + 1)
        payload = json.loads(data) if len(data) <= _EVENT_BYTES else None
    except (OSError, ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise UsageError(
            "GITHUB_EVENT_PATH names no readable event",
            "run this inside a GitHub workflow, or use reviewgate-gh review",
        )
    return payload


def read_input(environment: Environment, name: str) -> str:
    """An input of the action."""
    return environment.variables.get(
        f"REVIEWGATE_GH_INPUT_{name.upper().replace('-', '_')}", ""
    ).strip()


def read_flag(environment: Environment, name: str) -> bool:
    """A yes/no input of the action.

    Raises:
        UsageError: it is neither.
    """
    text = read_input(environment, name).lower()
    if text not in ("", "true", "false"):
        raise UsageError(f"the input {name} must be true or false, not {text!r}")
    return text == "true"


def workspace_path(environment: Environment, name: str) -> Path:
    """Where a file that an input names lies: absolute, or in the working folder, which holds the
    reviewed commits.

    Raises:
        UsageError: a symbolic link in the working folder leads elsewhere.
    """
    folder = environment.cwd.resolve()
    path = Path(os.path.normpath(folder / name))
    if path.is_relative_to(folder) and os.path.realpath(path) != str(path):
        raise UsageError(
            f"{name!r} is, or lies behind, a symbolic link in the checkout",
            "use a path that the reviewed commits cannot change",
        )
    return path


def temporary_path(environment: Environment, name: str) -> Path:
    """A file in the runner's temporary folder."""
    return Path(environment.variables.get("RUNNER_TEMP") or environment.cwd) / name


def set_output(environment: Environment, values: Mapping[str, str]) -> None:
    """Hand results to later steps; the random delimiter keeps a value from setting another name.

    Raises:
        UsageError: the runner's file cannot be written.
    """
    blocks = (
        (name, value, f"reviewgate_{secrets.token_hex(16)}") for name, value in values.items()
    )
    _append(
        environment,
        "GITHUB_OUTPUT",
        "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value, end in blocks),
    )


def add_summary(environment: Environment, text: str) -> None:
    """Add to the job's summary page, cut where GitHub would refuse it.

    Raises:
        UsageError: the runner's file cannot be written.
    """
    _append(
        environment,
        "GITHUB_STEP_SUMMARY",
        text.encode("utf-8", "backslashreplace")[:_SUMMARY_BYTES].decode("utf-8", "ignore"),
    )


class StepLog:
    """The step's log, in which no text is taken as a workflow command until `commands` says so."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(16)
        self.stop = f"::stop-commands::{self._token}\n"

    def with_commands(self, text: str) -> str:
        """Workflow commands that shall be obeyed; after them nothing is again."""
        ended = text if text.endswith("\n") or not text else f"{text}\n"
        return f"::{self._token}::\n{ended}{self.stop}"


def _append(environment: Environment, variable: str, text: str) -> None:
    path = environment.variables.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            f"cannot write {variable}: {error.strerror}", "check that the runner's disk is not full"
        ) from None
