"""The `gemini` CLI, with one harmless tool, since it needs one; its account and its answer."""

import json
from typing import Any, Literal

from ...model.question import ModelReply
from ...model.review import ReviewStatus, Usage
from .._accounts import AgentOptions, Cloud, Vendor
from . import _agent
from ._agent import error_text, require_object, single_value, sum_counts
from ._tool_server import SERVER, OfferedTools
from .claude import GOOGLE_LOGIN

_VERTEX = (
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_API_KEY",
    "GOOGLE_VERTEX_BASE_URL",
)
VENDOR = Vendor(
    keys=("GEMINI_API_KEY",),
    home_folder=".gemini",
    home_variable="",
    logins=("oauth_creds.json", "google_accounts.json"),
    destination="https://generativelanguage.googleapis.com",
    access_hint="run `gemini` once and log in",
    login_destination="https://cloudcode-pa.googleapis.com",
    address="GOOGLE_GEMINI_BASE_URL",
    clouds={
        "vertex": Cloud(
            "Google Vertex AI",
            {"GOOGLE_GENAI_USE_VERTEXAI": "true"},
            _VERTEX,
            {"GOOGLE_APPLICATION_CREDENTIALS": GOOGLE_LOGIN},
        )
    },
)


def read_gemini_reply(out: bytes) -> ModelReply:
    """The reply in the JSON that the CLI prints, with what all its models used.

    Raises:
        ValueError: it is not in that format.
    """
    printed = require_object(single_value(out))
    models = require_object(require_object(printed.get("stats") or {}).get("models") or {})
    spent = Usage()
    for model in models.values():
        counts, calls = (
            require_object(model).get("tokens"),
            sum_counts(require_object(model).get("api"), "totalRequests"),
        )
        made = sum_counts(counts, "candidates", "thoughts")
        spent = spent.plus(
            Usage(calls, sum_counts(counts, "prompt"), sum_counts(counts, "cached"), 0, made)
        )
    if printed.get("error"):
        return ModelReply(ReviewStatus.FAILED, error=error_text(printed["error"]), usage=spent)
    text = printed.get("response")
    if not isinstance(text, str):
        raise ValueError("it printed JSON in an unexpected format")
    return ModelReply(ReviewStatus.OK, text, usage=spent)


_AUTH = {"key": "gemini-api-key", "login": "oauth-personal", "cloud": "vertex-ai"}
_SETTINGS: dict[str, Any] = {
    "tools": {"core": ["list_directory"]},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {
        "disableAutoUpdate": True,
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 2,
    },
}


class Options(AgentOptions, frozen=True, kw_only=True):
    """`cloud: vertex` asks at Google Vertex AI, with the account that is set up there."""

    cloud: Literal["", "vertex"] = ""


def _command(call: _agent.AgentCall) -> _agent.AgentCommand:
    argv = [
        call.program,
        "--output-format",
        "json",
        *(["--model", call.options.model] if call.options.model else []),
    ]
    role = call.folders.root / "role.md"
    # https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/system-prompt.md
    env = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": str(role)}
    kind, settings = call.access.kind, dict(_SETTINGS)
    if call.tools is not None:
        settings |= _tool_settings(call.tools)
    if kind == "own":  # over the user's own, or their hooks and tools would run
        # https://github.com/google-gemini/gemini-cli/blob/main/docs/cli/enterprise.md
        env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] = str(call.folders.root / "settings.json")
    else:
        settings["security"] = {"auth": {"selectedType": _AUTH[kind]}}
    name = "settings.json" if kind == "own" else f"home/{VENDOR.home_folder}/settings.json"
    return _agent.AgentCommand(
        argv, env, {role.name: call.role.encode(), name: json.dumps(settings).encode()}
    )


def _tool_settings(tools: OfferedTools) -> dict[str, Any]:
    """The gate's tools in place of its own one. Those that `core` does not name it refuses, whoever
    trusts their server."""
    # https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
    server = {"command": tools.command, "args": [*tools.args], "includeTools": [*tools.names]}
    return {
        "tools": {"core": tools.prefixed(f"mcp_{SERVER}_")},
        "mcp": {"allowed": [SERVER]},
        "mcpServers": {SERVER: server},
    }


AGENT = _agent.AgentProgram(
    "gemini",
    "install the Gemini CLI, or set options.path to the program",
    VENDOR,
    _command,
    read_gemini_reply,
)
check, ask = AGENT.check, AGENT.ask
