"""One HTTP exchange by way of requests: verified TLS, deadlines, a cap, no redirects; and in words
what became of it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from .. import __version__
from .threads import with_timeout

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests


LOOPBACK = ("127.0.0.1", "::1", "localhost")
_BLOCK = 65_536
_CONNECT = 10.0
_UNCONNECTED = ("NewConnectionError", "NameResolutionError")


class ServerProfile(Struct, frozen=True):
    """For a kind of server: the most bytes of an answer, the most seconds of silence, and what
    users call its address and their key."""

    max_bytes: int
    read_timeout: float
    address_name: str
    key_name: str


class HttpRequest(Struct, frozen=True):
    """One request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


class HttpResponse(Struct, frozen=True):
    """Status, headers (names in small letters), body, and the address of the next page ("" for
    none)."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    next: str = ""


class ExchangeFailed(Exception):
    """No usable answer: why, what to do, whether the server may have seen the request; `final`:
    another try is no use."""

    def __init__(
        self, reason: str, hint: str = "", *, sent: bool = True, final: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.sent = sent
        self.final = final


def open_session(
    sign: "Callable[[requests.PreparedRequest], requests.PreparedRequest]",
) -> "requests.Session":
    """Connections whose requests are signed so, and by nothing else: a .netrc adds no login of its
    own."""
    import requests

    session = requests.Session()
    session.headers["User-Agent"] = f"reviewgate-gh/{__version__}"
    session.auth = sign
    return session


def send_request(
    session: "requests.Session", question: HttpRequest, seconds: float, profile: ServerProfile
) -> HttpResponse:
    """The answer, with whatever status; after TimeoutError the session's connection may still be in
    use.

    Raises:
        ExchangeFailed: there is no whole one.
        TimeoutError: the seconds, or those of silence, are over.
    """
    try:
        return with_timeout(seconds, lambda: _exchanged(session, question, seconds, profile))
    except TimeoutError as error:
        raise TimeoutError(str(error) or f"no complete answer within {seconds:.0f} s") from None


def _exchanged(
    session: "requests.Session", question: HttpRequest, seconds: float, profile: ServerProfile
) -> HttpResponse:
    import requests

    limits = (min(_CONNECT, seconds), min(profile.read_timeout, seconds))
    try:
        with session.request(
            question.method, question.url, data=question.body, headers=question.headers,
            timeout=limits, allow_redirects=False, stream=True,
            proxies=_past_proxies(question.url),
        ) as response:  # fmt: skip
            headers = {name.lower(): value for name, value in response.headers.items()}
            return HttpResponse(
                response.status_code,
                headers,
                _read(response, profile),
                response.links.get("next", {}).get("url", ""),
            )
    except (requests.RequestException, OSError, ValueError) as error:
        raise _reason(error, seconds, profile) from None


def _past_proxies(url: str) -> dict[str, str]:
    """Of this machine itself no proxy is asked: it would mean its own, and read the key of a
    question that nothing covers."""
    host = urlsplit(url).hostname or ""
    return {"no_proxy": host} if host in LOOPBACK else {}


def _read(response: "requests.Response", profile: ServerProfile) -> bytes:
    """The body, as far as it may go; a cut one is an error of the library's."""
    blocks, size = [], 0
    for block in response.iter_content(_BLOCK):
        size += len(block)
        if size > profile.max_bytes:
            raise ExchangeFailed(
                f"an answer of more than {profile.max_bytes // 1_000_000} MB",
                f"check {profile.address_name}",
                final=True,
            )
        blocks.append(block)
    return b"".join(blocks)


def _reason(error: Exception, seconds: float, profile: ServerProfile) -> Exception:
    """What the user is told: never the library's own words, which may hold an address with a
    login."""
    import requests

    told = str(error)
    if isinstance(error, requests.ReadTimeout) or "Read timed out" in told:
        return TimeoutError(
            f"no data for {profile.read_timeout:.0f} s" if profile.read_timeout < seconds else ""
        )
    if "CERTIFICATE_VERIFY_FAILED" in told:
        hint = "set REQUESTS_CA_BUNDLE to the file of its certificate authority"
        return ExchangeFailed(
            "the server's TLS certificate is not trusted", hint, sent=False, final=True
        )
    if "TLS CA certificate bundle" in told:
        return ExchangeFailed(
            "the file of trusted certificate authorities does not exist",
            "check REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE",
            sent=False,
            final=True,
        )
    if isinstance(error, requests.exceptions.SSLError) and "EOF" not in told:
        return ExchangeFailed(
            "TLS handshake failed",
            f"check {profile.address_name}, and that the server uses https",
            final=True,
        )
    if isinstance(error, requests.exceptions.ProxyError) and "failed: 407" in told:
        return ExchangeFailed(
            "the proxy requires authentication",
            "check the user name and password in HTTPS_PROXY",
            sent=False,
            final=True,
        )
    if isinstance(error, requests.exceptions.ProxyError | requests.exceptions.InvalidProxyURL):
        return ExchangeFailed(
            "the proxy refused the connection", "check HTTPS_PROXY and NO_PROXY", sent=False
        )
    if isinstance(error, requests.ConnectTimeout) or any(sign in told for sign in _UNCONNECTED):
        return ExchangeFailed(
            "no connection",
            f"check {profile.address_name}, and that the server is running",
            sent=False,
        )
    if isinstance(
        error, requests.exceptions.InvalidURL | requests.exceptions.InvalidHeader | ValueError
    ):
        hint = f"check {profile.address_name}, and that the {profile.key_name} is a single word"
        return ExchangeFailed("the request cannot be sent", hint, sent=False, final=True)
    return ExchangeFailed("the connection was lost")
