"""Which repository at GitHub a remote's address names."""

import os

from msgspec import Struct

from ..model.errors import UsageError
from ..text.patterns import lazy_pattern
from .client import Git

HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
PORT = r"(?::[0-9]{1,5})?"
REPOSITORY = r"(?P<repository>(?!\.)[A-Za-z0-9_.-]{1,100}/(?!\.\.?(?:/|$))[A-Za-z0-9_.-]{1,100}?)"
_REMOTES = (
    lazy_pattern(rf"(?:https?|ssh)://(?:[^/@]*@)?{HOST}{PORT}/{REPOSITORY}(?:\.git)?/?"),
    lazy_pattern(rf"(?:[^/@:]+@)?{HOST}:{REPOSITORY}(?:\.git)?/?"),
)
# https://docs.github.com/en/authentication/troubleshooting-ssh/using-ssh-over-the-https-port
_OTHER_NAMES = {"ssh.github.com": "github.com"}  # where a firewall lets only port 443 through


class RemoteRepository(Struct, frozen=True):
    """A repository: the host in small letters, and owner/name."""

    host: str
    repository: str

    def same_as(self, other: "RemoteRepository | None") -> bool:
        """GitHub's names know no case."""
        return other is not None and (self.host, self.repository.lower()) == (
            other.host,
            other.repository.lower(),
        )

    def uses_api_host(self, api_host: str) -> bool:
        """The API at that host is the one of the place: GitHub's own, or an Enterprise server's."""
        return api_host in (self.host, f"api.{self.host}")


def parse_remote(url: str) -> RemoteRepository | None:
    """The repository behind a remote's address; None for a folder or anything else that names no
    host."""
    found = next(filter(None, (form.fullmatch(url) for form in _REMOTES)), None)
    if found is None:
        return None
    host = found["host"].lower()
    return RemoteRepository(_OTHER_NAMES.get(host, host), found["repository"])


PUBLIC_HOST = "github.com"


def published_repository(git: Git, commit: str, host: str) -> str:
    """`owner/repo` of origin on this host, where a branch that was fetched from it or pushed to it
    holds the commit; "" otherwise."""
    named = parse_remote(remote_addresses(git).get("origin", ""))
    if named is None or named.host != host.lower():
        return ""
    there = ("--count=1", f"--contains={commit}", "refs/remotes/origin")
    return named.repository if git.text("for-each-ref", *there) else ""


_NAME_IT = "set GITHUB_REPOSITORY=OWNER/REPO"


def github_repository(git: Git, api_host: str | None) -> str:
    """`owner/repo` from the address of origin, which must be on the server whose API is asked: a
    name alone may be anybody's elsewhere.

    None: whoever names the API says that it is origin's, whatever ssh calls that.

    Raises:
        UsageError: there is no such remote, its address names none, or it is on another server.
    """
    raw = remote_addresses(git).get("origin", "")
    rewritten = git.text("ls-remote", "--get-url", "origin") if raw else ""
    found = [place for place in map(parse_remote, (raw, rewritten)) if place]
    if not found:
        raise UsageError("origin does not show which GitHub repository this is", _NAME_IT)
    served = [place for place in found if api_host is None or place.uses_api_host(api_host)]
    if not served:
        raise UsageError(
            f"origin is on {found[0].host}, but the API is on {api_host}",
            f"set its API with --api-url or GITHUB_API_URL, or {_NAME_IT}",
        )
    return served[0].repository


def remote_addresses(git: Git) -> dict[str, str]:
    """Name and address of every remote, origin first."""
    rows = os.fsdecode(
        git.run("config", "--null", "--get-regexp", r"^remote\..*\.url$", ok=(0, 1))
    ).split("\0")
    # https://git-scm.com/docs/git-config (remote.<name>.url)
    # Of several addresses the first one is fetched from
    found = dict(_named(row) for row in reversed(rows) if "\n" in row)
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != "origin", pair[0])))


def _named(row: str) -> tuple[str, str]:
    key, _, url = row.partition("\n")
    return key.removeprefix("remote.").removesuffix(".url"), url
