"""The `qwen` CLI (Qwen Code) in its bare mode, without tools that reach anything; its account and
its answer."""

import json
from typing import Literal

from ...model.question import ModelReply
from ...model.review import ReviewStatus, Usage
from .._accounts import AgentOptions, Vendor
from . import _agent
from ._agent import error_text, result_message, sum_counts
from ._tool_server import SERVER, OfferedTools

_REFUSED = "[API Error"

VENDOR = Vendor(
    keys=("OPENAI_API_KEY",),
    home_folder=".qwen",
    home_variable="QWEN_HOME",
    logins=("oauth_creds.json",),
    destination="https://dashscope.aliyuncs.com/compatible-mode/v1",
    access_hint="run `qwen` once and log in",
    login_destination="https://portal.qwen.ai",
    address="OPENAI_BASE_URL",
)


def read_qwen_reply(out: bytes) -> ModelReply:
    """Versions before 0.16 call an API's refusal a success and print it as the answer."""
    said = result_message(out)
    text, counts = said.get("result"), said.get("usage")
    cached = sum_counts(counts, "cache_read_input_tokens")
    spent = Usage(
        max(1, sum_counts(said, "num_turns")),
        sum_counts(counts, "input_tokens"),
        cached,
        0,
        sum_counts(counts, "output_tokens"),
    )
    if (
        said["is_error"]
        or said.get("subtype") != "success"
        or not isinstance(text, str)
        or text.startswith(_REFUSED)
    ):
        refused = text if said["is_error"] or str(text).startswith(_REFUSED) else None
        return ModelReply(
            ReviewStatus.FAILED,
            error=error_text(said.get("error") or refused or said.get("subtype")),
            usage=spent,
        )
    return ModelReply(ReviewStatus.OK, text, usage=spent)


# Without any tool it sends an empty list, which APIs refuse; the two that stay set a goal in words.
_OFF = (
    "run_shell_command,edit,write_file,notebook_edit,read_file,read_many_files,"
    "web_fetch,web_search,agent,skill"
)
_MOST_TURNS = 30  # with tools, whose calls have an end of their own


class Options(AgentOptions, frozen=True, kw_only=True):
    """`url` is the address of an API like OpenAI's; OPENAI_BASE_URL serves on a person's own
    machine."""

    cloud: Literal[""] = ""


def _command(call: _agent.AgentCall) -> _agent.AgentCommand:
    argv = [
        call.program,
        "--bare",
        "--output-format",
        "json",
        "--exclude-tools",
        _OFF,
        "--approval-mode",
        "default",
    ]
    turns = str(_MOST_TURNS) if call.tools else "1"
    argv += ["--max-session-turns", turns, "--system-prompt", call.role]
    argv += _server(call.tools) if call.tools else []
    argv += (
        ["--auth-type", "qwen-oauth" if call.access.kind == "login" else "openai"]
        if call.access.kind != "own"
        else []
    )
    argv += ["--model", call.options.model] if call.options.model else []
    address = {"OPENAI_BASE_URL": call.access.destination} if call.access.kind == "key" else {}
    return _agent.AgentCommand(argv, {"QWEN_USAGE_STATISTICS_ENABLED": "false", **address})


def _server(tools: OfferedTools) -> list[str]:
    """The gate's tools. Nobody is there to approve a call, and bare as it is, it starts no other
    server."""
    entry = {"command": tools.command, "args": [*tools.args], "trust": True}
    config = json.dumps({"mcpServers": {SERVER: {**entry, "includeTools": [*tools.names]}}})
    return ["--mcp-config", config, "--allowed-mcp-server-names", SERVER]


AGENT = _agent.AgentProgram(
    "qwen",
    "install Qwen Code, or set options.path to the program",
    VENDOR,
    _command,
    read_qwen_reply,
)
check, ask = AGENT.check, AGENT.ask
