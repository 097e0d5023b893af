"""The calls of one run, each made until there is an answer: tries, rate-limit waits, writes one at
a time."""

# urllib3's Retry, which PyGithub builds on, cannot hold what is promised here. It judges by method
# and status, and GraphQL asks its reads by POST and reports an internal error with status 200; it
# has returned before the body is read, so that a cut answer is not tried again; it sleeps without
# regard to the run's deadline, and without POST it waits for no rate limit of a write:
# https://urllib3.readthedocs.io/en/stable/reference/urllib3.util.html#urllib3.util.Retry

import sys
import threading
import time
from collections.abc import Callable

from msgspec import Struct

from ..system.http import ExchangeFailed
from . import answer
from .answer import GitHubCall, GitHubResponse, RequestCounts, RetryPolicy, refusal_error
from .reading import LOOK_HINT, GitHubUnreachable, RateLimited, UncertainWrite
from .token import TokenKind

ADDRESS_NAME = "the API's address (GITHUB_API_URL, --api-url)"


def _tell(text: str) -> None:
    print(f"reviewgate-gh: {text}", file=sys.stderr, flush=True)


class Timing(Struct, frozen=True):
    """Seconds that never go back, seconds since 1970, waiting, how many seconds one exchange may
    take, and where people read that a run waits."""

    clock: Callable[[], float] = time.monotonic
    epoch: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    exchange: float = 60.0
    tell: Callable[[str], None] = _tell


def iso_time(epoch: float) -> str:
    """A time as ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))


# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
_BETWEEN_WRITES = 1.0
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
_AFTER_LIMIT = (
    "run again after that; GITHUB_TOKEN is limited to 1,000 requests per hour and repository"
)
_NETWORK = f"try again; if the error persists, check the network and {ADDRESS_NAME}"
_OVER = "run again: it continues where it stopped"


class Sender:
    """Calls of one run, with one deadline for all of them."""

    def __init__(self, host: str, token: TokenKind, deadline: float, timing: Timing) -> None:
        self.requests = RequestCounts()
        self._host = host
        self._token = token
        self._timing = timing
        self._deadline = deadline
        self._end = timing.clock() + deadline
        self._writing = threading.Lock()
        self._wrote = timing.clock() - _BETWEEN_WRITES

    def exchange_seconds(self) -> float:
        """How long an exchange may take that begins now.

        Raises:
            ExchangeFailed: none may begin.
        """
        if self._left() > 0:
            return min(self._timing.exchange, self._left())
        raise ExchangeFailed(
            f"this run's time limit of {self._deadline:.0f} s for GitHub has passed",
            _OVER,
            sent=False,
            final=True,
        )

    def send(self, call: GitHubCall) -> GitHubResponse:
        """The answer of a call that went well.

        Raises:
            Refused: GitHub said no. Unreachable, Uncertain: no usable answer came; after Uncertain
                a write may have been stored.
            RateLimited: GitHub asks to wait for too long.
        """
        if not call.writes:
            return self._answered(call)
        with self._writing:
            self._timing.sleep(max(0.0, _BETWEEN_WRITES - (self._timing.clock() - self._wrote)))
            try:
                return self._answered(call)
            finally:
                self._wrote = self._timing.clock()

    def _answered(self, call: GitHubCall) -> GitHubResponse:
        waits = tries = 0
        sent = False
        while True:
            try:
                response = call.ask()
            except ExchangeFailed as broken:
                tries, sent = tries + 1, sent or broken.sent
                self._try_again(call, broken, tries, sent)
                continue
            asked = answer.rate_limit_wait(response, waits, self._timing.epoch())
            if asked is None and response.status < 400:
                return response
            if asked is None:
                raise refusal_error(response, call.name, self._token)
            self._wait(asked, waits, call)
            waits += 1

    def _wait(self, asked: float, waits: int, call: GitHubCall) -> None:
        """Wait as long as GitHub asks for.

        Raises:
            RateLimited: that is too long, or it was asked too often.
        """
        until = iso_time(self._timing.epoch() + asked)
        if waits >= answer.MAX_WAITS:
            raise RateLimited(
                f"GitHub still rate-limits {call.name} after {waits} waits", _AFTER_LIMIT, until
            )
        if asked > self._left():
            left = (
                f"only {max(0.0, self._left()):.0f} s of this run's {self._deadline:.0f} s are left"
            )
            raise RateLimited(
                f"GitHub rate-limits {call.name} until {until}, and {left}", _AFTER_LIMIT, until
            )
        self.requests.waited += asked
        self._timing.tell(f"GitHub rate-limits {call.name}: waiting {asked:.0f} s, until {until}")
        self._timing.sleep(asked)

    def _try_again(self, call: GitHubCall, broken: ExchangeFailed, tries: int, sent: bool) -> None:
        """Wait a little before the next try, or give up with the error that fits; `sent` is true of
        any try."""
        most = call.retry.value if sent else RetryPolicy.READ_ONLY.value
        pause = 2.0 ** (tries - 1)
        if tries < most and not broken.final and pause < self._left():
            self._timing.sleep(pause)
            return
        said = f"{broken.reason}{f', {tries} times' if tries > 1 else ''}"
        if call.writes and sent:
            raise UncertainWrite(
                f"{call.name} at {self._host}: {said}, so it is unknown whether GitHub stored it",
                LOOK_HINT,
            )
        raise GitHubUnreachable(
            f"GitHub at {self._host} did not answer {call.name}: {said}",
            broken.hint or _NETWORK,
            reached=sent,
        )

    def _left(self) -> float:
        return self._end - self._timing.clock()
