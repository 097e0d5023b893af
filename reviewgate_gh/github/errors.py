"""What GitHub, or the way to it, may answer instead of what was asked: each with exit 69 and what
to do next."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..model.errors import UpstreamError

_AGAIN = "try again; if the error persists, check the address of the API"
_NAMED = "fix what GitHub reports, then run again"
LOOK_HINT = "run again: posts are looked up first, so nothing is posted twice"


class GitHubUnreachable(UpstreamError):
    """No usable answer came, in as many tries as the request allows; nothing was changed by it."""


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
    """GitHub understood and said no; `reason` is its message, `errors` its list of what is
    wrong."""

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

    def mentions(self, text: str) -> bool:
        """Whether GitHub's own words contain this, in any case."""
        return any(text.lower() in said.lower() for said in (self.reason, *self.errors))


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
