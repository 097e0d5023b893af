"""OpenAI's Responses API. Source: platform.openai.com/docs/api-reference/responses."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...model.question import ModelReply, Prompt, ToolCall, ToolSpec
from ...model.review import Usage
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

_FEWEST = 16  # output tokens: this API refuses less
_THOUGHTS = "reasoning.encrypted_content"


def body(prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
    """The request; what questions share stands first, where the vendor's cache looks for it.
    Nothing is stored at the vendor's."""
    parts = [
        {"type": "input_text", "text": part}
        for part in (prompt.shared_part, prompt.own_part)
        if part
    ]
    made: dict[str, Any] = {
        "model": parameters.model,
        "input": [{"type": "message", "role": "user", "content": parts}],
        "store": False,
    }
    if prompt.system:
        made["instructions"] = prompt.system
    if parameters.structured == "schema":
        held = {"name": "answer", "strict": True, "schema": strict_schema(prompt.answer_schema)}
        made["text"] = {"format": {"type": "json_schema", **held}}
    elif parameters.structured == "object":
        made["text"] = {"format": {"type": "json_object"}}
    if parameters.max_output_tokens:
        made["max_output_tokens"] = max(_FEWEST, parameters.max_output_tokens)
    return made | ({"reasoning": {"effort": parameters.effort}} if parameters.effort else {})


def offer_tools(body: dict[str, Any], specs: Iterable[ToolSpec], is_used_up: bool) -> None:
    """Name the functions in a request; none may be called any more where they are used up. What is
    not stored has to bring its thoughts along (docs: guides/reasoning)."""
    body["tools"] = [
        {
            "type": "function",
            "name": each.name,
            "description": each.description,
            "parameters": each.schema,
            "strict": False,
        }
        for each in specs
    ]
    body["include"] = [_THOUGHTS]
    if is_used_up:
        body["tool_choice"] = "none"


def tool_calls(data: Any) -> list[ToolCall]:
    """The calls that a response asks for."""
    found = [
        tool_call(value_at(each, "call_id"), value_at(each, "name"), value_at(each, "arguments"))
        for each in _items(data)
        if value_at(each, "type") == "function_call"
    ]
    return [each for each in found if each]


def add_answers(body: dict[str, Any], data: Any, answers: Mapping[str, str]) -> None:
    """Put a response and the answers to its calls, by id, behind the input of a request."""
    told = [
        {"type": "function_call_output", "call_id": name, "output": text}
        for name, text in answers.items()
    ]
    body["input"] = [*body["input"], *_items(data), *told]


def read(data: Any) -> ModelReply:
    """What a response says."""
    usage, status, output = _usage(data), value_at(data, "status"), value_at(data, "output")
    if value_at(data, "error") is not None:
        return failed_reply(api_error_text(data))
    if not isinstance(output, list):
        return malformed_reply(usage)
    if status == "incomplete":
        reason = value_at(data, "incomplete_details", "reason")
        if reason == "content_filter":
            return filtered_reply(usage)
        return (
            truncated_reply(usage)
            if reason == "max_output_tokens"
            else stopped_reply(reason, usage)
        )
    said = [item for item in output if value_at(item, "type") != "reasoning"]
    if any(str(value_at(item, "type")).endswith("_call") for item in said):
        return tool_call_reply(usage)
    if status != "completed":
        return stopped_reply(status, usage)
    parts = [part for item in said for part in _content(item)]
    refusal = next((part for part in parts if value_at(part, "type") == "refusal"), None)
    if refusal is not None:
        return refused_reply(usage, clean_text(value_at(refusal, "refusal")))
    if not all(
        value_at(part, "type") == "output_text" and isinstance(value_at(part, "text"), str)
        for part in parts
    ):
        return malformed_reply(usage)
    return complete_reply("".join(clean_text(part["text"]) for part in parts), usage)


def _items(data: Any) -> list[Any]:
    output = value_at(data, "output")
    return output if isinstance(output, list) else []


def _content(item: Any) -> list[Any]:
    """The parts of a message; of anything else one part that is no text."""
    content = value_at(item, "content")
    is_message = value_at(item, "type") == "message" and isinstance(content, list)
    return content if is_message else [item]


def _usage(data: Any) -> Usage:
    used = value_at(data, "usage")
    return Usage(
        1,
        token_count(used, "input_tokens"),
        token_count(used, "input_tokens_details", "cached_tokens"),
        0,
        token_count(used, "output_tokens"),
    )
