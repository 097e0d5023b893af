"""Which pull request is meant, and which repository a remote's address names: read strictly, and only from the words themselves."""

import re

from ..model.values import dataclass

_HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
_PORT = r"(?::[0-9]{1,5})?"
_REPOSITORY = r"(?P<repository>(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?(?:/|$))[A-Za-z0-9_.-]{1,100}?)"
_NUMBER = re.compile(r"#?(?P<number>[1-9][0-9]{0,11})")
_URL = re.compile(
    rf"(?P<scheme>https?)://{_HOST}{_PORT}/{_REPOSITORY}/pull/(?P<number>[1-9][0-9]{{0,11}})(?:/(?:files|changes|commits|checks)?)?(?:[?#].*)?"
)
_REMOTES = (
    re.compile(rf"(?:https?|ssh)://(?:[^/@]*@)?{_HOST}{_PORT}/{_REPOSITORY}(?:\.git)?/?"),
    re.compile(rf"(?:[^/@:]+@)?{_HOST}:{_REPOSITORY}(?:\.git)?/?"),
)
_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class Place:
    """A repository: the host in small letters, and owner/name."""

    host: str
    repository: str

    def same_as(self, other: "Place | None") -> bool:
        """GitHub's names know no case."""
        return other is not None and (self.host, self.repository.lower()) == (other.host, other.repository.lower())


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


def read_remote(url: str) -> Place | None:
    """The repository behind a remote's address; None for a folder or anything else that names no host."""
    found = next(filter(None, (form.fullmatch(url) for form in _REMOTES)), None)
    return Place(found["host"].lower(), found["repository"]) if found else None


def served_by(place: Place, api_host: str) -> bool:
    """The API at that host is the one of the place: GitHub's own, or an Enterprise server's."""
    return api_host in (place.host, f"api.{place.host}")
