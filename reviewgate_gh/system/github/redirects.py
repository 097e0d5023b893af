"""Where a redirect may lead: the same host, and for a write only what says that it stays a write."""

from urllib.parse import urljoin

from .addresses import origin
from .answer import Answer
from .errors import Refused

CODES = (301, 302, 303, 307, 308)
_KEEPING = (307, 308)
MOST = 5


def target(method: str, url: str, answer: Answer) -> str:
    """The address to ask next.

    Raises:
        Refused: it may not be asked.
    """
    there = urljoin(url, answer.headers.get("location", ""))
    moved = f"GitHub redirects {method} {url} to {there[:200]}"
    if origin(there) != origin(url):
        raise Refused(moved, "that is another host, and the token is not sent there: correct the address of the API", status=answer.status)
    if method != "GET" and answer.status not in _KEEPING:
        raise Refused(moved, "requests that change something are not redirected: use the repository's new name", status=answer.status)
    return there
