"""What holds an agent to reading: each use of a tool is looked at before it happens, and in doubt refused."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import git_only
from .schema import READING

Callback = Callable[[Mapping[str, Any], str | None, Any], Awaitable[dict[str, Any]]]
_BETWEEN = re.compile(r"[/\\{},]")
_PLACES = {"Read": "file_path", "Glob": "path", "Grep": "path"}


def guard(cwd: Path, roots: Sequence[Path], tools: Sequence[str]) -> Callback:
    """The agent SDK's PreToolUse callback: only these tools, files only below the roots, of Bash only git's reading commands."""

    async def check(event: Mapping[str, Any], _use: str | None, _context: Any) -> dict[str, Any]:
        try:
            why = refused(str(event.get("tool_name")), event["tool_input"], cwd, roots, tools)
        except Exception as error:  # whatever it is, a tool must not run because of it
            why = f"this tool call could not be checked: {type(error).__name__}"
        return _denied(why) if why else {}

    return check


def refused(tool: str, given: Mapping[str, Any], cwd: Path, roots: Sequence[Path], tools: Sequence[str]) -> str:
    """Why a tool may not be used so; "" when it may."""
    if tool not in tools or tool not in READING:
        return f"this review may not use {tool}"
    if tool == "Bash":
        return git_only.refused(given["command"])
    place, pattern = given.get(_PLACES[tool]) or ".", given.get("pattern", "") if tool == "Glob" else ""
    if pattern.startswith(("/", "~")) or ".." in pattern:
        return "a pattern must stay inside the folder that is searched"
    file = (cwd / place).resolve()
    parts = (*file.parts, *_BETWEEN.split(f"{pattern}/{given.get('glob') or ''}"))
    if any(part.lower() == ".git" for part in parts):  # where checkouts keep their credentials
        return "the .git folder must not be read"
    return "" if any(file.is_relative_to(root.resolve()) for root in roots) else f"{place} is outside the reviewed files"


def _denied(why: str) -> dict[str, Any]:
    decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why}
    return {"hookSpecificOutput": decision}
