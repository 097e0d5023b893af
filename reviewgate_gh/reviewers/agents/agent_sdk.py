"""Claude through the Claude Agent SDK (the extra `agent-sdk`), which brings a `claude` of its
own."""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ...model.config import STRICT
from ...model.question import ModelReply
from ...model.values import dataclass
from .._accounts import AgentOptions
from .._context import ModelContext
from .._program import find_agent_program
from . import _agent, _sdk_session
from ._agent import result_message
from .claude import ENVIRONMENT, VENDOR, read_claude_reply

_MOST_TURNS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(AgentOptions):
    """`tools` reach your own work tree, and `setting_sources` its settings; both count for changes
    of your own only, and not where `policy.denied_paths` names anything.

    `path` names another `claude` than the SDK's own.
    """

    __pydantic_config__ = STRICT
    cloud: Literal["", "bedrock", "vertex"] = ""
    tools: tuple[Literal["Read", "Grep", "Glob"], ...] = ()
    setting_sources: tuple[Literal["user", "project", "local"], ...] = ()


def _find(_name: str, given: str, context: ModelContext) -> str | None:
    """The Python that runs us, where the SDK and the program that the options name are there."""
    if find_spec("claude_agent_sdk") is None or (
        given and find_agent_program("claude", given, context) is None
    ):
        return None
    return sys.executable


def _command(call: _agent.AgentCall) -> _agent.AgentCommand:
    options: Options = call.options
    tree = (
        call.context.work_tree
        if call.context.trusted and options.tools and not call.context.has_denied_files
        else None
    )
    asked: dict[str, Any] = {
        "cwd": str(tree or call.folders.work),
        "tools": list(options.tools) if tree else [],
        # A tool named here could read every file of the machine; without it, those of the work tree
        "allowed_tools": [],
        "setting_sources": list(options.setting_sources) if tree else [],
        # As root the program refuses bypassPermissions; here nothing asks, and what is not allowed
        # is refused.
        "permission_mode": "dontAsk",
        "strict_mcp_config": True,
        "max_turns": _MOST_TURNS if tree else 2,
        "output_format": {"type": "json_schema", "schema": dict(call.prompt.answer_schema)},
        "extra_args": {"no-session-persistence": None, "disable-slash-commands": None},
        **({} if tree else {"system_prompt": _agent.SYSTEM_ROLE}),
        **({"model": options.model} if options.model else {}),
        **({"effort": call.prompt.effort} if call.prompt.effort else {}),
        **(
            {"cli_path": find_agent_program("claude", options.path, call.context)}
            if options.path
            else {}
        ),
    }
    argv = [call.program, *_session()]
    return _agent.AgentCommand(
        argv, ENVIRONMENT, {}, json.dumps({"prompt": call.prompt.text, "options": asked}).encode()
    )


def _session() -> tuple[str, ...]:
    """The session's program, kept from every folder and variable that could change what it
    imports."""
    return (
        "-I",
        str(Path(_sdk_session.__file__)),
        json.dumps([folder for folder in sys.path if folder.startswith("/")]),
    )


def _read(out: bytes) -> ModelReply:
    """The structured answer where there is one, else the words."""
    said = result_message(out)
    structured = said.get("structured_output")
    text = (
        json.dumps(structured, ensure_ascii=False)
        if structured is not None
        else str(said.get("text") or "")
    )
    return read_claude_reply(said, text, "tool_use")  # a structured answer is a tool's input


AGENT = _agent.AgentProgram(
    "claude-agent-sdk",
    "pip install 'reviewgate-gh[agent-sdk]'",
    VENDOR,
    _command,
    _read,
    find=_find,
    version=lambda: (*_session(), "--version"),
)
check, ask = AGENT.check, AGENT.ask
