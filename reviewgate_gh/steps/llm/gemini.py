"""Gemini's generateContent. Source: ai.google.dev/api/generate-content."""

from typing import Any

from ...model.asked import Prompt, Reply
from ...model.usage import Usage
from .reading import answer, at, count, cut, failed, filtered, misshapen, stopped, text, tool
from .refusals import words
from .schema import openapi
from .terms import Terms

_FILTERS = ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
_TOOLS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "FUNCTION_CALL")


def body(prompt: Prompt, terms: Terms) -> dict[str, Any]:
    """The request; what questions share stands first, where the vendor's cache looks for it."""
    parts = [{"text": part} for part in (prompt.shared, prompt.own) if part]
    made: dict[str, Any] = {} if terms.structured == "none" else {"responseMimeType": "application/json"}
    if terms.structured == "schema":
        made["responseSchema"] = openapi(prompt.answer)
    if terms.most:
        made["maxOutputTokens"] = terms.most
    if terms.effort:
        made["thinkingConfig"] = {"thinkingLevel": terms.effort}
    return {"contents": [{"role": "user", "parts": parts}]} | ({"generationConfig": made} if made else {})


def read(data: Any) -> Reply:
    """What a response says."""
    if at(data, "error") is not None or at(data, 0, "error") is not None:
        return failed(words(data))
    usage, blocked, candidates = _usage(data), at(data, "promptFeedback", "blockReason"), at(data, "candidates")
    if blocked:
        return filtered(usage, f"the vendor blocked the prompt ({text(blocked)[:60]})")
    if not isinstance(candidates, list) or len(candidates) != 1:
        return misshapen(usage)
    reason, parts = at(candidates, 0, "finishReason"), at(candidates, 0, "content", "parts")
    if reason in _FILTERS:
        return filtered(usage, text(reason))
    if reason == "MAX_TOKENS":
        return cut(usage)
    if reason in _TOOLS or any(at(part, "functionCall") is not None for part in parts or () if isinstance(parts, list)):
        return tool(usage)
    if reason != "STOP":
        return stopped(reason, usage)
    return _said(parts, usage)


def _said(parts: Any, usage: Usage) -> Reply:
    """The text of all parts; thoughts are no part of the answer."""
    if parts is not None and not isinstance(parts, list):
        return misshapen(usage)
    said = [part for part in parts or () if at(part, "thought") is not True]
    if not all(isinstance(at(part, "text"), str) for part in said):
        return misshapen(usage)
    return answer("".join(text(part["text"]) for part in said), usage)


def _usage(data: Any) -> Usage:
    used = at(data, "usageMetadata")
    thought = count(used, "thoughtsTokenCount")
    return Usage(
        1, count(used, "promptTokenCount"), count(used, "cachedContentTokenCount"), 0, count(used, "candidatesTokenCount") + thought
    )
