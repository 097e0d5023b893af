"""What a server's refusal means, and what to do about it."""

import json
from typing import Any, NamedTuple

from ...model.asked import Reply
from ...model.review import Status
from ...text.redact import redact

_LONGEST, _READ = 300, 20_000
_MESSAGES = ("error", "detail", "message", "msg")
_ANY = range(300, 1000)


class _Row(NamedTuple):
    """`signs`: codes and words of vendors, one of which is in the error; none: the status alone says it."""

    statuses: tuple[int, ...] | range
    signs: tuple[str, ...]
    status: Status
    means: str


# The first row that fits says it.
_ROWS = (
    _Row((413,), (), Status.FAILED, "the prompt is longer than the server accepts: lower ensemble.context_tokens, or exclude files"),
    _Row((400, 422, 500), (
        "context_length_exceeded", "maximum context length", "prompt is too long", "exceed context limit", "context size", "context window",
        "exceeds the maximum number of tokens", "too large for model with", "request_too_large", "input is too long", "input_too_long",
        "reduce the length of the messages", "string_above_max_length",
    ), Status.FAILED, "the prompt does not fit the context of {model}: lower ensemble.context_tokens, or exclude files"),
    _Row((429,), ("request too large for",), Status.FAILED,
         "the prompt exceeds this account's limit per minute: lower ensemble.context_tokens, or ask the vendor for a higher limit"),
    _Row((402,), (), Status.UNAVAILABLE, "the account has no credit left: top it up, or configure a `fallback`"),
    _Row(_ANY, ("insufficient_quota", "insufficient balance", "credit balance is too low", "insufficient credits"), Status.UNAVAILABLE,
         "the account has no credit left: top it up, or configure a `fallback`"),
    _Row((401,), (), Status.UNAVAILABLE, "the API key in {key} was rejected: set a valid one"),
    _Row((400, 403), ("api key not valid", "api_key_invalid", "api key not found", "invalid api key"), Status.UNAVAILABLE,
         "the API key in {key} was rejected: set a valid one"),
    _Row((403,), (), Status.UNAVAILABLE, "this API key has no access to {model}: allow it in the vendor's console, or correct `model`"),
    _Row((404, 405), (), Status.UNAVAILABLE, "the server does not know {model}: correct `model` or `url`"),
    _Row((400,), ("model_not_found", "model not found", "is not a valid model", "invalid model", "unknown model"), Status.UNAVAILABLE,
         "the server does not know {model}: correct `model`"),
    _Row((407,), (), Status.FAILED, "the proxy requires authentication: see HTTPS_PROXY"),
    _Row((400,), ("content_filter", "content management policy", "responsibleaipolicyviolation"), Status.FAILED,
         "the vendor's content filter rejected the prompt"),
    _Row((400, 422), ("response_format", "json_schema", "output_config.format", "responseschema", "response_schema", "structured output"),
         Status.FAILED, "the server does not support this schema: set `structured: object` or `structured: none`"),
    _Row((400, 422), ("max_tokens", "max_completion_tokens", "maxoutputtokens", "max_output_tokens"), Status.FAILED,
         "the server does not accept this number of output tokens: correct `max_output_tokens`"),
    _Row((400, 422), ("effort", "thinking_level", "thinkinglevel", "thinkingconfig"), Status.FAILED,
         "the server does not accept this effort: remove `effort`"),
    _Row((429,), (), Status.FAILED, "the rate limit was reached: lower ensemble.max_parallel, or try again later"),
    _Row(range(300, 400), (), Status.FAILED, "the server redirects the request, and the key is not sent to the new address: correct `url`"),
    _Row(range(500, 600), (), Status.FAILED, "the server failed: try again later"),
)  # fmt: skip
_OTHER = _Row(_ANY, (), Status.FAILED, "the server rejected the request")


def refusal(status: int, body: bytes, model: str, key: str) -> Reply:
    """The reply for an answer that is no 200; `key` is the name of the variable that holds the key, "" for none."""
    signs, said = body[:_READ].decode("utf-8", "replace").lower(), words(parsed(body))
    row = next((row for row in _ROWS if status in row.statuses and (not row.signs or any(sign in signs for sign in row.signs))), _OTHER)
    means = (
        row.means
        if key or "{key}" not in row.means
        else "the server requires an API key: set `key` to the environment variable that holds it"
    )
    return Reply(row.status, error=f"{means.format(model=model, key=key)} (status {status}{f': {said}' if said else ''})")


def parsed(body: bytes) -> Any:
    """The JSON of a body, or None."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def words(data: Any, deep: int = 3) -> str:
    """The message of an error in one short line, however the server wraps it; "" when it says nothing."""
    if isinstance(data, list):
        data = data[0] if data else None
    if isinstance(data, dict) and deep:
        return words(next((data[name] for name in _MESSAGES if data.get(name)), None), deep - 1)
    if not isinstance(data, str):
        return ""
    line = redact(" ".join(data.split())).encode("utf-8", "replace").decode()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
