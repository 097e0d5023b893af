"""The files that set the gate up in agents: what of ours goes into what is there already, and
nothing else of it changes."""

import json
import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from ..git import Git
from ..git.tree_files import read_own_file
from ..model.errors import GateError, UsageError
from ..system.environment import Environment
from ..text.patterns import lazy_pattern
from ..text.strict import load_json, load_toml
from .instructions import MARK
from .program import AgentProgram, SettingsFile, agent_names, load_agent
from .status import is_used

FOUND = "found"
_INDENT = lazy_pattern(r"^([ \t]+)\S", re.MULTILINE)


class FileEdit(Struct, frozen=True):
    """What a file shall hold: None where it needs nothing; `problem` says why it cannot be edited,
    `paste` what a person can put there."""

    path: str
    what: str
    data: bytes | None = None
    is_new: bool = False
    problem: str = ""
    paste: str = ""


def choose_agents(wanted: str, git: Git, environment: Environment) -> list[str]:
    """The agents that are named, separated by commas, or those that are found here.

    Raises:
        UsageError: one is not known, or none is found.
    """
    known = agent_names()
    if wanted == FOUND:
        path = environment.variables.get("PATH", "")
        found = [name for name in known if is_used(load_agent(name), git, path)]
        if not found:
            raise UsageError(
                "no coding agent was found on PATH or in this repository",
                f"name those that you use: reviewgate-gh init --agents={','.join(known)}",
            )
        return found
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"unknown coding agent {unknown[0]!r}", f"use some of: {', '.join(known)}")
    return names


def plan_files(names: Iterable[str], git: Git) -> list[FileEdit]:
    """What each file of these agents shall hold; a file that several share is there once."""
    agents: list[AgentProgram] = [load_agent(name) for name in names]
    files = {file.path: file for agent in agents for file in agent.FILES}
    return [_edit(file, git) for file in files.values()]


def _edit(file: SettingsFile, git: Git) -> FileEdit:
    paste = json.dumps(file.content, indent=2) + "\n" if file.form == "json" else str(file.content)
    try:
        old = read_own_file(git, file.path)
        if old is None:
            return FileEdit(file.path, file.what, paste.encode(), is_new=True)
        new = _merged(file, old.decode())
    except GateError as error:
        return FileEdit(file.path, file.what, problem=error.message, paste=paste)
    except ValueError as error:
        return FileEdit(file.path, file.what, problem=str(error), paste=paste)
    return FileEdit(file.path, file.what, None if new == old.decode() else new.encode())


def _merged(file: SettingsFile, old: str) -> str:
    """The file with ours in it; as it is where it has that.

    Raises:
        ValueError: it cannot be read, or holds something else in the place of ours.
    """
    if file.form == "json":
        plain = load_json(old or "{}", "JSON without comments", unique=True)
        new = _with(plain, file.content, "it")
        return old if new == plain else _json(new, old)
    if file.form == "toml":
        tables = load_toml(old, "TOML").get("mcp_servers", {})
        known = isinstance(tables, dict) and "reviewgate-gh" in tables
        return old if known else f"{_ended(old)}{file.content}"
    if file.form == "lines":
        told = MARK in old or "reviewgate-gh" in old
        return old if told else f"{_ended(old)}{file.content}"
    return old  # a text of the user's own under this name stays


def _with(old: Any, ours: Any, where: str) -> Any:
    """The old value with ours in it: keys are added to objects, and to lists what they do not hold.

    Raises:
        ValueError: it has another kind of value there.
    """
    if isinstance(ours, dict):
        if not isinstance(old, dict):
            raise ValueError(f"{where} is not an object")
        merged = dict(old)
        for key, value in ours.items():
            merged[key] = _with(old[key], value, key) if key in old else value
        return merged
    if isinstance(ours, list):
        if not isinstance(old, list):
            raise ValueError(f"{where} is not a list")
        commands = {_command(each) for each in old}
        return [*old, *(each for each in ours if _command(each) not in commands)]
    return old


def _command(entry: Any) -> str:
    """The command of a handler, or the first of those in a group."""
    if not isinstance(entry, dict):
        return json.dumps(entry)
    inner = entry.get("hooks")
    if isinstance(inner, list) and inner:
        return _command(inner[0])
    found = entry.get("command") or entry.get("bash")
    return found if isinstance(found, str) else json.dumps(entry)


def _json(value: Any, old: str) -> str:
    """Written with the indentation that the file had."""
    found = _INDENT.search(old)
    return json.dumps(value, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def _ended(old: str) -> str:
    return "" if not old.strip() else f"{old.rstrip()}\n\n"
