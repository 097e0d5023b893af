"""The refs that git lists on a pre-push hook's standard input: `local_ref local_oid remote_ref remote_oid`, a line each."""

import re

from ..model.errors import UsageError
from ..model.push import Push

_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def parse_pushes(lines: bytes) -> tuple[Push, ...]:
    """The refs of a push, in git's order.

    Raises:
        UsageError: a line is not of that form.
    """
    return tuple(_parse(line) for line in lines.split(b"\n") if line)


def _parse(line: bytes) -> Push:
    fields = line.rsplit(b" ", 3)  # the first may hold spaces: HEAD@{2 days ago}
    if len(fields) != 4 or not all(fields) or not _OID.fullmatch(fields[1]) or not _OID.fullmatch(fields[3]):
        raise UsageError(
            f"git's list of pushed refs has an invalid line: {line[:200]!r}", "pass git's standard input to the hook unchanged"
        )
    local_ref, local, remote_ref, remote = (field.decode("utf-8", "surrogateescape") for field in fields)
    return Push(local_ref, _present(local), remote_ref, _present(remote))


def _present(oid: str) -> str:
    return oid if oid.strip("0") else ""
