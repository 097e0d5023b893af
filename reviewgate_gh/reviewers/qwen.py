"""The `qwen` CLI (Qwen Code) in its bare mode, without tools that reach anything."""

from typing import Literal

from ..model.config import STRICT
from ..model.values import dataclass
from . import _agent
from ._access import AgentOptions
from ._alibaba import VENDOR, reply

# Without any tool it sends an empty list, which APIs refuse; the two that stay set a goal in words.
_OFF = "run_shell_command,edit,write_file,notebook_edit,read_file,read_many_files,web_fetch,web_search,agent,skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(AgentOptions):
    """`url` is the address of an API like OpenAI's; OPENAI_BASE_URL serves on a person's own machine."""

    __pydantic_config__ = STRICT
    cloud: Literal[""] = ""


def _command(call: _agent.Call) -> _agent.Command:
    argv = [call.program, "--bare", "--output-format", "json", "--exclude-tools", _OFF, "--approval-mode", "default"]
    argv += ["--max-session-turns", "1", "--system-prompt", _agent.ROLE]
    argv += ["--auth-type", "qwen-oauth" if call.access.kind == "login" else "openai"] if call.access.kind != "own" else []
    argv += ["--model", call.options.model] if call.options.model else []
    address = {"OPENAI_BASE_URL": call.access.sends} if call.access.kind == "key" else {}
    return _agent.Command(argv, {"QWEN_USAGE_STATISTICS_ENABLED": "false", **address})


AGENT = _agent.Agent("qwen", "install Qwen Code, or set options.path to the program", VENDOR, _command, reply)
check, ask = AGENT.check, AGENT.ask
