"""Whether a question may be put again, and after how long."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from .reading import at
from .refusals import parsed

_LONGEST = 20.0
_FIRST = 1.0
# Waiting does not help: the account is empty, or the question alone is more than it may ask.
_FINAL = (b"insufficient_quota", b"insufficient balance", b"request too large for", b"perdayperproject", b"requests per day")


def wish(status: int, headers: Mapping[str, str], body: bytes) -> float | None:
    """The least seconds that the server asks to wait for before the same question, 0 without a word; None: not again."""
    if status != 429 and not 500 <= status < 600:
        return None
    if status == 429 and any(sign in body.lower() for sign in _FINAL):
        return None
    return _asked(headers) or _in_body(parsed(body))


def backoff(tries: int, chance: float) -> float:
    """Seconds to wait after so many tries, more each time; `chance` in [0, 1) keeps those who failed together from coming together."""
    return float(min(_LONGEST, _FIRST * 2 ** (tries - 1)) * (0.5 + chance / 2))


def _asked(headers: Mapping[str, str]) -> float:
    """`retry-after-ms`, or `retry-after` in seconds or as a date, by the server's own clock."""
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    until, now = _date(after), _date(headers.get("date", ""))
    return max(0.0, (until - now).total_seconds()) if until and now else 0.0


def _in_body(data: Any) -> float:
    """Gemini says it beside the message, as "34s" or "3.5s"."""
    details = at(data, "error", "details") or at(data, 0, "error", "details")
    for detail in details if isinstance(details, list) else ():
        delay = at(detail, "retryDelay")
        seconds = _number(delay.removesuffix("s")) if isinstance(delay, str) else None
        if seconds is not None:
            return seconds
    return 0.0


def _number(text: str) -> float | None:
    digits = text.strip()
    return float(digits) if digits.isascii() and digits.replace(".", "", 1).isdigit() and len(digits) < 12 else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else None
