"""Which lines GitHub's own diff shows: asked for only after it has refused a comment, for its answer does not say which one."""

import re
from collections.abc import Mapping

from .client import Client
from .errors import Malformed, Refused

_HUNK = re.compile(r"(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def read_shown(client: Client, base: str, commit: str) -> Mapping[str, tuple[range, ...]]:
    """The lines at `commit` of each hunk, by path; none of a file whose patch GitHub leaves out, nothing where it does not answer."""
    try:
        found = client.get(client.path("compare", f"{base}...{commit}"), per_page=1).items("files")
        return {each.text("filename"): _hunks(each.optional("patch")) for each in found}
    except (Refused, Malformed):
        return {}


def _hunks(patch: str) -> tuple[range, ...]:
    spans = ((int(found[1]), int(found[2] or 1)) for found in _HUNK.finditer(patch))
    return tuple(range(start, start + count) for start, count in spans)
