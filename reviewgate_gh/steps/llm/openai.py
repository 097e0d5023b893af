"""OpenAI's chat completions, which Azure, Ollama, vLLM, OpenRouter, Mistral, DeepSeek and others speak too.

Source: platform.openai.com/docs/api-reference/chat/create.
"""

from typing import Any

from ...model.asked import Prompt, Reply
from ...model.usage import Usage
from .reading import answer, at, count, cut, failed, filtered, misshapen, refused, stopped, text, tool
from .refusals import words
from .schema import strict
from .terms import Terms


def body(prompt: Prompt, terms: Terms) -> dict[str, Any]:
    """The request; what questions share stands first, where the vendor's cache looks for it."""
    made: dict[str, Any] = {"model": terms.model, "messages": [{"role": "user", "content": _content(prompt, terms)}]}
    if terms.structured == "schema":
        held = {"name": "answer", "strict": True, "schema": strict(prompt.answer)}
        made["response_format"] = {"type": "json_schema", "json_schema": held}
    elif terms.structured == "object":
        made["response_format"] = {"type": "json_object"}
    if terms.most:  # models of the vendor's that reason know only the one name, most other servers only the other
        made["max_completion_tokens" if terms.own else "max_tokens"] = terms.most
    return made | ({"reasoning_effort": terms.effort} if terms.effort else {})


def _content(prompt: Prompt, terms: Terms) -> Any:
    if not terms.marked or not prompt.shared or not prompt.own:
        return prompt.text
    return [{"type": "text", "text": prompt.shared, "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": prompt.own}]


def read(data: Any) -> Reply:
    """What a response says."""
    choices, usage = at(data, "choices"), _usage(data)
    if at(data, "error") is not None or at(choices, 0, "error") is not None:
        return failed(words(data) or words(at(choices, 0)))
    message, reason = at(choices, 0, "message"), at(choices, 0, "finish_reason")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(message, dict):
        return misshapen(usage)
    if message.get("refusal"):
        return refused(usage, text(message["refusal"]))
    if reason == "length":
        return cut(usage)
    if reason == "content_filter":
        return filtered(usage)
    if message.get("tool_calls") or message.get("function_call") or reason in ("tool_calls", "function_call"):
        return tool(usage)
    if reason != "stop":
        return stopped(reason, usage)
    said = _said(message.get("content"))
    return misshapen(usage) if said is None else answer(said, usage)


def _said(content: Any) -> str | None:
    """The text, in one piece or in parts; thoughts are no part of the answer."""
    if not isinstance(content, list):
        return text(content) if isinstance(content, str) or content is None else None
    parts = [part for part in content if at(part, "type") != "thinking"]
    if not all(at(part, "type") == "text" and isinstance(at(part, "text"), str) for part in parts):
        return None
    return "".join(text(part["text"]) for part in parts)


def _usage(data: Any) -> Usage:
    used = at(data, "usage")
    cached = count(used, "prompt_tokens_details", "cached_tokens") or count(used, "prompt_cache_hit_tokens")
    written = count(used, "prompt_tokens_details", "cache_write_tokens")
    cost = at(used, "cost")
    known = float(cost) if type(cost) in (int, float) and 0 <= cost < 1_000_000 else None
    return Usage(1, count(used, "prompt_tokens"), cached, written, count(used, "completion_tokens"), known)
