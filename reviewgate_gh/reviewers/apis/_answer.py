"""Reading what a model API sent: nothing here trusts its shape; a refusal says what to do next."""

import json
from typing import Any, NamedTuple

from ...model.question import ModelReply, ToolCall
from ...model.review import NO_USAGE, ReviewStatus, Usage
from ...text.redact import redact

_MOST = 10**12
_MOST_BYTES = 8
_TOO_LONG = "the answer was cut off: raise max_output_tokens, or review fewer files at once"
_FILTERED = "the vendor's content filter stopped the answer"
_REFUSED = "the model refused to answer"
EFFORT_REFUSED = "the server does not accept this effort"
TOOL_CALLED = "the model called a tool instead of answering"


def value_at(data: Any, *path: str | int) -> Any:
    """What stands there, or None."""
    for part in path:
        if isinstance(part, str):
            data = data.get(part) if isinstance(data, dict) else None
        else:
            data = data[part] if isinstance(data, list) and len(data) > part else None
    return data


def token_count(data: Any, *path: str | int) -> int:
    """The number of tokens that stands there; 0 for whatever is no such number."""
    value = value_at(data, *path)
    return value if type(value) is int and 0 <= value < _MOST else 0


def clean_text(value: Any) -> str:
    """The text, or "" for anything else; halves of a surrogate pair that JSON can escape become
    U+FFFD."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def complete_reply(said: str, usage: Usage) -> ModelReply:
    """A whole answer, unless it is empty."""
    if not said.strip():
        return ModelReply(ReviewStatus.UNPARSABLE, error="the answer is empty", usage=usage)
    return ModelReply(ReviewStatus.OK, said, usage=usage)


def truncated_reply(usage: Usage) -> ModelReply:
    """The model had more to say than it might."""
    return ModelReply(ReviewStatus.UNPARSABLE, error=_TOO_LONG, usage=usage)


def filtered_reply(usage: Usage, why: str = "") -> ModelReply:
    """Not the model but the vendor did not want it."""
    return ModelReply(ReviewStatus.FAILED, error=_named(_FILTERED, why), usage=usage)


def refused_reply(usage: Usage, why: str = "") -> ModelReply:
    """The model did not want to."""
    return ModelReply(ReviewStatus.FAILED, error=_named(_REFUSED, why), usage=usage)


def tool_call_reply(usage: Usage) -> ModelReply:
    """The model wanted something of us; it has nothing to want."""
    return ModelReply(ReviewStatus.UNPARSABLE, error=TOOL_CALLED, usage=usage)


def tool_call(name: Any, function: Any, arguments: Any) -> ToolCall | None:
    """A call as a response has it, its arguments as an object or as JSON; None where it is none.

    One with other arguments has none of them: servers want an answer to each call.
    """
    if not isinstance(name, str) or not isinstance(function, str):
        return None
    given = arguments if isinstance(arguments, dict) else parse_body(clean_text(arguments).encode())
    named = given.items() if isinstance(given, dict) else ()
    return ToolCall(
        name,
        function,
        {key: clean_text(each) if isinstance(each, str) else each for key, each in named},
    )


def stopped_reply(why: Any, usage: Usage) -> ModelReply:
    """It ended in a way that no whole answer ends in."""
    return ModelReply(
        ReviewStatus.UNPARSABLE,
        error=(
            f"the answer ended with {clean_text(why)[:60] or 'no reason'!r}, so it may be "
            "incomplete"
        ),
        usage=usage,
    )


def malformed_reply(usage: Usage = NO_USAGE) -> ModelReply:
    """It is no response of this API."""
    return ModelReply(
        ReviewStatus.UNPARSABLE,
        error="the response does not match this API: check that `dialect` fits `url`",
        usage=usage,
    )


def failed_reply(message: str) -> ModelReply:
    """A good status with an error in it."""
    return ModelReply(
        ReviewStatus.FAILED, error=_named("the server answered with an error", message)
    )


def _named(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what


def truncated_prompt_reason(prompt: str, usage: Usage) -> str:
    """Why an answer is none to the whole question, or "": some servers cut what is too long for
    them and say nothing.

    A token stands for 2 to 5 bytes of code or prose. Half a question, which is what is left there,
    looks like more than 8.
    """
    size = len(prompt.encode("utf-8", "replace"))
    if not usage.input or size <= _MOST_BYTES * usage.input:
        return ""
    read = f"the server read only {usage.input:,} tokens of a prompt of {size:,} bytes"
    return f"{read}: give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH)"


_LONGEST, _READ = 300, 20_000
_MESSAGES = ("error", "detail", "message", "msg")
_ANY = range(300, 1000)


class _Row(NamedTuple):
    """`signs`: codes and words of vendors, one of which is in the error; none: the status alone
    says it."""

    statuses: tuple[int, ...] | range
    signs: tuple[str, ...]
    status: ReviewStatus
    means: str


# The first row that fits says it.
_ROWS = (
    _Row((413,), (), ReviewStatus.FAILED,
        "the prompt is longer than the server accepts: lower ensemble.context_tokens, or "
    "exclude files"),
    _Row((400, 422, 500), (
        "context_length_exceeded", "maximum context length", "prompt is too long",
        "exceed context limit", "context size", "context window",
        "exceeds the maximum number of tokens", "too large for model with", "request_too_large",
        "input is too long", "input_too_long",
        "reduce the length of the messages", "string_above_max_length",
    ), ReviewStatus.FAILED,
    "the prompt does not fit the context of {model}: lower ensemble.context_tokens, or "
    "exclude files"),
    _Row((429,), ("request too large for",), ReviewStatus.FAILED,
         "the prompt exceeds this account's limit per minute: lower ensemble.context_tokens, or "
         "ask the vendor for a higher limit"),
    _Row((402,), (), ReviewStatus.UNAVAILABLE, "the account has no credit left: top it up, "
    "or configure a `fallback`"),
    _Row(_ANY, ("insufficient_quota", "insufficient balance", "credit balance is too low",
        "insufficient credits"),
         ReviewStatus.UNAVAILABLE,
         "the account has no credit left: top it up, or configure a `fallback`"),
    _Row((401,), (), ReviewStatus.UNAVAILABLE, "the API key in {key} was "
    "rejected: set a valid one"),
    _Row((400, 403), ("api key not valid", "api_key_invalid", "api key not found",
        "invalid api key"), ReviewStatus.UNAVAILABLE,
         "the API key in {key} was rejected: set a valid one"),
    _Row((403,), (), ReviewStatus.UNAVAILABLE,
         "this API key has no access to {model}: allow it in the vendor's console, or correct "
         "`model`"),
    _Row((404, 405), (), ReviewStatus.UNAVAILABLE, "the server does not know {model}: "
    "correct `model` or `url`"),
    _Row((400,), ("model_not_found", "model not found", "is not a valid model", "invalid model",
        "unknown model"), ReviewStatus.UNAVAILABLE,
         "the server does not know {model}: correct `model`"),
    _Row((407,), (), ReviewStatus.FAILED, "the proxy requires authentication: see HTTPS_PROXY"),
    _Row((400,), ("content_filter", "content management policy", "responsibleaipolicyviolation"),
        ReviewStatus.FAILED,
         "the vendor's content filter rejected the prompt"),
    _Row((400, 422), ("response_format", "json_schema", "output_config.format", "responseschema",
        "response_schema", "structured output"),
         ReviewStatus.FAILED,
         "the server does not support this schema: set `structured: object` or "
         "`structured: none`"),
    _Row((400, 422), ("max_tokens", "max_completion_tokens", "maxoutputtokens",
        "max_output_tokens"), ReviewStatus.FAILED,
         "the server does not accept this number of output tokens: correct `max_output_tokens`"),
    _Row((400, 422), ("effort", "thinking_level", "thinkinglevel", "thinkingconfig"),
        ReviewStatus.FAILED,
         f"{EFFORT_REFUSED}: remove `effort`"),
    _Row((429,), (), ReviewStatus.FAILED, "the rate limit was reached: lower "
    "ensemble.max_parallel, or try again later"),
    _Row(range(300, 400), (), ReviewStatus.FAILED,
         "the server redirects the request, and the key is not sent to the new address: correct "
         "`url`"),
    _Row(range(500, 600), (), ReviewStatus.FAILED, "the server failed: try again later"),
)  # fmt: skip
_OTHER = _Row(_ANY, (), ReviewStatus.FAILED, "the server rejected the request")


def refusal_reply(status: int, body: bytes, model: str, key: str) -> ModelReply:
    """The reply for an answer that is no 200; `key` is the name of the variable that holds the key,
    "" for none."""
    signs, said = body[:_READ].decode("utf-8", "replace").lower(), api_error_text(parse_body(body))
    row = next(
        (
            row
            for row in _ROWS
            if status in row.statuses
            and (not row.signs or any(sign in signs for sign in row.signs))
        ),
        _OTHER,
    )
    means = (
        row.means
        if key or "{key}" not in row.means
        else "the server requires an API key: set `key` to the environment variable that holds it"
    )
    return ModelReply(
        row.status,
        error=(
            f"{means.format(model=model, key=key)} (status {status}{f': {said}' if said else ''})"
        ),
    )


def parse_body(body: bytes) -> Any:
    """The JSON of a body, or None."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def api_error_text(data: Any, deep: int = 3) -> str:
    """The message of an error in one short line, however the server wraps it; "" when it says
    nothing."""
    if isinstance(data, list):
        data = data[0] if data else None
    if isinstance(data, dict) and deep:
        return api_error_text(
            next((data[name] for name in _MESSAGES if data.get(name)), None), deep - 1
        )
    if not isinstance(data, str):
        return ""
    line = redact(" ".join(data.split())).encode("utf-8", "replace").decode()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
