"""Gemini's generateContent. Source: ai.google.dev/api/generate-content."""

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
    stopped_reply,
    token_count,
    tool_call,
    tool_call_reply,
    truncated_reply,
    value_at,
)
from ._question import ModelParameters, openapi_schema

_FILTERS = (
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
)
_TOOLS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "FUNCTION_CALL")


def body(prompt: Prompt, parameters: ModelParameters) -> dict[str, Any]:
    """The request; what questions share stands first, where the vendor's cache looks for it."""
    parts = [{"text": part} for part in (prompt.shared_part, prompt.own_part) if part]
    made: dict[str, Any] = (
        {} if parameters.structured == "none" else {"responseMimeType": "application/json"}
    )
    if parameters.structured == "schema":
        made["responseSchema"] = openapi_schema(prompt.answer_schema)
    if parameters.max_output_tokens:
        made["maxOutputTokens"] = parameters.max_output_tokens
    if parameters.effort:
        made["thinkingConfig"] = {"thinkingLevel": parameters.effort}
    asked: dict[str, Any] = {"contents": [{"role": "user", "parts": parts}]}
    if prompt.system:
        asked["systemInstruction"] = {"parts": [{"text": prompt.system}]}
    return asked | ({"generationConfig": made} if made else {})


def offer_tools(body: dict[str, Any], specs: Iterable[ToolSpec], is_used_up: bool) -> None:
    """Name the functions in a request; none may be called any more where they are used up. Beside
    functions most models take no schema (ai.google.dev/gemini-api/docs/structured-output): then the
    prompt alone says what the answer looks like."""
    declared = [
        {
            "name": each.name,
            "description": each.description,
            "parameters": openapi_schema(each.schema),
        }
        for each in specs
    ]
    body["tools"] = [{"functionDeclarations": declared}]
    config = body.get("generationConfig", {})
    body["generationConfig"] = {
        key: config[key] for key in config if key not in ("responseMimeType", "responseSchema")
    }
    if is_used_up:
        body["toolConfig"] = {"functionCallingConfig": {"mode": "NONE"}}


def tool_calls(data: Any) -> list[ToolCall]:
    """The calls that a response asks for; where it gives them no id, by their place."""
    return [call for _place, call in _calls(data)]


def _calls(data: Any) -> list[tuple[Any, ToolCall]]:
    parts = value_at(data, "candidates", 0, "content", "parts")
    asked = [
        call
        for part in (parts if isinstance(parts, list) else ())
        if (call := value_at(part, "functionCall")) is not None
    ]
    made = [
        (each, tool_call(value_at(each, "id") or f"{at}", value_at(each, "name"), _arguments(each)))
        for at, each in enumerate(asked)
    ]
    return [(each, call) for each, call in made if call]


def _arguments(call: Any) -> Any:
    given = value_at(call, "args")
    return {} if given is None else given


def add_answers(body: dict[str, Any], data: Any, answers: Mapping[str, str]) -> None:
    """Put a response and the answers to its calls behind the contents of a request; the signatures
    of its thoughts have to come along (ai.google.dev/gemini-api/docs/thought-signatures)."""
    told = [
        {
            "functionResponse": {
                **({"id": each["id"]} if "id" in each else {}),
                "name": call.name,
                "response": {"result": answers[call.id]},
            }
        }
        for each, call in _calls(data)
        if call.id in answers
    ]
    said = value_at(data, "candidates", 0, "content")
    body["contents"] = [*body["contents"], said, {"role": "user", "parts": told}]


def read(data: Any) -> ModelReply:
    """What a response says."""
    if value_at(data, "error") is not None or value_at(data, 0, "error") is not None:
        return failed_reply(api_error_text(data))
    usage, blocked, candidates = (
        _usage(data),
        value_at(data, "promptFeedback", "blockReason"),
        value_at(data, "candidates"),
    )
    if blocked:
        return filtered_reply(usage, f"the vendor blocked the prompt ({clean_text(blocked)[:60]})")
    if not isinstance(candidates, list) or len(candidates) != 1:
        return malformed_reply(usage)
    reason, parts = (
        value_at(candidates, 0, "finishReason"),
        value_at(candidates, 0, "content", "parts"),
    )
    if reason in _FILTERS:
        return filtered_reply(usage, clean_text(reason))
    if reason == "MAX_TOKENS":
        return truncated_reply(usage)
    if reason in _TOOLS or any(
        value_at(part, "functionCall") is not None
        for part in parts or ()
        if isinstance(parts, list)
    ):
        return tool_call_reply(usage)
    if reason != "STOP":
        return stopped_reply(reason, usage)
    return _said(parts, usage)


def _said(parts: Any, usage: Usage) -> ModelReply:
    """The text of all parts; thoughts are no part of the answer."""
    if parts is not None and not isinstance(parts, list):
        return malformed_reply(usage)
    said = [part for part in parts or () if value_at(part, "thought") is not True]
    if not all(isinstance(value_at(part, "text"), str) for part in said):
        return malformed_reply(usage)
    return complete_reply("".join(clean_text(part["text"]) for part in said), usage)


def _usage(data: Any) -> Usage:
    used = value_at(data, "usageMetadata")
    thought = token_count(used, "thoughtsTokenCount")
    return Usage(
        1,
        token_count(used, "promptTokenCount"),
        token_count(used, "cachedContentTokenCount"),
        0,
        token_count(used, "candidatesTokenCount") + thought,
    )
