"""One request and its answer by way of requests: verified TLS, deadlines, a cap, and a token that only GitHub sees."""

from typing import TYPE_CHECKING

from ... import __version__
from ..within import within
from .addresses import Origin, origin
from .answer import Answer, Broken

if TYPE_CHECKING:
    import requests

CAP = 50_000_000
_BLOCK = 65_536
_CONNECT, _SILENCE = 10.0, 30.0


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
            return within(seconds, lambda: _exchange(session, method, url, body, headers, seconds))
        except TimeoutError:
            self._session = None  # its connection is still in use by what was given up
            raise Broken(f"no whole answer within {seconds:.0f} s") from None

    def _open(self) -> "requests.Session":
        import requests

        session = requests.Session()
        session.headers["User-Agent"] = f"reviewgate-gh/{__version__}"
        session.headers["X-GitHub-Api-Version"] = "2022-11-28"
        session.auth = self._sign  # also keeps a .netrc from adding a login of its own
        return session

    def _sign(self, request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        if self._token and origin(request.url or "") in self._origins:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _exchange(session: "requests.Session", method: str, url: str, body: bytes | None, headers: dict[str, str], seconds: float) -> Answer:
    import requests

    limits = (min(_CONNECT, seconds), min(_SILENCE, seconds))
    try:
        with session.request(method, url, data=body, headers=headers, timeout=limits, allow_redirects=False, stream=True) as response:
            content = _read(response)
            following = response.links.get("next", {}).get("url", "")
            return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, content, following)
    except (requests.RequestException, OSError) as error:
        raise _broken(error) from None


def _read(response: "requests.Response") -> bytes:
    """The body, as far as it may go; a cut one is an error of the library's."""
    blocks, size = [], 0
    for block in response.iter_content(_BLOCK):
        size += len(block)
        if size > CAP:
            raise Broken(f"an answer of more than {CAP // 1_000_000} MB", final=True)
        blocks.append(block)
    return b"".join(blocks)


def _broken(error: Exception) -> Broken:
    import requests

    told = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in told:
        return Broken("its TLS certificate is not trusted here", sent=False, final=True)
    unsent = isinstance(error, requests.ConnectTimeout | requests.exceptions.ProxyError | requests.exceptions.InvalidURL)
    if unsent or any(sign in told for sign in ("NewConnectionError", "NameResolutionError")):
        return Broken("no connection", sent=False)
    return Broken("no answer in time" if isinstance(error, requests.Timeout) else "the connection broke off")
