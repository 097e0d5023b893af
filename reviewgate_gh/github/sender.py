"""One request to GitHub, sent until there is an answer: retries, rate-limit waits, writes one at a
time."""

# urllib3's Retry cannot hold what is promised here. It judges by method and status, and GraphQL
# asks its reads by POST and reports an internal error with status 200; it has returned before the
# body is read, so that a cut answer is not tried again; and it sleeps without regard to the run's
# deadline: https://urllib3.readthedocs.io/en/stable/reference/urllib3.util.html#urllib3.util.Retry

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from msgspec import Struct
from msgspec.structs import replace

from ..model.errors import UpstreamError
from ..system.http import ExchangeFailed, HttpRequest, ServerProfile, open_session, send_request
from . import answer, graphql
from .addresses import ApiAddresses, UrlOrigin, url_origin
from .answer import JSON, GitHubCall, GitHubResponse, RequestCounts, RetryPolicy, refusal_error
from .reading import (
    LOOK_HINT,
    GitHubUnreachable,
    MalformedAnswer,
    RateLimited,
    Refused,
    UncertainWrite,
)

if TYPE_CHECKING:
    import requests


MAX_ANSWER_BYTES = 50_000_000
ADDRESS_NAME = "the API's address (GITHUB_API_URL, --api-url)"
_TERMS = ServerProfile(MAX_ANSWER_BYTES, 30.0, ADDRESS_NAME, "token")


class GitHubConnection:
    """The connections of one run."""

    def __init__(self, token: str, origins: frozenset[UrlOrigin]) -> None:
        self._token = token
        self._origins = origins
        self._session: requests.Session | None = None

    def send(
        self, method: str, url: str, body: bytes | None, accept: str, seconds: float
    ) -> GitHubResponse:
        """One request, no redirects, no second try, and no answer after so many seconds.

        Raises:
            ExchangeFailed: there is no whole answer.
        """
        session = self._session = self._session or self._open()
        headers = {"Accept": accept} | (
            {"Content-Type": "application/json"} if body is not None else {}
        )
        try:
            reply = send_request(session, HttpRequest(method, url, headers, body), seconds, _TERMS)
        except TimeoutError as error:
            self._session = None  # its connection is still in use by what was given up
            raise ExchangeFailed(str(error)) from None
        return GitHubResponse(reply.status, reply.headers, reply.body, reply.next)

    def _open(self) -> "requests.Session":
        session = open_session(self._sign)
        # https://docs.github.com/en/rest/about-the-rest-api/api-versions
        session.headers["X-GitHub-Api-Version"] = "2022-11-28"
        return session

    def _sign(self, request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        if self._token and url_origin(request.url or "") in self._origins:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Timing(Struct, frozen=True):
    """Seconds that never go back, seconds since 1970, waiting, and how many seconds one exchange
    may take."""

    clock: Callable[[], float] = time.monotonic
    epoch: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    exchange: float = 60.0


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
_THEIRS = "GitHub has an internal problem: try again later"
_OVER = "run again: it continues where it stopped"


class Sender:
    """Calls of one run, with one deadline for all of them."""

    def __init__(
        self, addresses: ApiAddresses, token: str, deadline: float, timing: Timing
    ) -> None:
        self.requests = RequestCounts()
        self._wire = GitHubConnection(token, addresses.origins)
        self._has_token = bool(token)
        self._timing = timing
        self._deadline = deadline
        self._end = timing.clock() + deadline
        self._writing = threading.Lock()
        self._wrote = timing.clock() - _BETWEEN_WRITES

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
                response = self._exchanged(call)
            except ExchangeFailed as broken:
                tries, sent = tries + 1, sent or broken.sent
                self._try_again(call, broken, tries, sent)
                continue
            asked = answer.rate_limit_wait(response, waits, self._timing.epoch())
            if asked is None:
                return self._checked(call, response)
            self._wait(asked, waits, call)
            waits += 1

    def _exchanged(self, call: GitHubCall) -> GitHubResponse:
        """One exchange, redirects followed, whose answer is whole and makes sense."""
        url = call.url
        for _ in range(MAX_REDIRECTS + 1):
            if self._left() <= 0:
                raise ExchangeFailed(
                    f"this run's time limit of {self._deadline:.0f} s for GitHub has passed",
                    _OVER,
                    sent=False,
                    final=True,
                )
            self.requests.add(call)
            answer = self._wire.send(
                call.method, url, call.body, call.accept, min(self._timing.exchange, self._left())
            )
            if answer.status not in REDIRECT_CODES:
                return self._sensible(call, answer)
            url = redirect_target(call.method, url, answer)
        raise UpstreamError(
            f"GitHub at {_host(url)} redirects {call.name} in a loop",
            f"check that {ADDRESS_NAME} is right",
        )

    def _sensible(self, call: GitHubCall, answer: GitHubResponse) -> GitHubResponse:
        if answer.status >= 500 or answer.status == 408:
            raise ExchangeFailed(f"status {answer.status}", _THEIRS)
        if not 200 <= answer.status < 300 or answer.status == 204 or call.accept != JSON:
            return answer
        whole = replace(answer, data=answer.json())
        if call.graphql and graphql.is_server_error(whole.data):
            raise ExchangeFailed("an internal error of GitHub's", _THEIRS)
        return whole

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
                f"{call.name} at {_host(call.url)}: {said}, so it is unknown whether GitHub "
                "stored it",
                LOOK_HINT,
            )
        raise GitHubUnreachable(
            f"GitHub at {_host(call.url)} did not answer {call.name}: {said}",
            broken.hint or _NETWORK,
        )

    def _checked(self, call: GitHubCall, answer: GitHubResponse) -> GitHubResponse:
        if 400 <= answer.status < 500:
            raise refusal_error(answer, call.name, self._has_token)
        if not 200 <= answer.status < 300:
            raise MalformedAnswer(f"GitHub answered {call.name} with status {answer.status}")
        return answer

    def _left(self) -> float:
        return self._end - self._timing.clock()


def _host(url: str) -> str:
    return url_origin(url)[1]


# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
REDIRECT_CODES = (301, 302, 303, 307, 308)
_KEEPING = (307, 308)
MAX_REDIRECTS = 5


def redirect_target(method: str, url: str, answer: GitHubResponse) -> str:
    """The address to ask next.

    Raises:
        Refused: it may not be asked.
    """
    there = urljoin(url, answer.headers.get("location", ""))
    moved = f"GitHub redirects {method} {url} to {there[:200]}"
    if url_origin(there) != url_origin(url):
        raise Refused(
            moved,
            "that is another host, and the token is not sent there: correct the address of the API",
            status=answer.status,
        )
    if method != "GET" and answer.status not in _KEEPING:
        raise Refused(
            moved,
            "requests that change something are not redirected: use the repository's new name",
            status=answer.status,
        )
    return there
