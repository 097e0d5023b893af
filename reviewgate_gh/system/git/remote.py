"""Which repository at GitHub this clone comes from."""

import os
import re

from ...model.errors import UsageError
from .door import Git

_OWNER_REPO = re.compile(r"[/:]([A-Za-z0-9][\w.-]*/[\w.-]+?)(?:\.git)?/?\Z")


def repository_of(git: Git) -> str:
    """`owner/repo` from the address of origin.

    Raises:
        UsageError: there is no such remote, or its address names none.
    """
    address = git.text("config", "--get", "remote.origin.url", ok=(0, 1))
    found = _OWNER_REPO.search(address)
    if not found:
        raise UsageError("which repository at GitHub this is cannot be told from origin", "name it: GITHUB_REPOSITORY=OWNER/REPO")
    return found[1]


def remotes(git: Git) -> dict[str, str]:
    """Name and address of every remote, origin first."""
    rows = os.fsdecode(git.run("config", "--null", "--get-regexp", r"^remote\..*\.url$", ok=(0, 1))).split("\0")
    found = dict(_named(row) for row in reversed(rows) if "\n" in row)  # of several addresses the first one is fetched from
    return dict(sorted(found.items(), key=lambda pair: (pair[0] != "origin", pair[0])))


def _named(row: str) -> tuple[str, str]:
    key, _, url = row.partition("\n")
    return key.removeprefix("remote.").removesuffix(".url"), url
