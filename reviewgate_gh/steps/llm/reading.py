"""Taking apart what a server sent: nothing here trusts its shape."""

from typing import Any

from ...model.asked import Reply
from ...model.review import Status
from ...model.usage import NOTHING, Usage

_MOST = 10**12
_MOST_BYTES = 8
_TOO_LONG = "the answer was cut off: raise max_output_tokens, or review fewer files at once"
_FILTERED = "the vendor's content filter stopped the answer"
_REFUSED = "the model refused to answer"
_TOOL = "the model called a tool instead of answering"


def at(data: Any, *path: str | int) -> Any:
    """What stands there, or None."""
    for part in path:
        if isinstance(part, str):
            data = data.get(part) if isinstance(data, dict) else None
        else:
            data = data[part] if isinstance(data, list) and len(data) > part else None
    return data


def count(data: Any, *path: str | int) -> int:
    """The number of tokens that stands there; 0 for whatever is no such number."""
    value = at(data, *path)
    return value if type(value) is int and 0 <= value < _MOST else 0


def text(value: Any) -> str:
    """The text, or "" for anything else; halves of a surrogate pair that JSON can escape become U+FFFD."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def answer(said: str, usage: Usage) -> Reply:
    """A whole answer, unless it is empty."""
    if not said.strip():
        return Reply(Status.UNPARSABLE, error="the answer is empty", usage=usage)
    return Reply(Status.OK, said, usage=usage)


def cut(usage: Usage) -> Reply:
    """The model had more to say than it might."""
    return Reply(Status.UNPARSABLE, error=_TOO_LONG, usage=usage)


def filtered(usage: Usage, why: str = "") -> Reply:
    """Not the model but the vendor did not want it."""
    return Reply(Status.FAILED, error=_named(_FILTERED, why), usage=usage)


def refused(usage: Usage, why: str = "") -> Reply:
    """The model did not want to."""
    return Reply(Status.FAILED, error=_named(_REFUSED, why), usage=usage)


def tool(usage: Usage) -> Reply:
    """The model wanted something of us; it has nothing to want."""
    return Reply(Status.UNPARSABLE, error=_TOOL, usage=usage)


def stopped(why: Any, usage: Usage) -> Reply:
    """It ended in a way that no whole answer ends in."""
    return Reply(Status.UNPARSABLE, error=f"the answer ended with {text(why)[:60] or 'no reason'!r}, so it may be incomplete", usage=usage)


def misshapen(usage: Usage = NOTHING) -> Reply:
    """It is no response of this API."""
    return Reply(Status.UNPARSABLE, error="the response does not match this API: check that `dialect` fits `url`", usage=usage)


def failed(message: str) -> Reply:
    """A good status with an error in it."""
    return Reply(Status.FAILED, error=_named("the server answered with an error", message))


def _named(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what


def misread(prompt: str, usage: Usage) -> str:
    """Why an answer is none to the whole question, or "": some servers cut what is too long for them and say nothing.

    A token stands for 2 to 5 bytes of code or prose. Half a question, which is what is left there, looks like more than 8.
    """
    size = len(prompt.encode("utf-8", "replace"))
    if not usage.input or size <= _MOST_BYTES * usage.input:
        return ""
    read = f"the server read only {usage.input:,} tokens of a prompt of {size:,} bytes"
    return f"{read}: give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH)"
