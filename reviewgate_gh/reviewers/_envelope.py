"""What a coding agent prints around its answer, read strictly."""

import json
from collections.abc import Iterator
from typing import Any

from ..text.redact import redact

_MOST = 300
_NO_ANSWER = "it printed JSON in an unexpected format"
_COUNTS = 10**12  # of tokens; what is more is no count


def whole(out: bytes) -> Any:
    """The one JSON value in the output; lines that a program prints before it are passed over.

    Raises:
        ValueError: there is none, or it is cut.
    """
    text = _text(out)
    if not text:
        raise ValueError("it printed nothing")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        starts = (at for at, line in _lines(text) if line[:1] in ("{", "["))
        at = next(starts, None)
        return _loaded(text[at:] if at else text)


def each(out: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of an output that has one a line.

    Raises:
        ValueError: a line is something else.
    """
    for _at, line in _lines(_text(out)):
        if line.strip():
            yield table(_loaded(line))


def result(out: bytes) -> dict[str, Any]:
    """The result message of Claude Code and of what prints like it: the last one, where a setting of the user's prints all messages.

    Raises:
        ValueError: there is none.
    """
    printed = whole(out)
    last = table(printed[-1] if isinstance(printed, list) and printed else printed)
    if last.get("type") != "result" or not isinstance(last.get("is_error"), bool):
        raise ValueError(_NO_ANSWER)
    return last


def table(value: Any) -> dict[str, Any]:
    """The value, which must be an object.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, dict):
        raise ValueError(_NO_ANSWER)
    return value


def number(values: Any, *names: str) -> int:
    """The sum of these counts, those that are there."""
    found = [values.get(name) for name in names] if isinstance(values, dict) else []
    return sum(value for value in found if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _COUNTS)


def words(error: Any) -> str:
    """An error as one line: the message of an object, JSON within its message included."""
    for _ in range(4):
        if isinstance(error, dict):
            error = error.get("message") or error.get("error") or ""
        elif isinstance(error, str) and error.lstrip()[:1] == "{":
            try:
                error = table(_loaded(error)).get("error", "")
            except ValueError:
                break
        else:
            break
    text = redact(" ".join(str(error or "").split())) or "no reason given"
    return text if len(text) <= _MOST else f"{text[:_MOST]} ..."


def last_words(err: str) -> str:
    """Why a program failed, by its standard error: the message of JSON at its end, else the last line."""
    start = 0 if err.startswith("{") else err.rfind("\n{") + 1
    if start or err.startswith("{"):
        try:
            return words(_loaded(err[start:]))
        except ValueError:
            pass
    return words(err.splitlines()[-1]) if err.strip() else "no error output"


def _text(out: bytes) -> str:
    try:
        return out.decode().strip()
    except UnicodeDecodeError:
        raise ValueError("its output is not UTF-8") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with its place. Only line feeds count: JSON may hold every other separator."""
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("its output is not JSON, or is truncated") from None
