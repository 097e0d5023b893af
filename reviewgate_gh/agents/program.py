"""A coding agent as the gate sees it: where its settings are, what its events are called, and how
it is answered."""

import json
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from ..system import plugins

COMMAND = "reviewgate-gh"
ANY_AGENT = "any"  # in hooks that several agents share
SERVER = {"command": COMMAND, "args": ["mcp"]}
STOP_SECONDS, TOOL_SECONDS = 240, 240
_PATHS = ("file_path", "path", "notebook_path", "absolute_path")
_READERS = ("view", "grep", "glob")  # of copilot, whose hooks hear of every tool
_QWEN_TOOLS = ("run_shell_command", "edit", "write_file")
_DIRECTORIES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")


class HookAnswer(Struct, frozen=True):
    """What a hook prints, and its exit code; the empty one lets the agent go on."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


GO_ON = HookAnswer()


class HookEvent(Struct, frozen=True):
    """What an agent tells a hook: the folder, the session, and the command that it is about to run
    or the file that it is about to write.

    `again`: it went on because of an earlier answer of this hook. `readable`: it was JSON at all.
    `form`: the agent whose own form of event it is, "" for one that several have.
    """

    folder: str
    session: str = ""
    again: bool = False
    command: str = ""
    path: str = ""
    probe: str = ""
    readable: bool = True
    form: str = ""


class SettingsFile(Struct, frozen=True):
    """A file of an agent's settings in the project, and what of ours goes into it.

    `form`: json and toml are merged into what is there, text is written where nothing is, lines are
    added at the end.
    """

    path: str
    form: str
    content: Any
    what: str


class AgentProgram(Protocol):
    """A module of `agents.programs`."""

    TITLE: str
    # The program, and what of it in a project shows that it is used there
    PROGRAM: str
    FOLDERS: tuple[str, ...]
    FILES: tuple[SettingsFile, ...]
    deny: Callable[[str], HookAnswer]
    # Of the user's own settings: why its hooks may not run in this folder, a line each
    obstacles: Callable[[Mapping[str, str], str], list[str]]


def load_agent(name: str) -> AgentProgram:
    """The agent of that name.

    Raises:
        ConfigError: there is none.
    """
    agent: AgentProgram = plugins.load("coding_agents", name)
    return agent


def agent_names() -> list[str]:
    """All that are known."""
    return plugins.names("coding_agents")


def hook_command(name: str, hook: str) -> str:
    """The command line that an agent's settings hold."""
    return f"{COMMAND} agents {hook} {name}"


def nested_hooks(name: str, stop: str, tool: str, matcher: str, unit: int = 1) -> dict[str, Any]:
    """Hooks as most agents have them: a list by event, with a matcher for tools. A second has so
    many of the agent's units of time."""

    def handler(hook: str, seconds: int) -> list[dict[str, Any]]:
        command = hook_command(name, hook)
        return [{"type": "command", "command": command, "timeout": seconds * unit}]

    return {
        stop: [{"hooks": handler("stop", STOP_SECONDS)}],
        tool: [{"matcher": matcher, "hooks": handler("tool", TOOL_SECONDS)}],
    }


def read_event(data: bytes, folder: str, variables: Mapping[str, str]) -> HookEvent:
    """The event on standard input. An agent's project folder comes from its variables: its present
    folder may be anywhere."""
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        return HookEvent(folder, readable=False)
    named = next((variables[name] for name in _DIRECTORIES if variables.get(name)), "")
    tool = plain.get("tool_input", plain.get("toolArgs"))
    if isinstance(tool, str):  # of copilot, JSON in JSON
        try:
            tool = json.loads(tool)
        except (ValueError, RecursionError):
            tool = {"command": tool}
    return HookEvent(
        named or _text(plain, "cwd") or folder,
        _text(plain, "session_id") or _text(plain, "sessionId"),
        plain.get("stop_hook_active") is True,
        _command(tool),
        _path(tool) if _text(plain, "toolName") not in _READERS else "",
        _text(plain, "reviewgate_probe"),
        form=_form(plain, variables),
    )


def which_agent(wanted: str, event: HookEvent, title: str) -> str:
    """The name of the agent that runs a hook; of one that several share the event tells it, or else
    the title of the session's agent.

    Codex alone shows itself by nothing.
    """
    if wanted != ANY_AGENT:
        return wanted
    named = (name for name in agent_names() if title == load_agent(name).TITLE)
    return event.form or next(named, "codex")


def _form(plain: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    if "toolName" in plain or "sessionId" in plain:
        return "copilot"
    if plain.get("hook_event_name") in ("AfterAgent", "BeforeTool"):
        return "gemini"
    if plain.get("tool_name") in _QWEN_TOOLS or variables.get("QWEN_PROJECT_DIR"):
        return "qwen"
    return "claude" if variables.get("CLAUDE_PROJECT_DIR") else ""


def _command(tool: Any) -> str:
    """Of a tool's input the command line; a list of words is one, too."""
    command = tool.get("command", "") if isinstance(tool, dict) else ""
    if isinstance(command, list):
        return shlex.join(str(word) for word in command)
    return command if isinstance(command, str) else ""


def _path(tool: Any) -> str:
    """Of a tool's input the file that it is about."""
    found = (_text(tool, key) for key in _PATHS) if isinstance(tool, dict) else ()
    return next(filter(None, found), "")


def _text(plain: Mapping[str, Any], key: str) -> str:
    value = plain.get(key)
    return value if isinstance(value, str) else ""


def missing_repository(program: AgentProgram, folder: str) -> str:
    """Why a folder in which git finds no repository should hold one; "" for one without any sign
    of it, in which nothing could be pushed."""
    here = Path(folder)
    if any(os.path.lexists(each / ".git") for each in (here, *here.parents)):
        return f"git finds no repository in {folder}, though there is a .git"
    ours = (here / file.path for file in program.FILES if file.form == "json")
    if any(COMMAND.encode() in _content(path) for path in ours):
        return f"the gate is set up in {folder}, but git finds no repository there"
    return ""


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def block_stop(reason: str) -> HookAnswer:
    """The agent goes on with this reason as its next task: all agents know this form."""
    return HookAnswer(json.dumps({"decision": "block", "reason": reason}))


def tell_user(message: str) -> HookAnswer:
    """The agent stops, and its user is told."""
    return HookAnswer(json.dumps({"systemMessage": message}))


def deny_in_hook_output(reason: str) -> HookAnswer:
    """A tool is refused as claude and codex want it said."""
    return HookAnswer(
        json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **_denied(reason)}})
    )


def deny_at_top(reason: str) -> HookAnswer:
    """A tool is refused as copilot wants it said."""
    return HookAnswer(json.dumps(_denied(reason)))


def deny_by_exit_code(reason: str) -> HookAnswer:
    """A tool is refused as gemini and qwen want it said."""
    return HookAnswer(stderr=reason, code=2)


def _denied(reason: str) -> dict[str, str]:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}
