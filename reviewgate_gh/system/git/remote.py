"""Which repository at GitHub this clone comes from."""

import os

from ...model.errors import UsageError
from ...model.place import read_remote
from .door import Git

_NAME_IT = "set GITHUB_REPOSITORY=OWNER/REPO"


def repository_of(git: Git, api_host: str | None) -> str:
    """`owner/repo` from the address of origin, which must be on the server whose API is asked: a name alone may be anybody's elsewhere.

    None: whoever names the API says that it is origin's, whatever ssh calls that.

    Raises:
        UsageError: there is no such remote, its address names none, or it is on another server.
    """
    raw = remotes(git).get("origin", "")
    rewritten = git.text("ls-remote", "--get-url", "origin") if raw else ""
    found = [place for place in map(read_remote, (raw, rewritten)) if place]
    if not found:
        raise UsageError("origin does not show which GitHub repository this is", _NAME_IT)
    served = [place for place in found if api_host is None or place.served_by(api_host)]
    if not served:
        raise UsageError(
            f"origin is on {found[0].host}, but the API is on {api_host}",
            f"set its API with --api-url or GITHUB_API_URL, or {_NAME_IT}",
        )
    return served[0].repository


def remotes(git: Git) -> dict[str, str]:
    """Name and address of every remote, origin first."""
    rows = os.fsdecode(git.run("config", "--null", "--get-regexp", r"^remote\..*\.url$", ok=(0, 1))).split("\0")
    found = dict(_named(row) for row in reversed(rows) if "\n" in row)  # of several addresses the first one is fetched from
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != "origin", pair[0])))


def _named(row: str) -> tuple[str, str]:
    key, _, url = row.partition("\n")
    return key.removeprefix("remote.").removesuffix(".url"), url
