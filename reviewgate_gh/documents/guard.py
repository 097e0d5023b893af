"""Limits an agent to reading: each tool call is checked before it runs, shell commands may only be
git's reading ones."""

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..text.patterns import lazy_pattern
from .template import READING_TOOLS

GuardCallback = Callable[[Mapping[str, Any], str | None, Any], Awaitable[dict[str, Any]]]
_BETWEEN = lazy_pattern(r"[/\\{},]")
_PLACES = {"Read": "file_path", "Glob": "path", "Grep": "path"}


def make_guard(cwd: Path, roots: Sequence[Path], tools: Sequence[str]) -> GuardCallback:
    """The agent SDK's PreToolUse callback: only these tools, files only below the roots, of Bash
    only git's reading commands."""

    async def check(event: Mapping[str, Any], _use: str | None, _context: Any) -> dict[str, Any]:
        try:
            why = tool_refusal(str(event.get("tool_name")), event["tool_input"], cwd, roots, tools)
        except Exception as error:  # whatever it is, a tool must not run because of it
            why = f"this tool call could not be checked: {type(error).__name__}"
        return _denied(why) if why else {}

    return check


def tool_refusal(
    tool: str, given: Mapping[str, Any], cwd: Path, roots: Sequence[Path], tools: Sequence[str]
) -> str:
    """Why a tool may not be used so; "" when it may."""
    if tool not in tools or tool not in READING_TOOLS:
        return f"this review may not use {tool}"
    if tool == "Bash":
        return refused_command(given["command"])
    place, pattern = (
        given.get(_PLACES[tool]) or ".",
        given.get("pattern", "") if tool == "Glob" else "",
    )
    if pattern.startswith(("/", "~")) or ".." in pattern:
        return "a pattern must stay inside the folder that is searched"
    file = (cwd / place).resolve()
    parts = (*file.parts, *_BETWEEN.split(f"{pattern}/{given.get('glob') or ''}"))
    if any(part.lower() == ".git" for part in parts):  # where checkouts keep their credentials
        return "the .git folder must not be read"
    return (
        ""
        if any(file.is_relative_to(root.resolve()) for root in roots)
        else f"{place} is outside the reviewed files"
    )


def _denied(why: str) -> dict[str, Any]:
    decision = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": why,
    }
    return {"hookSpecificOutput": decision}


_READING = (
    "blame", "cat-file", "describe", "diff", "diff-tree", "log", "ls-files", "ls-tree",
    "merge-base", "name-rev", "rev-list", "rev-parse",
    "shortlog", "show", "status",
)  # fmt: skip
_GLOBAL = ("--no-pager", "--no-optional-locks")
# Options that write files, start programs, or read what is outside of the repository; git takes
# shortened names, too.
_DENIED = (
    "--output", "--ext-diff", "--textconv", "--filters", "--no-index", "--contents",
    "--open-files-in-pager", "--upload-pack", "--exec",
    "--ignore-revs-file", "--exclude-from", "--pathspec-from-file", "--batch-command", "--git-dir",
    "--work-tree", "--resolve-git-dir",
    "--shared-index-path",
)  # fmt: skip
_DENIED_SHORT = {
    "blame": ("-S",),
    "ls-files": ("-X",),
    "diff": ("-O",),
    "log": ("-O",),
    "show": ("-O",),
    "diff-tree": ("-O",),
}
_SHELL = lazy_pattern(r"[;&|<>$`\\{}()!#\x00-\x1f\x7f]|(?:^|(?<=[\s=:'\"]))~")
_QUOTED = lazy_pattern(r"'[^']*'|\"[^\"]*\"")
_GLOB = lazy_pattern(r"[*?\[\]]")


def refused_command(command: str) -> str:
    """Why a command may not run; "" when it may."""
    if found := _SHELL.search(command):
        return f"only a single git command is allowed, without {found[0]!r}"
    if _GLOB.search(_QUOTED.sub("", command)):
        return "quote patterns"
    try:
        words = shlex.split(command)
    except ValueError:
        return "unbalanced quotes"
    if words[:1] != ["git"]:
        return "only git may be run"
    rest = words[1:]
    while rest and rest[0] in _GLOBAL:
        rest = rest[1:]
    if not rest or rest[0] not in _READING:
        return f"only git commands that read are allowed: {', '.join(_READING)}"
    return _refused_option(rest[0], rest[1:])


def _refused_option(verb: str, words: list[str]) -> str:
    for word in words:
        name = word.partition("=")[0]
        long = (
            len(name) > 2 and any(denied.startswith(name) for denied in _DENIED) and name != "--no"
        )
        # Of two such files git shows the difference, wherever they are
        if word.startswith("/") or word == ".." or "../" in word:
            return f"{word} is outside the folder"
        if long or any(word.startswith(short) for short in _DENIED_SHORT.get(verb, ())):
            return f"git {verb} must not be used with {name}"
    return ""
