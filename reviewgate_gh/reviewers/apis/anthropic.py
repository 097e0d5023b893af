"""Anthropic's messages. Source: docs.anthropic.com/en/api/messages."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...model.question import ModelReply, Prompt, ToolCall, ToolSpec
from ...model.review import Usage
from ._answer import (
    api_error_text,
    clean_text,
    complete_reply,
    failed_reply,
    malformed_reply,
    refused_reply,
    stopped_reply,
    token_count,
    tool_call,
    tool_call_reply,
    truncated_reply,
    value_at,
)
from ._question import ModelParameters, strict_schema

_MOST = 16_000  # this API wants a number
_THOUGHTS = ("thinking", "redacted_thinking")


def body(prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
    """The request; the vendor caches up to the mark behind what questions share, and misses where
    the schema is another one (docs.anthropic.com/en/docs/build-with-claude/structured-outputs)."""
    parts = [
        {"type": "text", "text": part} for part in (prompt.shared_part, prompt.own_part) if part
    ]
    if prompt.shared_part:
        parts[0] |= {"cache_control": {"type": "ephemeral"}}  # type: ignore[dict-item]
    made: dict[str, Any] = {
        "model": parameters.model,
        "max_tokens": parameters.max_output_tokens or _MOST,
        "messages": [{"role": "user", "content": parts}],
    }
    if prompt.system:
        made["system"] = [{"type": "text", "text": prompt.system}]
    output: dict[str, Any] = {"effort": parameters.effort} if parameters.effort else {}
    if parameters.structured == "schema":
        output["format"] = {"type": "json_schema", "schema": strict_schema(prompt.answer_schema)}
    return made | ({"output_config": output} if output else {})


def offer_tools(body: dict[str, Any], specs: Iterable[ToolSpec], is_used_up: bool) -> None:
    """Name the functions in a request; none may be called any more where they are used up."""
    body["tools"] = [
        {"name": each.name, "description": each.description, "input_schema": each.schema}
        for each in specs
    ]
    if is_used_up:
        body["tool_choice"] = {"type": "none"}


def tool_calls(data: Any) -> list[ToolCall]:
    """The calls that a response asks for."""
    blocks = value_at(data, "content")
    found = [
        tool_call(value_at(each, "id"), value_at(each, "name"), value_at(each, "input"))
        for each in (blocks if isinstance(blocks, list) else ())
        if value_at(each, "type") == "tool_use"
    ]
    return [each for each in found if each]


def add_answers(body: dict[str, Any], data: Any, answers: Mapping[str, str]) -> None:
    """Put a response and the answers to its calls, by id, behind the messages of a request; its
    thoughts have to come along (docs.anthropic.com/en/docs/build-with-claude/extended-thinking)."""
    told = [
        {"type": "tool_result", "tool_use_id": name, "content": text}
        for name, text in answers.items()
    ]
    body["messages"] = [
        *body["messages"],
        {"role": "assistant", "content": value_at(data, "content")},
        {"role": "user", "content": told},
    ]


def read(data: Any) -> ModelReply:
    """What a response says."""
    if value_at(data, "error") is not None:
        return failed_reply(api_error_text(data))
    blocks, reason, usage = value_at(data, "content"), value_at(data, "stop_reason"), _usage(data)
    if value_at(data, "type") != "message" or not isinstance(blocks, list):
        return malformed_reply(usage)
    if reason == "refusal":
        return refused_reply(usage)
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return truncated_reply(usage)
    said = [block for block in blocks if value_at(block, "type") not in _THOUGHTS]
    if reason == "tool_use" or any(value_at(block, "type") == "tool_use" for block in said):
        return tool_call_reply(usage)
    if reason != "end_turn":
        return stopped_reply(reason, usage)
    if not all(
        value_at(block, "type") == "text" and isinstance(value_at(block, "text"), str)
        for block in said
    ):
        return malformed_reply(usage)
    return complete_reply("".join(clean_text(block["text"]) for block in said), usage)


def _usage(data: Any) -> Usage:
    """This vendor's input leaves out what the cache gave or took in."""
    used = value_at(data, "usage")
    cached, written = (
        token_count(used, "cache_read_input_tokens"),
        token_count(used, "cache_creation_input_tokens"),
    )
    return Usage(
        1,
        token_count(used, "input_tokens") + cached + written,
        cached,
        written,
        token_count(used, "output_tokens"),
    )
