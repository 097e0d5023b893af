"""One request and its answer, with a token that only GitHub sees."""

from typing import TYPE_CHECKING

from ..network import Broken, Question, Terms, exchange, open_session
from .addresses import Origin, origin
from .answer import Answer

if TYPE_CHECKING:
    import requests

CAP = 50_000_000
ADDRESS = "the API's address (GITHUB_API_URL, --api-url)"
_TERMS = Terms(CAP, 30.0, ADDRESS, "token")


class Wire:
    """The connections of one run."""

    def __init__(self, token: str, origins: frozenset[Origin]) -> None:
        self._token = token
        self._origins = origins
        self._session: requests.Session | None = None

    def send(self, method: str, url: str, body: bytes | None, accept: str, seconds: float) -> Answer:
        """One request, no redirects, no second try, and no answer after so many seconds.

        Raises:
            Broken: there is no whole answer.
        """
        session = self._session = self._session or self._open()
        headers = {"Accept": accept} | ({"Content-Type": "application/json"} if body is not None else {})
        try:
            reply = exchange(session, Question(method, url, headers, body), seconds, _TERMS)
        except TimeoutError as error:
            self._session = None  # its connection is still in use by what was given up
            raise Broken(str(error)) from None
        return Answer(reply.status, reply.headers, reply.body, reply.next)

    def _open(self) -> "requests.Session":
        session = open_session(self._sign)
        session.headers["X-GitHub-Api-Version"] = "2022-11-28"
        return session

    def _sign(self, request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        if self._token and origin(request.url or "") in self._origins:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request
