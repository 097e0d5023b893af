"""Which pull request is meant: read strictly, and only from the words themselves."""

import re

from ..model.place import HOST, PORT, REPOSITORY, Place
from ..model.values import dataclass

_NUMBER = re.compile(r"#?(?P<number>[1-9][0-9]{0,11})")
_URL = re.compile(
    rf"(?P<scheme>https?)://{HOST}{PORT}/{REPOSITORY}/pull/(?P<number>[1-9][0-9]{{0,11}})(?:/(?:files|changes|commits|checks)?)?(?:[?#].*)?"
)
_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class PullAddress:
    """A pull request's number, and where it is; None stands for wherever this clone comes from."""

    number: int
    place: Place | None = None


def read_address(text: str) -> PullAddress:
    """A pull request as people name it: 123, #123 or its address.

    Raises:
        ValueError: it is neither.
    """
    if plain := _NUMBER.fullmatch(text):
        return PullAddress(int(plain["number"]))
    found = _URL.fullmatch(text)
    if not found or (found["scheme"] == "http" and found["host"] not in _LOOPBACK):
        raise ValueError("neither a number nor an address like https://github.com/OWNER/REPO/pull/N")
    return PullAddress(int(found["number"]), Place(found["host"].lower(), found["repository"]))
