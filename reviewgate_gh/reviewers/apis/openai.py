"""OpenAI's chat completions, which Azure, Ollama, vLLM, OpenRouter, Mistral, DeepSeek and others
speak too.

Source: platform.openai.com/docs/api-reference/chat/create.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...model.question import ModelReply, Prompt, ToolCall, ToolSpec
from ...model.review import Usage
from ...text.patterns import lazy_pattern
from ._answer import (
    api_error_text,
    clean_text,
    complete_reply,
    failed_reply,
    filtered_reply,
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

# platform.openai.com/docs/guides/reasoning; gateways put the vendor before the name
_REASONS = lazy_pattern(r"(?:o\d|gpt-(?:[5-9]|\d\d|oss))", re.IGNORECASE)


def body(prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
    """The request; what questions share stands first, where the vendor's cache looks for it."""
    made: dict[str, Any] = {
        "model": parameters.model,
        "messages": [
            *([{"role": "system", "content": prompt.system}] if prompt.system else ()),
            {"role": "user", "content": _content(prompt, parameters)},
        ],
    }
    if parameters.structured == "schema":
        held = {"name": "answer", "strict": True, "schema": strict_schema(prompt.answer_schema)}
        made["response_format"] = {"type": "json_schema", "json_schema": held}
    elif parameters.structured == "object":
        made["response_format"] = {"type": "json_object"}
    # Models of the vendor's that reason know only the one name, wherever they are served; most
    # other servers only the other
    if parameters.max_output_tokens:
        reasons = parameters.is_vendor_server or _REASONS.match(parameters.model.rpartition("/")[2])
        name = "max_completion_tokens" if reasons else "max_tokens"
        made[name] = parameters.max_output_tokens
    return made | ({"reasoning_effort": parameters.effort} if parameters.effort else {})


def _content(prompt: Prompt, parameters: ModelParameters) -> Any:
    if not parameters.mark_cache or not prompt.shared_part or not prompt.own_part:
        return f"{prompt.shared_part}{prompt.own_part}"
    return [
        {"type": "text", "text": prompt.shared_part, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": prompt.own_part},
    ]


def offer_tools(body: dict[str, Any], specs: Iterable[ToolSpec], is_used_up: bool) -> None:
    """Name the functions in a request; none may be called any more where they are used up."""
    body["tools"] = [
        {
            "type": "function",
            "function": {
                "name": each.name,
                "description": each.description,
                "parameters": each.schema,
            },
        }
        for each in specs
    ]
    if is_used_up:
        body["tool_choice"] = "none"


def tool_calls(data: Any) -> list[ToolCall]:
    """The calls that a response asks for."""
    calls = value_at(data, "choices", 0, "message", "tool_calls")
    found = [
        tool_call(value_at(each, "id"), *_named(value_at(each, "function")))
        for each in (calls if isinstance(calls, list) else ())
    ]
    return [each for each in found if each]


def _named(function: Any) -> tuple[Any, Any]:
    return value_at(function, "name"), value_at(function, "arguments")


def add_answers(body: dict[str, Any], data: Any, answers: Mapping[str, str]) -> None:
    """Put a response and the answers to its calls, by id, behind the messages of a request."""
    said = value_at(data, "choices", 0, "message")
    kept = {key: said[key] for key in ("role", "content", "tool_calls") if key in said}
    told = [
        {"role": "tool", "tool_call_id": name, "content": text} for name, text in answers.items()
    ]
    body["messages"] = [*body["messages"], {"role": "assistant", **kept}, *told]


def read(data: Any) -> ModelReply:
    """What a response says."""
    choices, usage = value_at(data, "choices"), _usage(data)
    if value_at(data, "error") is not None or value_at(choices, 0, "error") is not None:
        return failed_reply(api_error_text(data) or api_error_text(value_at(choices, 0)))
    message, reason = value_at(choices, 0, "message"), value_at(choices, 0, "finish_reason")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(message, dict):
        return malformed_reply(usage)
    if message.get("refusal"):
        return refused_reply(usage, clean_text(message["refusal"]))
    if reason == "length":
        return truncated_reply(usage)
    if reason == "content_filter":
        return filtered_reply(usage)
    if (
        message.get("tool_calls")
        or message.get("function_call")
        or reason in ("tool_calls", "function_call")
    ):
        return tool_call_reply(usage)
    if reason != "stop":
        return stopped_reply(reason, usage)
    said = _said(message.get("content"))
    return malformed_reply(usage) if said is None else complete_reply(said, usage)


def _said(content: Any) -> str | None:
    """The text, in one piece or in parts; thoughts are no part of the answer."""
    if not isinstance(content, list):
        return clean_text(content) if isinstance(content, str) or content is None else None
    parts = [part for part in content if value_at(part, "type") != "thinking"]
    if not all(
        value_at(part, "type") == "text" and isinstance(value_at(part, "text"), str)
        for part in parts
    ):
        return None
    return "".join(clean_text(part["text"]) for part in parts)


def _usage(data: Any) -> Usage:
    used = value_at(data, "usage")
    cached = token_count(used, "prompt_tokens_details", "cached_tokens") or token_count(
        used, "prompt_cache_hit_tokens"
    )
    written = token_count(used, "prompt_tokens_details", "cache_write_tokens")
    cost = value_at(used, "cost")
    known = float(cost) if type(cost) in (int, float) and 0 <= cost < 1_000_000 else None
    return Usage(
        1,
        token_count(used, "prompt_tokens"),
        cached,
        written,
        token_count(used, "completion_tokens"),
        known,
    )
