"""The network under PyGithub: one exchange at a time, redirects on GitHub's host followed, and no
answer that is not whole."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from msgspec.structs import replace

from ..model.errors import UpstreamError
from ..system.http import (
    LOOPBACK,
    ExchangeFailed,
    HttpRequest,
    HttpResponse,
    ServerProfile,
    open_session,
    send_request,
)
from ..text.patterns import lazy_pattern
from .addresses import GRAPHQL, url_origin
from .answer import RequestCounts
from .reading import MalformedAnswer, Refused
from .sender import ADDRESS_NAME

if TYPE_CHECKING:
    import requests

_LOG = lazy_pattern(r"/actions/jobs/[0-9]+/logs\Z")
_LOG_PROFILE = ServerProfile(20_000_000, 10.0, "the storage of GitHub's logs", "token")
_PROFILE = ServerProfile(50_000_000, 30.0, ADDRESS_NAME, "token")
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
_REDIRECTS = (301, 302, 303, 307, 308)
_KEEPING = (307, 308)
_MOST_REDIRECTS = 5
SERVER_ERROR_HINT = "GitHub has an internal problem: try again later"


class Network:
    """The exchanges of one run, which are counted; `allowed` says how many seconds one may take
    now, or raises."""

    def __init__(self, counts: RequestCounts, allowed: Callable[[], float]) -> None:
        self._counts = counts
        self._allowed = allowed
        self._session: requests.Session | None = None

    def answer(self, asked: HttpRequest) -> HttpResponse:
        """The answer to a request, behind redirects on its host.

        Raises:
            ExchangeFailed: there is no whole one, or GitHub itself failed.
        """
        name = f"{asked.method} {asked.url}"
        for _ in range(_MOST_REDIRECTS + 1):
            found = self._exchanged(asked)
            if found.status >= 500 or found.status == 408:
                raise ExchangeFailed(f"status {found.status}", SERVER_ERROR_HINT)
            if 200 <= found.status < 300 or found.status >= 400:
                return found
            if found.status in _REDIRECTS and _LOG.search(asked.url):
                # Its storage may be any host, and gets no token: `fetch` asks it
                there = {"location": urljoin(asked.url, found.headers.get("location", ""))}
                return HttpResponse(200, {}, json.dumps(there).encode())
            if found.status not in _REDIRECTS:
                raise MalformedAnswer(f"GitHub answered {name} with status {found.status}")
            asked = replace(asked, url=_redirect_target(asked, found))
        raise UpstreamError(
            f"GitHub redirects {name} in a loop", f"check that {ADDRESS_NAME} is right"
        )

    def fetch(self, url: str) -> HttpResponse:
        """What lies at an address that GitHub gave away, asked without the token.

        Raises:
            ExchangeFailed: it cannot be had.
        """
        place = urlsplit(url)
        if place.scheme != "https" and place.hostname not in LOOPBACK:
            raise ExchangeFailed("the log is not at an https address", final=True)
        self._counts.add("GET", False)
        session = open_session(lambda request: request)
        try:
            found = send_request(
                session, HttpRequest("GET", url, {}), self._allowed(), _LOG_PROFILE
            )
        except TimeoutError as error:
            raise ExchangeFailed(str(error), final=True) from None
        if found.status != 200:
            raise ExchangeFailed(f"the storage answers with status {found.status}", final=True)
        return found

    def _exchanged(self, asked: HttpRequest) -> HttpResponse:
        seconds = self._allowed()
        self._counts.add(asked.method, asked.url.endswith(GRAPHQL))
        # The token is in the headers, by PyGithub
        session = self._session = self._session or open_session(lambda request: request)
        try:
            return send_request(session, asked, seconds, _PROFILE)
        except TimeoutError as error:
            self._session = None  # its connection is still in use by what was given up
            raise ExchangeFailed(str(error)) from None


def _redirect_target(asked: HttpRequest, answer: HttpResponse) -> str:
    """The address to ask next.

    Raises:
        Refused: it may not be asked.
    """
    there = urljoin(asked.url, answer.headers.get("location", ""))
    moved = f"GitHub redirects {asked.method} {asked.url} to {there[:200]}"
    if url_origin(there) != url_origin(asked.url):
        raise Refused(
            moved,
            "that is another host, and the token is not sent there: correct the address of the API",
            status=answer.status,
        )
    if asked.method != "GET" and answer.status not in _KEEPING:
        raise Refused(
            moved,
            "requests that change something are not redirected: use the repository's new name",
            status=answer.status,
        )
    return there
