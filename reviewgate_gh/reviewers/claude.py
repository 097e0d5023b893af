"""The `claude` CLI (Claude Code), without tools, settings, hooks or memory."""

from typing import Any, Literal

from ..model.asked import Prompt, Reply, Standing
from ..model.config import STRICT
from ..model.review import Status
from ..model.values import dataclass
from ..system.kit import Seat
from . import _agent
from ._access import AgentOptions
from ._anthropic import ENDS, ENVIRONMENT, VENDOR, unfinished, usage
from ._envelope import table, whole, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(AgentOptions):
    """`cloud` asks Claude at Amazon Bedrock or Google Vertex AI, with the account that is set up there."""

    __pydantic_config__ = STRICT
    cloud: Literal["", "bedrock", "vertex"] = ""


def check(options: Options, seat: Seat) -> Standing:
    """Whether it can be asked here."""
    return _agent.check(AGENT, options, seat)


def ask(prompt: Prompt, options: Options, seat: Seat) -> Reply:
    """One answer."""
    return _agent.ask(AGENT, prompt, options, seat)


def _command(call: _agent.Call) -> _agent.Command:
    argv = [call.program, "--print", "--output-format", "json", "--tools", "", "--permission-mode", "dontAsk", "--strict-mcp-config"]
    argv += ["--setting-sources", "", "--disable-slash-commands", "--no-session-persistence", "--system-prompt", _agent.ROLE]
    argv += ["--model", call.options.model] if call.options.model else []
    argv += ["--effort", call.prompt.effort] if call.prompt.effort else []
    # It marks the question as one block with the lens in it: a cache would be paid for and never be read.
    return _agent.Command(argv, {**ENVIRONMENT, "DISABLE_PROMPT_CACHING": "1"})


def _read(out: bytes) -> Reply:
    """The result, the last one where a setting of the user's prints all messages."""
    printed = whole(out)
    result: dict[str, Any] = table(printed[-1] if isinstance(printed, list) and printed else printed)
    if result.get("type") != "result" or not isinstance(result.get("is_error"), bool):
        raise ValueError("it printed JSON that is no answer of its own")
    text, end, spent = result.get("result"), result.get("stop_reason"), usage(result)
    if result["is_error"] or result.get("subtype") != "success" or not isinstance(text, str):
        return Reply(Status.FAILED, error=words((text if result["is_error"] else None) or result.get("subtype")), usage=spent)
    if end not in ENDS:
        return Reply(unfinished(end), error=f"its answer is not whole: {words(end)}", usage=spent)
    return Reply(Status.OK, text, usage=spent)


AGENT = _agent.Agent("claude", "install Claude Code, or name the program: options.path", VENDOR, _command, _read)
