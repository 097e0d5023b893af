"""The `gemini` CLI, without tools that reach anything: it needs one, and gets the one that lists its empty folder."""

import json
from typing import Any, Literal

from ..model.config import STRICT
from ..model.values import dataclass
from . import _agent
from ._access import AgentOptions
from ._google import VENDOR, reply

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


AGENT = _agent.Agent("gemini", "install the Gemini CLI, or set options.path to the program", VENDOR, _command, reply)
check, ask = AGENT.check, AGENT.ask
