"""The `claude` CLI (Claude Code), without tools, settings, hooks or memory."""

from typing import Literal

from ..model.asked import Reply
from ..model.config import STRICT
from ..model.values import dataclass
from . import _agent
from ._access import AgentOptions
from ._anthropic import ENVIRONMENT, VENDOR, reply
from ._envelope import result


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(AgentOptions):
    """`cloud` asks Claude at Amazon Bedrock or Google Vertex AI, with the account that is set up there."""

    __pydantic_config__ = STRICT
    cloud: Literal["", "bedrock", "vertex"] = ""


def _command(call: _agent.Call) -> _agent.Command:
    argv = [call.program, "--print", "--output-format", "json", "--tools", "", "--permission-mode", "dontAsk", "--strict-mcp-config"]
    argv += ["--setting-sources", "", "--disable-slash-commands", "--no-session-persistence", "--system-prompt", _agent.ROLE]
    argv += ["--model", call.options.model] if call.options.model else []
    argv += ["--effort", call.prompt.effort] if call.prompt.effort else []
    # It marks the question as one block with the lens in it: a cache would be paid for and never be read.
    return _agent.Command(argv, {**ENVIRONMENT, "DISABLE_PROMPT_CACHING": "1"})


def _read(out: bytes) -> Reply:
    said = result(out)
    return reply(said, said.get("result"))


AGENT = _agent.Agent("claude", "install Claude Code, or set options.path to the program", VENDOR, _command, _read)
check, ask = AGENT.check, AGENT.ask
