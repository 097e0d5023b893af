"""Rate limits, as GitHub documents them: how long to wait before the same request is sent again."""

from email.utils import parsedate_to_datetime

from . import graphql
from .answer import Answer

MOST_WAITS = 5
_AT_LEAST = 60.0
_WORDS = ("rate limit", "abuse detection")


def wait_for(answer: Answer, waits: int, now: float) -> float | None:
    """Seconds to wait, `waits` times after the first; None when the answer speaks of no limit. `now` is seconds since 1970.

    Source: docs.github.com, "Rate limits for the REST API", exceeding the rate limit.
    """
    if not _limited(answer):
        return None
    after = _number(answer.headers.get("retry-after", ""))
    if after is not None:
        return max(1.0, after)
    reset = _number(answer.headers.get("x-ratelimit-reset", ""))
    if _used_up(answer) and reset is not None:
        # One more, as nobody knows when in that second it happens.
        return max(1.0, reset - _github_time(answer, now) + 1)
    return float(_AT_LEAST * 2**waits)


def _limited(answer: Answer) -> bool:
    if answer.status == 200:
        return graphql.limited(answer.data)
    if answer.status not in (403, 429):
        return False
    message, _ = answer.words()
    signs = "retry-after" in answer.headers or _used_up(answer) or any(word in message.lower() for word in _WORDS)
    return signs or answer.status == 429


def _used_up(answer: Answer) -> bool:
    return answer.headers.get("x-ratelimit-remaining") == "0"


def _github_time(answer: Answer, now: float) -> float:
    """GitHub's clock, as its reset is: ours may be wrong."""
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except ValueError:
        return now


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
