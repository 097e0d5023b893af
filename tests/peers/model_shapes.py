"""How three vendors write an answer and where a request of theirs holds the prompt, by their public
references."""

import json
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model_server import Spoken

Json = dict[str, Any]
_EMPTY: dict[str, Json] = {"message": {"content": []}, "function_call": {"arguments": ""}}
_OPENAI_STOPS = {"filter": "content_filter", "refusal": "stop"}
_ANTHROPIC_STOPS = {"stop": "end_turn", "length": "max_tokens", "filter": "refusal"}
_GEMINI_STOPS = {
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "filter": "SAFETY",
    "refusal": "PROHIBITED_CONTENT",
}


def openai(said: "Spoken", tokens: int, request: Json) -> Json:
    """A chat completion."""
    message = {"role": "assistant", "content": said.text, "refusal": None}
    if said.tool:
        name, arguments = said.tool
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": 0, "id": _call_id(), "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
    if said.stop == "refusal":
        message |= {"content": None, "refusal": said.text}
    details = {"cached_tokens": said.cached}
    usage = {
        "prompt_tokens": tokens,
        "completion_tokens": said.output,
        "total_tokens": tokens + said.output,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": said.model or request.get("model", "deployed"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls"
                if said.tool
                else _OPENAI_STOPS.get(said.stop, said.stop),
            }
        ],
        "usage": {**usage, "prompt_tokens_details": details},
    }


def anthropic(said: "Spoken", tokens: int, request: Json) -> Json:
    """A message; where the request forces a tool, the answer is what the tool is given."""
    usage = {
        "cache_read_input_tokens": said.cached,
        "cache_creation_input_tokens": said.written,
        "output_tokens": said.output,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": said.model or request["model"],
        "content": [_anthropic_block(said, request)],
        "stop_reason": "tool_use"
        if (_forced(request) or said.tool) and said.stop == "stop"
        else _ANTHROPIC_STOPS.get(said.stop, said.stop),
        "stop_sequence": None,
        "usage": {"input_tokens": max(0, tokens - said.cached - said.written), **usage},
    }


def gemini(said: "Spoken", tokens: int, request: Json) -> Json:
    """A generateContent response."""
    usage = {
        "promptTokenCount": tokens,
        "candidatesTokenCount": said.output,
        "totalTokenCount": tokens + said.output,
    }
    candidate = {
        "content": {"role": "model", "parts": [_gemini_part(said)]},
        "finishReason": _GEMINI_STOPS.get(said.stop, said.stop),
    }
    return {
        "candidates": [{**candidate, "index": 0}],
        "usageMetadata": usage | ({"cachedContentTokenCount": said.cached} if said.cached else {}),
        "modelVersion": said.model or "gemini",
    }


def responses(said: "Spoken", tokens: int, request: Json) -> Json:
    """A response of OpenAI's Responses API."""
    content = [{"type": "output_text", "text": said.text, "annotations": []}]
    if said.stop == "refusal":
        content = [{"type": "refusal", "refusal": said.text}]
    reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(said.stop)
    ended: Json = {} if said.stop in ("stop", "refusal") else {"status": said.stop}
    if reason:
        ended = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    usage = {
        "input_tokens": tokens,
        "output_tokens": said.output,
        "total_tokens": tokens + said.output,
    }
    details = {
        "input_tokens_details": {"cached_tokens": said.cached},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": said.model or request["model"],
        "output": [
            _responses_call(*said.tool)
            if said.tool
            else {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        ],
        "usage": usage | details,
        **ended,
    }


SHAPES = {"openai": openai, "anthropic": anthropic, "gemini": gemini, "responses": responses}


def prompt_of(dialect: str, request: Json) -> str:
    """Every text of system and user, in order."""
    if dialect == "gemini":
        contents = [request.get("systemInstruction") or {}, *request["contents"]]
        parts = [part for each in contents for part in each.get("parts", ())]
        return "".join(part.get("text", "") for part in parts)
    if dialect == "responses":
        contents = [
            request.get("instructions") or "",
            *(item["content"] for item in request["input"] if item.get("type") == "message"),
        ]
        return "".join(text for each in contents for text in _texts(each))
    told = [request["system"]] if "system" in request else []
    return "".join(
        text
        for each in (*told, *(message["content"] for message in request["messages"]))
        for text in _texts(each)
    )


def streamed(dialect: str, made: Json) -> bytes:
    """The answer as server-sent events."""
    return "".join(_EVENTS[dialect](made)).encode()


def _texts(content: Any) -> Iterator[str]:
    yield from (
        [content]
        if isinstance(content, str)
        else [part["text"] for part in content or () if part.get("type") in ("text", "input_text")]
    )


def _forced(request: Json) -> str:
    choice = request.get("tool_choice") or {}
    return choice.get("name", "") if choice.get("type") == "tool" else ""


def _call_id() -> str:
    """Of a call of a tool: no two are the same."""
    return f"call_{uuid.uuid4().hex[:16]}"


def _gemini_part(said: "Spoken") -> Json:
    if said.tool:
        return {"functionCall": {"name": said.tool[0], "args": said.tool[1]}}
    return {"text": said.text}


def _responses_call(name: str, arguments: Json) -> Json:
    """Of a tool in a namespace where the name has a dot, as codex offers those of MCP servers."""
    namespace, _, own = name.rpartition(".")
    return {
        "type": "function_call",
        "id": "fc_1",
        "call_id": _call_id(),
        **({"namespace": namespace} if namespace else {}),
        "name": own,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def _anthropic_block(said: "Spoken", request: Json) -> Json:
    if said.tool:
        name, arguments = said.tool
        return {"type": "tool_use", "id": f"toolu_{_call_id()}", "name": name, "input": arguments}
    if _forced(request):
        return {
            "type": "tool_use",
            "id": "toolu_1",
            "name": _forced(request),
            "input": json.loads(said.text),
        }
    return {"type": "text", "text": said.text}


def _openai_events(made: Json) -> Iterator[str]:
    choice = made["choices"][0]
    head = {**made, "object": "chat.completion.chunk", "usage": None}
    for delta, reason in (choice["message"], None), ({}, choice["finish_reason"]):
        yield _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    yield _event({**head, "choices": [], "usage": made["usage"]})
    yield "data: [DONE]\n\n"


def _anthropic_events(made: Json) -> Iterator[str]:
    yield _event({"type": "message_start", "message": {**made, "content": [], "stop_reason": None}})
    for index, block in enumerate(made["content"]):
        tool = block["type"] == "tool_use"
        empty, delta = (
            ({"input": {}}, {"type": "input_json_delta"})
            if tool
            else ({"text": ""}, {"type": "text_delta"})
        )
        delta |= {"partial_json": json.dumps(block["input"])} if tool else {"text": block["text"]}
        yield _event(
            {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        )
        yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": made["stop_reason"], "stop_sequence": None}
    yield _event(
        {
            "type": "message_delta",
            "delta": ended,
            "usage": {"output_tokens": made["usage"]["output_tokens"]},
        }
    )
    yield _event({"type": "message_stop"})


def _gemini_events(made: Json) -> Iterator[str]:
    yield f"data: {json.dumps(made)}\r\n\r\n"


def _responses_events(made: Json) -> Iterator[str]:
    item = made["output"][0]
    yield _event(
        {"type": "response.created", "response": {**made, "status": "in_progress", "output": []}}
    )
    yield _event(
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": item | _EMPTY[item["type"]],
        }
    )
    yield _event({"type": "response.output_item.done", "output_index": 0, "item": item})
    yield _event({"type": "response.completed", "response": made})


_EVENTS = {
    "openai": _openai_events,
    "anthropic": _anthropic_events,
    "gemini": _gemini_events,
    "responses": _responses_events,
}


def _event(data: Json) -> str:
    named = f"event: {data['type']}\n" if "type" in data else ""
    return f"{named}data: {json.dumps(data)}\n\n"
