"""Gemini's generateContent. Source: ai.google.dev/api/generate-content."""

from typing import Any

from ...model.question import ModelReply, Prompt
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
