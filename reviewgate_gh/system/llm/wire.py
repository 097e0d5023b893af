"""One POST and its answer by way of requests: verified TLS, a deadline, a cap, no redirects, and a key that one address sees."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ... import __version__
from ...model.values import dataclass
from ..within import within

if TYPE_CHECKING:
    import requests

CAP = 16_000_000
_BLOCK = 65_536
_CONNECT = 10.0


@dataclass(frozen=True, slots=True)
class Call:
    """A question: where, the headers that hold the key, and the JSON."""

    url: str
    secret: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (names in small letters) and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Broken(Exception):
    """No whole answer came: why, and what to do. `final`: another try is no use."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final


def post(call: Call, seconds: float) -> Answer:
    """The answer, with whatever status.

    Raises:
        Broken: there is no whole one.
        TimeoutError: the seconds are over.
    """
    return within(seconds, lambda: _exchange(call, seconds))


def _exchange(call: Call, seconds: float) -> Answer:
    import requests

    def sign(request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        request.headers.update(call.secret)
        return request

    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": f"reviewgate-gh/{__version__}"}
    # A model may think for as long as it has: silence alone is no fault.
    limits = (min(_CONNECT, seconds), seconds)
    try:
        with (
            requests.Session() as session,
            # As `auth` it also keeps a .netrc from adding a login of its own.
            session.post(call.url, call.body, headers=headers, auth=sign, timeout=limits, allow_redirects=False, stream=True) as response,
        ):
            return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, _read(response))
    except (requests.RequestException, OSError, ValueError) as error:
        raise _reason(error) from None


def _read(response: "requests.Response") -> bytes:
    """The body, as far as it may go; a cut one is an error of the library's."""
    blocks, size = [], 0
    for block in response.iter_content(_BLOCK):
        size += len(block)
        if size > CAP:
            raise Broken(f"an answer of more than {CAP // 1_000_000} MB: is `url` right?", final=True)
        blocks.append(block)
    return b"".join(blocks)


def _reason(error: Exception) -> Exception:
    """What the user is told: never the library's own words, which may hold an address with a login."""
    import requests

    told = str(error)
    if isinstance(error, requests.ReadTimeout) or "Read timed out" in told:
        return TimeoutError()
    if "CERTIFICATE_VERIFY_FAILED" in told:
        return Broken("the server's TLS certificate is not trusted here: name the authority's file in REQUESTS_CA_BUNDLE", final=True)
    if isinstance(error, requests.exceptions.SSLError):
        return Broken("TLS does not come about: is `url` right, and is it https there?", final=True)
    if isinstance(error, requests.exceptions.ProxyError):
        return Broken("the proxy lets nothing through: see HTTPS_PROXY and NO_PROXY")
    if isinstance(error, requests.ConnectTimeout) or any(sign in told for sign in ("NewConnectionError", "NameResolutionError")):
        return Broken("no connection: is `url` right, and does the server run?")
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidHeader | ValueError):
        return Broken("the question cannot be sent: is `url` right, and is the key one word?", final=True)
    return Broken("the connection broke off")
