"""The `codex` CLI, without shell, web, skills or plug-ins; its account and the events that it
prints."""

import json
from typing import Any, Literal

from ...model.question import ModelReply
from ...model.review import ReviewStatus, Usage
from .._accounts import AgentOptions, Vendor
from . import _agent
from ._agent import error_text, json_lines, require_object, sum_counts
from ._tool_server import SERVER, OfferedTools

VENDOR = Vendor(
    keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
    home_folder=".codex",
    home_variable="CODEX_HOME",
    logins=("auth.json",),
    destination="https://api.openai.com/v1",
    access_hint="run `codex login`",
    login_destination="https://chatgpt.com, or https://api.openai.com for a login with a key",
)


def read_codex_reply(out: bytes) -> ModelReply:
    """The last message of a turn that was completed."""
    text, ended, error, calls = "", None, "", 1
    for event in json_lines(out):
        item = event.get("item")
        completed = item if event.get("type") == "item.completed" else None
        kind = completed.get("type") if isinstance(completed, dict) else ""
        calls += kind == "mcp_tool_call"  # it tells of no turns, and each of these makes one
        if isinstance(completed, dict) and kind == "agent_message":
            text = str(completed.get("text") or "")
        elif event.get("type") in ("error", "turn.failed"):
            error = error_text(event.get("error") or event)
        ended = event if event.get("type") in ("turn.completed", "turn.failed") else ended
    if ended is None and not error:
        raise ValueError("it ended in the middle of its turn")
    if ended is None or ended["type"] == "turn.failed":
        return ModelReply(ReviewStatus.FAILED, error=error)
    counts = require_object(ended.get("usage") or {})
    spent = Usage(
        calls, sum_counts(counts, "input_tokens"), sum_counts(counts, "cached_input_tokens"),
        sum_counts(counts, "cache_write_input_tokens"),
        sum_counts(counts, "output_tokens"),
    )  # fmt: skip
    return ModelReply(ReviewStatus.OK, text, usage=spent)


_OFF = (
    "shell_tool", "unified_exec", "shell_snapshot", "apps", "plugins", "remote_plugin", "goals",
    "hooks", "memories", "image_generation",
    "view_image", "sleep_tool", "tool_suggest", "code_mode_host", "computer_use", "browser_use",
    "skill_mcp_dependency_install",
)  # fmt: skip
_SETTINGS: dict[str, Any] = {
    **{f"features.{name}": False for name in _OFF},
    "agents.enabled": False,
    "skills.bundled.enabled": False,
    "web_search": "disabled",
    "include_environment_context": False,
    "project_doc_max_bytes": 0,
    "approval_policy": "never",
    "check_for_update_on_startup": False,
    "analytics.enabled": False,
    "feedback.enabled": False,
    "otel.exporter": "none",
    "history.persistence": "none",
}


class Options(AgentOptions, frozen=True, kw_only=True):
    """`url` is an address of OpenAI's Responses API, and needs a key."""

    cloud: Literal[""] = ""


def _command(call: _agent.AgentCall) -> _agent.AgentCommand:
    settings = dict(_SETTINGS)
    if call.prompt.effort:
        settings["model_reasoning_effort"] = call.prompt.effort
    if call.access.kind == "key":
        name = next(name for name in VENDOR.keys if name in call.access.env)
        settings |= {"model_provider": "reviewgate", **_provider(call.access.destination, name)}
    if call.tools is not None:
        settings |= _server(call.tools)
    schema = call.folders.root / "answer.json"
    argv = [
        call.program,
        "exec",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox",
        "read-only",
        "--json",
        "--color",
        "never",
    ]
    argv += ["--model", call.options.model] if call.options.model else []
    argv += ["--output-schema", str(schema)]
    argv += [
        word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")
    ]
    env = (
        {}
        if call.access.kind == "own"
        else {"CODEX_HOME": str(call.folders.home / VENDOR.home_folder)}
    )
    files = {
        schema.name: json.dumps(dict(call.prompt.answer_schema)).encode(),
        f"home/{VENDOR.home_folder}/config.toml": b"",
    }
    return _agent.AgentCommand([*argv, "-"], env, files)


def _server(tools: OfferedTools) -> dict[str, Any]:
    """The gate's tools. Nobody is there to approve a call."""
    values = {
        "command": tools.command,
        "args": [*tools.args],
        "enabled_tools": [*tools.names],
        "default_tools_approval_mode": "approve",
        "required": True,
    }
    return {f"mcp_servers.{SERVER}.{name}": value for name, value in values.items()}


def _provider(address: str, key: str) -> dict[str, Any]:
    """An own entry, since the built-in one would rather use a login, and tries again for
    minutes."""
    values = {"name": "OpenAI", "base_url": address, "env_key": key, "wire_api": "responses"}
    return {f"model_providers.reviewgate.{name}": value for name, value in values.items()} | {
        "model_providers.reviewgate.request_max_retries": 2,
        "model_providers.reviewgate.stream_max_retries": 2,
    }


AGENT = _agent.AgentProgram(
    "codex",
    "install the Codex CLI, or set options.path to the program",
    VENDOR,
    _command,
    read_codex_reply,
)
check, ask = AGENT.check, AGENT.ask
