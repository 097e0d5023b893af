"""Which repository at GitHub this clone comes from."""

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
        raise UsageError("which repository at GitHub this is cannot be told from origin", "name it: --repository OWNER/REPO")
    return found[1]
