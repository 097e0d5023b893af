"""One POST and its answer, with a key that one address sees."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...model.values import dataclass
from ..network import Question, Reply, Terms, exchange, open_session

if TYPE_CHECKING:
    import requests

CAP = 16_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """A question: where, the headers that hold the key, and the JSON."""

    url: str
    secret: Mapping[str, str]
    body: bytes


def post(call: Call, seconds: float) -> Reply:
    """The answer, with whatever status.

    Raises:
        Broken: there is no whole one.
        TimeoutError: the seconds are over.
    """

    def sign(request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        request.headers.update(call.secret)
        return request

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    # A model may think for as long as it has: silence alone is no fault.
    terms = Terms(CAP, seconds, "`url`", "key")
    with open_session(sign) as session:
        return exchange(session, Question("POST", call.url, headers, call.body), seconds, terms)
