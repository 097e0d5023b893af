"""The `gemini` CLI, without tools that reach anything: it needs one, and gets the one that lists its empty folder."""

import json
from typing import Any, Literal

from ..model.asked import Reply
from ..model.config import STRICT
from ..model.review import Status
from ..model.usage import Usage
from ..model.values import dataclass
from . import _agent
from ._access import AgentOptions, Cloud, Vendor
from ._anthropic import GOOGLE_LOGIN
from ._envelope import number, table, whole, words

_AUTH = {"key": "gemini-api-key", "login": "oauth-personal", "cloud": "vertex-ai"}
_SETTINGS: dict[str, Any] = {
    "tools": {"core": ["list_directory"]},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(AgentOptions):
    """`cloud: vertex` asks at Google Vertex AI, with the account that is set up there."""

    __pydantic_config__ = STRICT
    cloud: Literal["", "vertex"] = ""


def _command(call: _agent.Call) -> _agent.Command:
    argv = [call.program, "--output-format", "json", *(["--model", call.options.model] if call.options.model else [])]
    role = call.place.root / "role.md"
    env = {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": str(role)}
    kind, settings = call.access.kind, dict(_SETTINGS)
    if kind == "own":  # over the user's own, or their hooks and tools would run
        env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] = str(call.place.root / "settings.json")
    else:
        settings["security"] = {"auth": {"selectedType": _AUTH[kind]}}
    name = "settings.json" if kind == "own" else f"home/{VENDOR.folder}/settings.json"
    return _agent.Command(argv, env, {role.name: _agent.ROLE.encode(), name: json.dumps(settings).encode()})


def _read(out: bytes) -> Reply:
    printed = table(whole(out))
    models = table(table(printed.get("stats") or {}).get("models") or {})
    spent = Usage()
    for model in models.values():
        counts, calls = table(model).get("tokens"), number(table(model).get("api"), "totalRequests")
        made = number(counts, "candidates", "thoughts")
        spent = spent.plus(Usage(calls, number(counts, "prompt"), number(counts, "cached"), 0, made))
    if printed.get("error"):
        return Reply(Status.FAILED, error=words(printed["error"]), usage=spent)
    text = printed.get("response")
    if not isinstance(text, str):
        raise ValueError("it printed JSON that is no answer of its own")
    return Reply(Status.OK, text, usage=spent)


_VERTEX = ("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_API_KEY", "GOOGLE_VERTEX_BASE_URL")
VENDOR = Vendor(
    keys=("GEMINI_API_KEY",),
    folder=".gemini",
    moved="",
    logins=("oauth_creds.json", "google_accounts.json"),
    sends="https://generativelanguage.googleapis.com",
    how="run `gemini` once and log in",
    login_sends="https://cloudcode-pa.googleapis.com",
    address="GOOGLE_GEMINI_BASE_URL",
    clouds={
        "vertex": Cloud(
            "Google Vertex AI", {"GOOGLE_GENAI_USE_VERTEXAI": "true"}, _VERTEX, {"GOOGLE_APPLICATION_CREDENTIALS": GOOGLE_LOGIN}
        )
    },
)
AGENT = _agent.Agent("gemini", "install the Gemini CLI, or name the program: options.path", VENDOR, _command, _read)
check, ask = AGENT.check, AGENT.ask
