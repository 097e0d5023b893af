"""What GitHub answers, read strictly, and what it or the way to it may answer instead.

A wrong shape is GitHub's mistake, with the place it was found at: never a crash and never "empty".
Each error has exit 69 and says what to do next.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from ..model.errors import UpstreamError
from ..text.patterns import lazy_pattern

_AGAIN = "try again; if the error persists, check the address of the API"
_NAMED = "fix what GitHub reports, then run again"
LOOK_HINT = "run again: posts are looked up first, so nothing is posted twice"


class GitHubUnreachable(UpstreamError):
    """No usable answer came, in as many tries as the request allows; nothing was changed by it.

    `reached`: GitHub may have seen the request, so that it may answer another one.
    """

    def __init__(self, message: str, hint: str, *, reached: bool = False) -> None:
        super().__init__(message, hint)
        self.reached = reached


class UncertainWrite(UpstreamError):
    """A write was sent and its answer was lost: it may have been stored.

    Look for it before anything is sent again.
    """


class RateLimited(UpstreamError):
    """GitHub asks to wait for longer than this run lasts; `until` is ISO 8601."""

    def __init__(self, message: str, hint: str, until: str) -> None:
        super().__init__(message, hint)
        self.until = until


class MalformedAnswer(UpstreamError):
    """The answer is not what GitHub documents: neither empty nor good, so it counts as none."""

    def __init__(self, message: str, hint: str = _AGAIN) -> None:
        super().__init__(message, hint)


class Refused(UpstreamError):
    """GitHub understood and said no; `reason` is its message, `errors` its list of what is wrong,
    `scopes` those of a classic token (None where it has none or GitHub does not say)."""

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        status: int = 0,
        reason: str = "",
        errors: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, hint or _NAMED)
        self.status = status
        self.reason = reason
        self.errors = errors
        self.scopes: str | None = None


class BadCredentials(Refused):
    """The token is wrong, has expired, or there is none."""


class Forbidden(Refused):
    """The token may not do this; `permission` is what GitHub says it needs, as a workflow spells
    it, or ""."""

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        permission: str = "",
        status: int = 0,
        reason: str = "",
    ) -> None:
        super().__init__(message, hint, status=status, reason=reason)
        self.permission = permission


class NotFound(Refused):
    """It is not there, or the token may not see it."""


class Unprocessable(Refused):
    """422: the request breaks a rule of GitHub's, which `errors` name."""


class TooQuick(Unprocessable):
    """422 because too much was sent in a short time: nothing is wrong with it, and less of it may
    be taken."""


@contextmanager
def write_was_accepted() -> Iterator[None]:
    """Reading the answer of a write that went well: whatever is wrong with the answer, it may have
    been stored."""
    try:
        yield
    except MalformedAnswer as error:
        raise UncertainWrite(
            f"{error.message}, so it is unknown whether GitHub stored it", LOOK_HINT
        ) from None


_OID = lazy_pattern(r"[0-9a-f]{40}([0-9a-f]{24})?")
_DIGITS = lazy_pattern(r"[0-9]{1,19}")


class JsonPart(Struct, frozen=True):
    """A piece of an answer; `where` is the way to it, for messages."""

    value: Any
    where: str

    def __getitem__(self, key: str) -> "JsonPart":
        """What an object holds under a name, which must be there and not null."""
        found = self.maybe(key)
        if found is None:
            raise self._wrong(key, "there")
        return found

    def maybe(self, key: str) -> "JsonPart | None":
        """What an object holds under a name; None where it is null or absent."""
        if not isinstance(self.value, dict):
            raise MalformedAnswer(
                f"GitHub's answer does not match its documentation: {self.where} is not an object"
            )
        value = self.value.get(key)
        return None if value is None else JsonPart(value, f"{self.where}.{key}")

    def text(self, key: str) -> str:
        """A text that must be there."""
        value = self[key].value
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return _whole(value)

    def optional(self, key: str) -> str:
        """A text; "" where it is null or absent."""
        return "" if self.maybe(key) is None else self.text(key)

    def oid(self, key: str) -> str:
        """A git object id."""
        value = self.text(key)
        if not _OID.fullmatch(value):
            raise self._wrong(key, "an object id")
        return value

    def number(self, key: str) -> int:
        """A number that must be there and is not negative; GraphQL writes big ones as text."""
        value = self[key].value
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(key, "a number")
        return value

    def count(self, key: str) -> int:
        """A number; 0 where it is null or absent."""
        return 0 if self.maybe(key) is None else self.number(key)

    def flag(self, key: str) -> bool:
        """A yes or no that must be there."""
        value = self[key].value
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def items(self, key: str) -> "list[JsonPart]":
        """A list that must be there, without nulls."""
        return list(self[key])

    def __iter__(self) -> "Iterator[JsonPart]":
        """The items of a list."""
        if not isinstance(self.value, list):
            raise MalformedAnswer(
                f"GitHub's answer does not match its documentation: {self.where} is not a list"
            )
        for index, item in enumerate(self.value):
            if item is None:
                raise MalformedAnswer(
                    f"GitHub's answer does not match its documentation: {self.where}[{index}] is "
                    "null"
                )
            yield JsonPart(item, f"{self.where}[{index}]")

    def _wrong(self, key: str, wanted: str) -> MalformedAnswer:
        return MalformedAnswer(
            f"GitHub's answer does not match its documentation: {self.where}.{key} is not {wanted}"
        )


def _whole(text: str) -> str:
    """Without half characters, which JSON can spell and nothing can write."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
