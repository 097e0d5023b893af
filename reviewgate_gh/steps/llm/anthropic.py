"""Anthropic's messages. Source: docs.anthropic.com/en/api/messages."""

from typing import Any

from ...model.asked import Prompt, Reply
from ...model.usage import Usage
from .reading import answer, at, count, cut, failed, misshapen, refused, stopped, text, tool
from .refusals import words
from .schema import strict
from .terms import Terms

_MOST = 16_000  # this API wants a number
_THOUGHTS = ("thinking", "redacted_thinking")


def body(prompt: Prompt, terms: Terms) -> dict[str, Any]:
    """The request; the vendor caches up to the mark behind what questions share."""
    parts = [{"type": "text", "text": part} for part in (prompt.shared, prompt.own) if part]
    if prompt.shared:
        parts[0] |= {"cache_control": {"type": "ephemeral"}}  # type: ignore[dict-item]
    made: dict[str, Any] = {"model": terms.model, "max_tokens": terms.most or _MOST, "messages": [{"role": "user", "content": parts}]}
    output: dict[str, Any] = {"effort": terms.effort} if terms.effort else {}
    if terms.structured == "schema":
        output["format"] = {"type": "json_schema", "schema": strict(prompt.answer)}
    return made | ({"output_config": output} if output else {})


def read(data: Any) -> Reply:
    """What a response says."""
    if at(data, "error") is not None:
        return failed(words(data))
    blocks, reason, usage = at(data, "content"), at(data, "stop_reason"), _usage(data)
    if at(data, "type") != "message" or not isinstance(blocks, list):
        return misshapen(usage)
    if reason == "refusal":
        return refused(usage)
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return cut(usage)
    said = [block for block in blocks if at(block, "type") not in _THOUGHTS]
    if reason == "tool_use" or any(at(block, "type") == "tool_use" for block in said):
        return tool(usage)
    if reason != "end_turn":
        return stopped(reason, usage)
    if not all(at(block, "type") == "text" and isinstance(at(block, "text"), str) for block in said):
        return misshapen(usage)
    return answer("".join(text(block["text"]) for block in said), usage)


def _usage(data: Any) -> Usage:
    """This vendor's input leaves out what the cache gave or took in."""
    used = at(data, "usage")
    cached, written = count(used, "cache_read_input_tokens"), count(used, "cache_creation_input_tokens")
    return Usage(1, count(used, "input_tokens") + cached + written, cached, written, count(used, "output_tokens"))
