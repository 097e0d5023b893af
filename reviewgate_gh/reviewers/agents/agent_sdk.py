"""Claude through the Claude Agent SDK (the extra `agent-sdk`), which brings a `claude` of its own.

A lens's question runs in a process of its own, which has little of our environment. A template's,
with tools, runs in this process: its hooks are functions of ours, and each of its turns counts.
"""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from ...model.config import Budget
from ...model.question import ModelReply
from ...model.review import ReviewStatus
from ...reporters._words import count_noun
from ...system.fresh_home import program_folders
from ...system.process import clean_environment
from .._accounts import Access, AgentOptions, agent_environment
from .._context import ModelContext
from .._credentials import find_credentials, login_credentials, reply_without_credentials
from .._program import find_agent_program, path_outside_tree
from . import _agent, _sdk_session
from ._agent import result_message
from ._tool_server import SERVER
from .claude import (
    ENVIRONMENT,
    TOOL_PREFIX,
    VENDOR,
    claude_server,
    read_claude_reply,
    read_claude_usage,
)

_MOST_TURNS = 30


class Options(AgentOptions, frozen=True, kw_only=True):
    """`tools` reach your own work tree, and `setting_sources` its settings; both count for changes
    of your own only, and not where `policy.denied_paths` names anything.

    `path` names another `claude` than the SDK's own.
    """

    cloud: Literal["", "bedrock", "vertex"] = ""
    tools: tuple[Literal["Read", "Grep", "Glob"], ...] = ()
    setting_sources: tuple[Literal["user", "project", "local"], ...] = ()


def is_sdk_installed() -> bool:
    """The SDK can be imported."""
    return find_spec("claude_agent_sdk") is not None


def _find(_name: str, given: str, context: ModelContext) -> str | None:
    """The Python that runs us, where the SDK and the program that the options name are there."""
    if not is_sdk_installed() or (given and find_agent_program("claude", given, context) is None):
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
        # A tool of its own named here could read every file of the machine; without it, those of
        # the work tree
        "allowed_tools": call.tools.prefixed(TOOL_PREFIX) if call.tools else [],
        "mcp_servers": {SERVER: claude_server(call.tools)} if call.tools else {},
        "setting_sources": list(options.setting_sources) if tree else [],
        # As root the program refuses bypassPermissions; here nothing asks, and what is not allowed
        # is refused.
        "permission_mode": "dontAsk",
        "strict_mcp_config": True,
        "max_turns": _MOST_TURNS if tree or call.tools else 2,
        "output_format": {"type": "json_schema", "schema": dict(call.prompt.answer_schema)},
        "extra_args": {"no-session-persistence": None, "disable-slash-commands": None},
        **({} if tree else {"system_prompt": call.role}),
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


# In which programs of the vendor's find their account.
_KEPT = ("ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_ML_", "GIT_CONFIG_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "NODE_EXTRA_CA_CERTS")
_QUIET = {**ENVIRONMENT, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
_STDERR_LINES = 5
_CUT = ("max_tokens", "refusal", "model_context_window_exceeded")


class ToolQuestion(Struct, frozen=True):
    """A question whose answer takes tools: what the SDK is told of its rights, and of its place.

    `env` is all that its program sees of ours; None: what it needs to run and to find its account,
    or with `access` that account alone, in a home of its own.
    """

    text: str
    system_prompt: str
    tools: Sequence[str]
    permission_mode: str
    setting_sources: Sequence[str]
    hooks: Mapping[str, Sequence[Any]]
    cwd: Path
    model: str = ""
    path: str = ""
    access: Access | None = None
    env: Mapping[str, str] | None = None


async def ask_with_tools(question: ToolQuestion, context: ModelContext) -> ModelReply:
    """The agent's whole text, or why there is none."""
    try:
        sdk: Any = importlib.import_module("claude_agent_sdk")
    except ImportError:
        return ModelReply(ReviewStatus.UNAVAILABLE, error="claude-agent-sdk is not installed")
    try:
        with _program_environment(question, context) as env:
            files = question.access.files if question.access else {}
            logins = (*files.values(), *(Path(env.get("HOME", "")) / name for name in files))
            secrets = {*find_credentials(env), *login_credentials(logins)}
            reply = await _ask_in_time(sdk, question, env, context)
            renewed = login_credentials(logins)
            return reply_without_credentials(reply, {*secrets, *renewed})
    except OSError as error:
        why = f"cannot create a folder for it to run in: {error.strerror}"
        return ModelReply(ReviewStatus.FAILED, error=why)


@contextmanager
def _program_environment(question: ToolQuestion, context: ModelContext) -> Iterator[dict[str, str]]:
    """The SDK hands its program our whole environment; what a reviewer need not know is emptied."""
    nothing = dict.fromkeys(os.environ, "")
    if question.env is None and question.access is not None:
        with program_folders(question.access.files) as place:
            env = agent_environment(
                context.environment, question.access, place.home, place.temporary
            )
            program = question.path or sys.executable
            path = path_outside_tree(context.environment.variables, context.work_tree, program)
            yield {**nothing, **env, "PATH": path, **_QUIET}
        return
    kept = question.env
    if kept is None:
        named = {name: value for name, value in os.environ.items() if _is_kept(name)}
        kept = clean_environment(os.environ, named)
    yield {**nothing, **kept, **_QUIET}


def _is_kept(name: str) -> bool:
    return name.startswith(_KEPT) or name.upper() in _PROXIES


async def _ask_in_time(
    sdk: Any, question: ToolQuestion, env: Mapping[str, str], context: ModelContext
) -> ModelReply:
    printed: list[str] = []
    told = {**_options(question), "env": env, **_limits(context), "stderr": printed.append}
    try:
        async with asyncio.timeout(context.timeout):
            return await _exchange(sdk, sdk.ClaudeAgentOptions(**told), question.text, context)
    except TimeoutError:
        return ModelReply(
            ReviewStatus.TIMEOUT, error=f"no whole answer within {context.timeout:.0f} s"
        )
    except sdk.CLINotFoundError as error:
        return ModelReply(ReviewStatus.UNAVAILABLE, error=str(error))
    except Exception as error:
        last = "; ".join(line for line in printed[-_STDERR_LINES:] if line.strip())
        why = f"{type(error).__name__}: {error}{f' ({last})' if last else ''}"
        return ModelReply(ReviewStatus.FAILED, error=why)


def _options(question: ToolQuestion) -> dict[str, Any]:
    """`tools` takes everything else away, and the permission mode never prompts."""
    told: dict[str, Any] = {
        "system_prompt": question.system_prompt,
        "tools": [*question.tools],
        "allowed_tools": [*question.tools],
        "permission_mode": _mode(question.permission_mode),
        "setting_sources": [*question.setting_sources],
        "cwd": str(question.cwd),
        "hooks": {event: [*matchers] for event, matchers in question.hooks.items()},
        "strict_mcp_config": True,
    }
    model = {"model": question.model} if question.model else {}
    return told | model | ({"cli_path": question.path} if question.path else {})


def _mode(wanted: str) -> str:
    """The program refuses `bypassPermissions` to root; `dontAsk` uses the allowed tools alone."""
    return "dontAsk" if wanted == "bypassPermissions" and os.geteuid() == 0 else wanted


def _limits(context: ModelContext) -> dict[str, Any]:
    """The budget for the agent itself, which knows before us what a turn has cost."""
    budget = context.turns.budget if context.turns else Budget(calls=None, input_tokens=None)
    told = {"max_turns": budget.calls, "max_budget_usd": budget.cost_usd}
    return {name: most for name, most in told.items() if most is not None}


async def _exchange(sdk: Any, options: Any, prompt: str, context: ModelContext) -> ModelReply:
    turns = context.turns

    def heard(message: Any) -> str:
        if turns is not None and isinstance(message, sdk.AssistantMessage):
            spent = read_claude_usage({"usage": getattr(message, "usage", None)})
            turn = getattr(message, "message_id", None) or object()
            uses_tools = any(isinstance(block, sdk.ToolUseBlock) for block in message.content)
            return turns.count_turn(turn, spent, uses_tools)
        if turns is not None and isinstance(message, sdk.UserMessage):
            turns.tools_answered()
        return ""

    texts, ended = await _sdk_session.exchange(sdk, options, prompt, heard)
    text = "\n\n".join(part for part in texts if part.strip())
    error = ended if isinstance(ended, str) else _over_budget(ended, context) or _fault(ended)
    return ModelReply(ReviewStatus.FAILED if error else ReviewStatus.OK, text, error=error)


def _over_budget(ended: Any, context: ModelContext) -> str:
    """What an end of the agent's says of the budget."""
    subtype, budget = getattr(ended, "subtype", ""), context.turns and context.turns.budget
    if budget and subtype == "error_max_turns" and budget.calls is not None:
        return f"over the budget of {count_noun(budget.calls, 'call')} (ensemble.budget.calls)"
    if budget and subtype == "error_max_budget_usd" and budget.cost_usd is not None:
        return f"over the budget of ${budget.cost_usd:g} (ensemble.budget.cost_usd)"
    return ""


def _fault(ended: Any) -> str:
    """What is wrong with how it ended; an API error comes as a success that says otherwise."""
    if ended is None:
        return "the agent ended without a result"
    if ended.is_error or ended.subtype != "success":
        return ended.result or f"the agent ended with {ended.subtype}"
    cut = getattr(ended, "stop_reason", None)
    return f"the answer was cut off: {cut}" if cut in _CUT else ""
