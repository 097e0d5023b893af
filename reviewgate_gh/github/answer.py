"""One call to GitHub and its answer: what it holds, what a refusal means, and how long a rate limit
lasts."""

import dataclasses
import re
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from msgspec import Struct

from ..text.patterns import lazy_pattern
from . import graphql
from .reading import BadCredentials, Forbidden, NotFound, Refused, TooQuick, Unprocessable
from .token import MISSING, TokenKind, permission_hint, unseen_hint

# https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
PER_PAGE = 100


class GitHubResponse(Struct, frozen=True):
    """Status, headers (names in small letters), the JSON (None for none), and the address of the
    next page ("" for none)."""

    status: int
    headers: Mapping[str, str]
    data: Any = None
    next: str = ""

    def error_text(self) -> tuple[str, tuple[str, ...]]:
        """Of a refusal: its message, and its errors in words; one without JSON has neither."""
        if not isinstance(self.data, dict):
            return "", ()
        errors = self.data.get("errors")
        listed = errors if isinstance(errors, list) else [errors] if errors else []
        return _text(self.data.get("message")), tuple(_error(each) for each in listed)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _error(each: Any) -> str:
    """REST has sentences, or objects with a message or with resource, field and code."""
    if not isinstance(each, dict):
        return str(each)
    return (
        _text(each.get("message"))
        or " ".join(_text(each.get(key)) for key in ("resource", "field", "code")).strip()
    )


class RetryPolicy(Enum):
    """How many tries a call has when its answer is lost."""

    READ_ONLY = 4  # it changes nothing
    IDEMPOTENT = 3  # twice is as good as once
    REPLACEABLE = 2  # it changes nothing, and less can be asked for instead
    ONCE = 1  # twice may be one too many


RETRY_BY_METHOD = {
    "GET": RetryPolicy.READ_ONLY,
    "PUT": RetryPolicy.IDEMPOTENT,
    "PATCH": RetryPolicy.IDEMPOTENT,
    "DELETE": RetryPolicy.IDEMPOTENT,
    "POST": RetryPolicy.ONCE,
}


class GitHubCall(Struct, frozen=True):
    """A call: `ask` makes one try of it; `name` is its method and path, for messages."""

    name: str
    retry: RetryPolicy
    ask: Callable[[], GitHubResponse]

    @property
    def writes(self) -> bool:
        """It changes something."""
        return self.retry in (RetryPolicy.IDEMPOTENT, RetryPolicy.ONCE)


@dataclasses.dataclass(slots=True)
class RequestCounts:
    """What a run sent, tries and redirects included, and the seconds that GitHub made it wait."""

    reads: int = 0
    writes: int = 0
    graphql: int = 0
    waited: float = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.reads + self.writes + self.graphql

    def add(self, method: str, graphql: bool) -> None:
        """Count one."""
        if graphql:
            self.graphql += 1
        elif method == "GET":
            self.reads += 1
        else:
            self.writes += 1


_LONGEST = 300
_LATER = "wait some minutes, then run again: it continues where it stopped"
_KINDS = {404: NotFound, 410: NotFound, 422: Unprocessable}


def refusal_error(answer: GitHubResponse, request: str, token: TokenKind) -> Refused:
    """The error for a status of 400 to 499; `request` is method and path."""
    reason, errors = answer.error_text()
    said = "; ".join(filter(None, (reason, *errors)))[:_LONGEST] or f"status {answer.status}"
    message = f"GitHub refused {request}: {said}"
    if answer.status == 401:
        hint = "the token is wrong or has expired: renew it" if token else MISSING
        return BadCredentials(message, hint, status=401, reason=reason)
    if answer.status == 403:
        # https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
        needed = permission_text(answer.headers.get("x-accepted-github-permissions", ""))
        return Forbidden(
            message, _forbidden(answer, needed, token), permission=needed, status=403, reason=reason
        )
    if _is_too_quick(answer):
        return TooQuick(message, _LATER, status=422, reason=reason, errors=errors)
    hint = unseen_hint(token) if answer.status in (404, 410) else ""
    refused = _KINDS.get(answer.status, Refused)(
        message, hint, status=answer.status, reason=reason, errors=errors
    )
    refused.scopes = answer.headers.get("x-oauth-scopes")
    return refused


def permission_text(header: str) -> str:
    """`pull_requests=write; issues=write` as a workflow has it: `pull-requests: write or issues:
    write`."""
    sets = (re.sub(r"\s*,\s*", ", ", each.strip()) for each in header.split(";"))
    return " or ".join(each.replace("_", "-").replace("=", ": ") for each in sets if each)


def _forbidden(answer: GitHubResponse, needed: str, token: TokenKind) -> str:
    if "is locked" in answer.error_text()[0].lower():
        return "the conversation is locked: unlock it on GitHub, and run again"
    if "required" in answer.headers.get("x-github-sso", ""):
        return "authorise the token for the organisation's single sign-on"
    scopes = answer.headers.get("x-accepted-oauth-scopes", "")
    if scopes and not needed:
        return f"the token needs one of the scopes {scopes}"
    return permission_hint(token, needed)


MAX_WAITS = 5
_AT_LEAST = 60.0
_WORDS = ("rate limit", "abuse detection")
# A word of GitHub's, and no part of a name that it repeats.
# https://github.com/derberg/manage-files-in-multiple-repositories/pull/5
_TOO_QUICK = lazy_pattern(
    r"submitted too quickly|abuse[ -]detection|(?<![^\s(:;])abuse(?![^\s).,:;]|\.\S)"
)


def rate_limit_wait(answer: GitHubResponse, waits: int, now: float) -> float | None:
    """Seconds to wait, `waits` times after the first; None when the answer speaks of no limit.
    `now` is seconds since 1970.

    Source: docs.github.com, "Rate limits for the REST API", exceeding the rate limit.
    """
    if not _limited(answer) or (answer.status == 422 and waits):
        return None  # what still comes too quickly after a wait is too much at once
    # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    after = _number(answer.headers.get("retry-after", ""))
    if after is not None:
        return max(1.0, after)
    reset = _number(answer.headers.get("x-ratelimit-reset", ""))
    if _used_up(answer) and reset is not None:
        # One more, as nobody knows when in that second it happens.
        return max(1.0, reset - _github_time(answer, now) + 1)
    return float(_AT_LEAST * 2**waits)


def _is_too_quick(answer: GitHubResponse) -> bool:
    reason, errors = answer.error_text()
    said = "; ".join((reason, *errors)).lower()
    return answer.status == 422 and bool(_TOO_QUICK.search(said))


def _limited(answer: GitHubResponse) -> bool:
    if answer.status == 200:
        return graphql.is_rate_limited(answer.data)
    if answer.status == 422:
        return _is_too_quick(answer)
    if answer.status not in (403, 429):
        return False
    message, _ = answer.error_text()
    signs = (
        "retry-after" in answer.headers
        or _used_up(answer)
        or any(word in message.lower() for word in _WORDS)
    )
    return signs or answer.status == 429


def _used_up(answer: GitHubResponse) -> bool:
    return answer.headers.get("x-ratelimit-remaining") == "0"


def _github_time(answer: GitHubResponse, now: float) -> float:
    """GitHub's clock, as its reset is: ours may be wrong."""
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except ValueError:
        return now


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
