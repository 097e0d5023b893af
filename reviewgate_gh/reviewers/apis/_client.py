"""One question in one POST, retried where that can help, with a key that only its address sees."""

# Not urllib3's Retry, which is for requests that cost nothing to repeat: each try here is paid for
# and taken from the budget first, a vendor's wait may stand in the body, and no sleep may outlast
# the deadline:
# https://urllib3.readthedocs.io/en/stable/reference/urllib3.util.html#urllib3.util.Retry

import random
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ...system.http import (
    ExchangeFailed,
    HttpRequest,
    HttpResponse,
    ServerProfile,
    open_session,
    send_request,
)
from ...system.threads import interruptible_sleep
from ._answer import parse_body, value_at

if TYPE_CHECKING:
    import requests

__all__ = ["ModelRequest", "RetryTiming", "SendResult", "send_with_retries"]


MAX_ANSWER_BYTES = 16_000_000


class ModelRequest(Struct, frozen=True):
    """A question: where, the headers that hold the key, and the JSON."""

    url: str
    secret_headers: Mapping[str, str]
    body: bytes


def post_request(call: ModelRequest, seconds: float) -> HttpResponse:
    """The answer, with whatever status.

    Raises:
        ExchangeFailed: there is no whole one.
        TimeoutError: the seconds are over.
    """

    def sign(request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        request.headers.update(call.secret_headers)
        return request

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    # A model may think for as long as it has: silence alone is no fault.
    profile = ServerProfile(MAX_ANSWER_BYTES, seconds, "`url`", "key")
    with open_session(sign) as session:
        return send_request(
            session, HttpRequest("POST", call.url, headers, call.body), seconds, profile
        )


MAX_TRIES = 4


class RetryTiming(Struct, frozen=True):
    """Seconds that never go back, waiting, and chance; tests pass their own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = interruptible_sleep
    chance: Callable[[], float] = random.random


class SendResult(Struct, frozen=True):
    """What came of a question after so many tries: the last answer, or none and why;
    `deadline_passed`: the seconds were over.

    `wait` is a pause that the server asks for and for which there is no time.
    """

    tries: int
    answer: HttpResponse | None = None
    error: str = ""
    deadline_passed: bool = False
    wait: float = 0.0


def send_with_retries(
    request: ModelRequest,
    seconds: float,
    pace: RetryTiming,
    again: Callable[[], bool] = lambda: True,
) -> SendResult:
    """The answer that is no use to ask again for, or the last of a few, within the seconds;
    `again`: there may be one more."""
    end, tries = pace.clock() + seconds, 0
    while True:
        tries += 1
        heard, asked = _heard(request, end - pace.clock(), tries)
        if asked is None or tries >= MAX_TRIES:
            return heard
        rest = max(backoff_seconds(tries, pace.chance()), asked + pace.chance() if asked else 0.0)
        if rest >= end - pace.clock():
            return SendResult(tries, heard.answer, heard.error, wait=asked)
        if not again():
            return heard
        pace.sleep(rest)


def _heard(request: ModelRequest, left: float, tries: int) -> tuple[SendResult, float | None]:
    """One try, and how long to wait at least before another; None: no other."""
    if left <= 0:
        return SendResult(tries - 1, deadline_passed=True), None
    try:
        answer = post_request(request, left)
    except TimeoutError:
        return SendResult(tries, deadline_passed=True), None
    except ExchangeFailed as broken:
        return SendResult(
            tries, error=": ".join(filter(None, (broken.reason, broken.hint)))
        ), None if broken.final else 0.0
    return SendResult(tries, answer), retry_after(answer.status, answer.headers, answer.body)


_LONGEST = 20.0
_FIRST = 1.0
# Waiting does not help: the account is empty, or the question alone is more than it may ask.
_FINAL = (
    b"insufficient_quota",
    b"insufficient balance",
    b"request too large for",
    b"perdayperproject",
    b"requests per day",
)


def retry_after(status: int, headers: Mapping[str, str], body: bytes) -> float | None:
    """The least seconds that the server asks to wait for before the same question, 0 without a
    word; None: not again."""
    if status != 429 and not 500 <= status < 600:
        return None
    if status == 429 and any(sign in body.lower() for sign in _FINAL):
        return None
    return _asked(headers) or _in_body(parse_body(body))


def backoff_seconds(tries: int, chance: float) -> float:
    """Seconds to wait after so many tries, more each time; `chance` in [0, 1) keeps those who
    failed together from coming together."""
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
    details = value_at(data, "error", "details") or value_at(data, 0, "error", "details")
    for detail in details if isinstance(details, list) else ():
        delay = value_at(detail, "retryDelay")
        seconds = _number(delay.removesuffix("s")) if isinstance(delay, str) else None
        if seconds is not None:
            return seconds
    return 0.0


def _number(text: str) -> float | None:
    digits = text.strip()
    return (
        float(digits)
        if digits.isascii() and digits.replace(".", "", 1).isdigit() and len(digits) < 12
        else None
    )


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else None
