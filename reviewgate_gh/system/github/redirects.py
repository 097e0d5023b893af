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
    moved = f"GitHub sends {method} {url} on to {there[:200]}"
    if origin(there) != origin(url):
        raise Refused(moved, "that is another host, and the token stays here: correct the API's address", status=answer.status)
    if method != "GET" and answer.status not in _KEEPING:
        raise Refused(moved, "a change is not sent on: use the repository's new name", status=answer.status)
    return there
