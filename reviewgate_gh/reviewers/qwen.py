"""The `qwen` CLI (Qwen Code) in its bare mode, without tools that reach anything."""

from typing import Literal

from ..model.asked import Reply
from ..model.config import STRICT
from ..model.review import Status
from ..model.usage import Usage
from ..model.values import dataclass
from . import _agent
from ._access import AgentOptions, Vendor
from ._envelope import number, result, words

# Without any tool it sends an empty list, which APIs refuse; the two that stay set a goal in words.
_OFF = "run_shell_command,edit,write_file,notebook_edit,read_file,read_many_files,web_fetch,web_search,agent,skill"
_REFUSED = "[API Error"


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


def _read(out: bytes) -> Reply:
    """Versions before 0.16 call an API's refusal a success and print it as the answer."""
    said = result(out)
    text, counts = said.get("result"), said.get("usage")
    cached = number(counts, "cache_read_input_tokens")
    spent = Usage(max(1, number(said, "num_turns")), number(counts, "input_tokens"), cached, 0, number(counts, "output_tokens"))
    if said["is_error"] or said.get("subtype") != "success" or not isinstance(text, str) or text.startswith(_REFUSED):
        refused = text if said["is_error"] or str(text).startswith(_REFUSED) else None
        return Reply(Status.FAILED, error=words(said.get("error") or refused or said.get("subtype")), usage=spent)
    return Reply(Status.OK, text, usage=spent)


VENDOR = Vendor(
    keys=("OPENAI_API_KEY",),
    folder=".qwen",
    moved="QWEN_HOME",
    logins=("oauth_creds.json",),
    sends="https://dashscope.aliyuncs.com/compatible-mode/v1",
    how="run `qwen` once and log in",
    login_sends="https://portal.qwen.ai",
    address="OPENAI_BASE_URL",
)
AGENT = _agent.Agent("qwen", "install Qwen Code, or name the program: options.path", VENDOR, _command, _read)
check, ask = AGENT.check, AGENT.ask
