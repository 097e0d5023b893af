"""Refs of our own: they keep what was fetched from git's garbage collection until `cleanup`."""

import os

from .door import Git

_OURS = "refs/reviewgate-gh/"
_BASE = "-base"


def kept_refs(target: str) -> tuple[str, str]:
    """The names for a target's head and for the branch that it is compared with."""
    return f"{_OURS}{target}", f"{_OURS}{target}{_BASE}"


def drop_refs(git: Git, target: str) -> list[str]:
    """Delete the target's refs; the names of those that were there."""
    rows = os.fsdecode(git.run("for-each-ref", "--format=%(refname)%00%(objectname)", *kept_refs(target))).splitlines()
    found = [(name, oid) for name, _, oid in (row.partition("\0") for row in rows) if name in kept_refs(target)]
    for name, oid in found:
        git.run("update-ref", "-d", name, oid)
    return [name for name, _ in found]
