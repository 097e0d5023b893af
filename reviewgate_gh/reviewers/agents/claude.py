"""The `claude` CLI (Claude Code), without tools, settings, hooks or memory; its account and its
answer."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from ...model.question import ModelReply
from ...model.review import ReviewStatus, Usage
from .._accounts import AgentOptions, Cloud, Vendor
from . import _agent
from ._agent import error_text, result_message, sum_counts
from ._tool_server import SERVER, OfferedTools

_AWS = (
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "ANTHROPIC_BEDROCK_BASE_URL",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    "ANTHROPIC_SMALL_FAST_MODEL",
)  # fmt: skip
_VERTEX = (
    "CLOUD_ML_REGION",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "ANTHROPIC_VERTEX_BASE_URL",
    "GOOGLE_CLOUD_PROJECT",
)
_GOOGLE = "GOOGLE_APPLICATION_CREDENTIALS"
GOOGLE_LOGIN = ".config/gcloud/application_default_credentials.json"

VENDOR = Vendor(
    keys=("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"),
    home_folder=".claude",
    home_variable="CLAUDE_CONFIG_DIR",
    logins=(".credentials.json",),
    destination="https://api.anthropic.com",
    access_hint=(
        "run `claude` once and log in (if the login is stored in a keychain, set `home: own`)"
    ),
    address="ANTHROPIC_BASE_URL",
    clouds={
        "bedrock": Cloud(
            "Amazon Bedrock",
            {"CLAUDE_CODE_USE_BEDROCK": "1"},
            _AWS,
            {"AWS_CONFIG_FILE": ".aws/config", "AWS_SHARED_CREDENTIALS_FILE": ".aws/credentials"},
        ),
        "vertex": Cloud(
            "Google Vertex AI",
            {"CLAUDE_CODE_USE_VERTEX": "1"},
            (*_VERTEX, _GOOGLE),
            {_GOOGLE: GOOGLE_LOGIN},
        ),
    },
)

# Nothing but the question leaves: no telemetry, no error reports, no updates; and an API that
# refuses is not asked for minutes. https://code.claude.com/docs/en/env-vars
# https://code.claude.com/docs/en/data-usage
ENVIRONMENT: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}

TOOL_PREFIX = f"mcp__{SERVER}__"
_DOLLARS = 1e6  # what is more, or no number, is no price of a question
_ENDS = ("end_turn", "stop_sequence", None)  # of an answer that is whole


def read_claude_reply(result: Mapping[str, Any], text: object, *ends: str) -> ModelReply:
    """What a result message with this answer comes to: one that failed, that the model would not
    give, or that was cut off is none."""
    spent, end = read_claude_usage(result), result.get("stop_reason")
    if result["is_error"] or result.get("subtype") != "success" or not isinstance(text, str):
        why = result.get("result") if result["is_error"] else None
        return ModelReply(
            ReviewStatus.FAILED, error=error_text(why or result.get("subtype")), usage=spent
        )
    if end not in (*_ENDS, *ends):
        status = ReviewStatus.FAILED if end == "refusal" else ReviewStatus.UNPARSABLE
        return ModelReply(status, error=f"its answer is incomplete: {error_text(end)}", usage=spent)
    return ModelReply(ReviewStatus.OK, text, usage=spent)


def read_claude_usage(result: Mapping[str, Any]) -> Usage:
    """The bill of a result message; Anthropic counts cached tokens beside the others."""
    counts, cost = result.get("usage"), result.get("total_cost_usd")
    cached, written = (
        sum_counts(counts, "cache_read_input_tokens"),
        sum_counts(counts, "cache_creation_input_tokens"),
    )
    spent = (
        cost
        if isinstance(cost, float | int) and not isinstance(cost, bool) and 0 <= cost < _DOLLARS
        else None
    )
    whole = sum_counts(counts, "input_tokens") + cached + written
    return Usage(
        max(1, sum_counts(result, "num_turns")),
        whole,
        cached,
        written,
        sum_counts(counts, "output_tokens"),
        spent,
    )


class Options(AgentOptions, frozen=True, kw_only=True):
    """`cloud` asks Claude at Amazon Bedrock or Google Vertex AI, with the account that is set up
    there."""

    cloud: Literal["", "bedrock", "vertex"] = ""


def claude_server(tools: OfferedTools) -> dict[str, Any]:
    """The entry of a server that it starts."""
    return {"type": "stdio", "command": tools.command, "args": [*tools.args], "env": {}}


def _command(call: _agent.AgentCall) -> _agent.AgentCommand:
    argv = [
        call.program,
        "--print",
        "--output-format",
        "json",
        "--tools",
        "",
        "--permission-mode",
        "dontAsk",
        "--strict-mcp-config",
    ]
    argv += [
        "--setting-sources",
        "",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--system-prompt",
        call.role,
    ]
    argv += ["--model", call.options.model] if call.options.model else []
    argv += ["--effort", call.prompt.effort] if call.prompt.effort else []
    if call.tools is not None:  # each turn sends all again, and is served from its cache
        argv += ["--mcp-config", json.dumps({"mcpServers": {SERVER: claude_server(call.tools)}})]
        argv += ["--allowedTools", ",".join(call.tools.prefixed(TOOL_PREFIX))]
        return _agent.AgentCommand(argv, {**ENVIRONMENT})
    # It marks the question as one block with the lens in it: a cache would be paid for and never be
    # read.
    return _agent.AgentCommand(argv, {**ENVIRONMENT, "DISABLE_PROMPT_CACHING": "1"})


def _read(out: bytes) -> ModelReply:
    said = result_message(out)
    return read_claude_reply(said, said.get("result"))


AGENT = _agent.AgentProgram(
    "claude", "install Claude Code, or set options.path to the program", VENDOR, _command, _read
)
check, ask = AGENT.check, AGENT.ask
