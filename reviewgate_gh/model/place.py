"""A repository on a server, as a remote's address names it, and which API is that server's own."""

import re

from .values import dataclass

HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
PORT = r"(?::[0-9]{1,5})?"
REPOSITORY = r"(?P<repository>(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?(?:/|$))[A-Za-z0-9_.-]{1,100}?)"
_REMOTES = (
    re.compile(rf"(?:https?|ssh)://(?:[^/@]*@)?{HOST}{PORT}/{REPOSITORY}(?:\.git)?/?"),
    re.compile(rf"(?:[^/@:]+@)?{HOST}:{REPOSITORY}(?:\.git)?/?"),
)
_OTHER_NAMES = {"ssh.github.com": "github.com"}  # where a firewall lets only port 443 through


@dataclass(frozen=True, slots=True)
class Place:
    """A repository: the host in small letters, and owner/name."""

    host: str
    repository: str

    def same_as(self, other: "Place | None") -> bool:
        """GitHub's names know no case."""
        return other is not None and (self.host, self.repository.lower()) == (other.host, other.repository.lower())

    def served_by(self, api_host: str) -> bool:
        """The API at that host is the one of the place: GitHub's own, or an Enterprise server's."""
        return api_host in (self.host, f"api.{self.host}")


def read_remote(url: str) -> Place | None:
    """The repository behind a remote's address; None for a folder or anything else that names no host."""
    found = next(filter(None, (form.fullmatch(url) for form in _REMOTES)), None)
    if found is None:
        return None
    host = found["host"].lower()
    return Place(_OTHER_NAMES.get(host, host), found["repository"])
