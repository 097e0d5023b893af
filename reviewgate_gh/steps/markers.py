"""The hidden line below what we post, by which a later run knows its own."""

import re

from ..model.digest import sha256_hex
from ..model.errors import InternalError
from ..model.pull import Account
from ..model.values import dataclass

_SHA = "[0-9a-f]{40}(?:[0-9a-f]{24})?"
_DIGEST = "[0-9a-f]{8,64}"
_SOURCE = "[0-9a-f]{8}"
FINGERPRINT = re.compile(r"[0-9a-f]{16}(?:-[1-9][0-9]{0,8})?")
_MARKER = re.compile(
    rf"<!-- reviewgate-gh:(?:finding (?P<fingerprint>{FINGERPRINT.pattern}) (?P<at>{_SHA})(?: by (?P<sources>{_SOURCE}(?:,{_SOURCE})*))?"
    rf"|(?P<kind>review|approval|request)(?P<partial> part)?"
    rf" (?P<sha>{_SHA}) (?P<digest>{_DIGEST})(?P<listed>(?: {FINGERPRINT.pattern})*)) -->"
)
_BLANK = " \t\r\n"
_KINDS = {"COMMENT": "review", "APPROVE": "approval", "REQUEST_CHANGES": "request"}
_EVENTS = {kind: event for event, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class FindingMark:
    """Of an inline comment: the finding's fingerprint, the reviewed commit, and who found it, by `source_id`."""

    fingerprint: str
    sha: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewMark:
    """Of a review's body: the reviewed commit, a digest of what was said, the fingerprints that its text lists, and GitHub's event.

    GitHub itself forgets whether a dismissed review approved or requested changes. `partial`: it is about a part of the commits.
    """

    sha: str
    digest: str
    listed: tuple[str, ...] = ()
    event: str = "COMMENT"
    partial: bool = False


Mark = FindingMark | ReviewMark


def source_id(name: str) -> str:
    """A reviewer's or a tool's name as a marker holds it; of `claude/security` the reviewer's, since its lenses take turns."""
    return sha256_hex(name.partition("/")[0], 8)


def write(mark: Mark) -> str:
    """The marker's line.

    Raises:
        InternalError: it could not be read back, and the next run would say everything again.
    """
    if isinstance(mark, FindingMark):
        words = f"finding {mark.fingerprint} {mark.sha}{' by ' * bool(mark.sources)}{','.join(mark.sources)}"
    else:
        words = " ".join((_KINDS[mark.event], *(["part"] if mark.partial else []), mark.sha, mark.digest, *mark.listed))
    line = f"<!-- reviewgate-gh:{words} -->"
    if not _MARKER.fullmatch(line):
        raise InternalError(f"not a marker: {words!r}")
    return line


def signed(text: str, mark: Mark) -> str:
    """The text with the marker as its last line. The text has passed `text.sanitize`, which leaves no marker alive in it."""
    return "\n\n".join(part for part in (text.rstrip(_BLANK), write(mark)) if part)


def read(body: str, author: Account, viewer: Account | None) -> Mark | None:
    """The marker of a body that we wrote; None for anybody else's copy, and while it is not known who we are."""
    return carried(body) if author.same_as(viewer) else None


def unsigned(body: str) -> str:
    """The text above the marker."""
    return _parted(body)[0].rstrip(_BLANK)


def carried(body: str) -> Mark | None:
    """The last marker that has a line of its own, whoever wrote it: nothing to act on. People may have added words below ours."""
    found = _parted(body)[1]
    if found is None:
        return None
    if found["fingerprint"]:
        return FindingMark(found["fingerprint"], found["at"], tuple(filter(None, (found["sources"] or "").split(","))))
    return ReviewMark(found["sha"], found["digest"], tuple(found["listed"].split()), _EVENTS[found["kind"]], found["partial"] is not None)


def _parted(body: str) -> tuple[str, re.Match[str] | None]:
    """What stands above the last marker, and the marker; all of it where there is none."""
    rows = body.split("\n")
    for at in range(len(rows) - 1, -1, -1):
        if found := _MARKER.fullmatch(rows[at].rstrip(_BLANK)):
            return "\n".join(rows[:at]), found
    return body, None
