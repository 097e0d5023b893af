"""The hidden lines in what we post: by them a later run knows its own comments, and the findings
that were open."""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from ..model.errors import InternalError
from ..model.finding import Finding, FindingState, sha256_hex
from ..model.pull_request import Account
from ..model.report import Outcome, Report, ReviewRow
from ..model.review import ReviewStatus
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from ..text.visible import show_hidden

_SHA = "[0-9a-f]{40}(?:[0-9a-f]{24})?"
_DIGEST = "[0-9a-f]{8,64}"
_SOURCE = "[0-9a-f]{8}"
_UNIT = "[0-9a-f]{8}"
FINGERPRINT_PATTERN = lazy_pattern(r"[0-9a-f]{16}(?:-[1-9][0-9]{0,8})?")
_NAMES = rf"(?: {FINGERPRINT_PATTERN.pattern})*"
_MARKER = lazy_pattern(
    rf"<!-- reviewgate-gh:(?:finding (?P<fingerprint>{FINGERPRINT_PATTERN.pattern}) (?P<at>{_SHA})"
    rf"(?: in (?P<unit>{_UNIT}))?(?: by (?P<sources>{_SOURCE}(?:,{_SOURCE})*))?"
    rf"|(?P<kind>review|approval|request)(?P<partial> part)?"
    rf" (?P<sha>{_SHA}) (?P<digest>{_DIGEST})(?P<listed>{_NAMES})"
    rf"(?: at(?P<comments>{_NAMES}))?(?: now (?P<now>{_SHA}) (?P<text>{_DIGEST}))?) -->"
)
_BLANK = " \t\r\n"
_KINDS = {"COMMENT": "review", "APPROVE": "approval", "REQUEST_CHANGES": "request"}
_EVENTS = {kind: event for event, kind in _KINDS.items()}


class FindingMarker(Struct, frozen=True):
    """Of an inline comment: the finding's fingerprint, the reviewed commit, who found it, by
    `source_id`, and the digest of its rule and unit."""

    fingerprint: str
    sha: str
    sources: tuple[str, ...] = ()
    unit: str = ""


class ReviewMarker(Struct, frozen=True):
    """Of a review's body: the reviewed commit, a digest of what was said, the fingerprints that its
    text lists, and GitHub's event.

    GitHub itself forgets whether a dismissed review approved or requested changes. `partial`: it is
    about a part of the commits. `comments` are the fingerprints of its comments at lines. The
    review that holds the living summary also has `now`, the commit that its text is about, and
    `text`, a digest of it; both are "" in any other.
    """

    sha: str
    digest: str
    listed: tuple[str, ...] = ()
    event: str = "COMMENT"
    partial: bool = False
    comments: tuple[str, ...] = ()
    now: str = ""
    text: str = ""

    @property
    def latest(self) -> str:
        """The commit that its text is about."""
        return self.now or self.sha


Marker = FindingMarker | ReviewMarker


def source_id(name: str) -> str:
    """A reviewer's or a tool's name as a marker holds it; of `claude/security` the reviewer's,
    since its lenses take turns."""
    return sha256_hex(name.partition("/")[0], 8)


def write_marker(mark: Marker) -> str:
    """The marker's line.

    Raises:
        InternalError: it could not be read back, and the next run would say everything again.
    """
    if isinstance(mark, FindingMarker):
        unit = f" in {mark.unit}" if mark.unit else ""
        by = f" by {','.join(mark.sources)}" if mark.sources else ""
        words = f"finding {mark.fingerprint} {mark.sha}{unit}{by}"
    else:
        words = " ".join(
            (
                _KINDS[mark.event],
                *(["part"] if mark.partial else []),
                mark.sha,
                mark.digest,
                *mark.listed,
                *(("at", *mark.comments) if mark.comments else ()),
                *(("now", mark.now, mark.text) if mark.text else ()),
            )
        )
    line = f"<!-- reviewgate-gh:{words} -->"
    if not _MARKER.fullmatch(line):
        raise InternalError(f"not a marker: {words!r}")
    return line


def with_marker(text: str, mark: Marker) -> str:
    """The text with the marker as its last line.

    The text has passed `text.sanitize`, which leaves no marker alive in it.
    """
    return "\n\n".join(part for part in (text.rstrip(_BLANK), write_marker(mark)) if part)


def read_marker(body: str, author: Account, viewer: Account | None) -> Marker | None:
    """The marker of a body that we wrote; None for anybody else's copy, and while it is not known
    who we are."""
    return last_marker(body) if author.same_as(viewer) else None


def without_marker(body: str) -> str:
    """The text above the marker."""
    return _parted(body)[0].rstrip(_BLANK)


def last_marker(body: str) -> Marker | None:
    """The last marker that has a line of its own, whoever wrote it: nothing to act on.

    People may have added words below ours.
    """
    found = _parted(body)[1]
    if found is None:
        return None
    if found["fingerprint"]:
        return FindingMarker(
            found["fingerprint"],
            found["at"],
            tuple(filter(None, (found["sources"] or "").split(","))),
            found["unit"] or "",
        )
    return ReviewMarker(
        found["sha"],
        found["digest"],
        tuple(found["listed"].split()),
        _EVENTS[found["kind"]],
        found["partial"] is not None,
        tuple((found["comments"] or "").split()),
        found["now"] or "",
        found["text"] or "",
    )


def _parted(body: str) -> tuple[str, re.Match[str] | None]:
    """What stands above the last marker, and the marker; all of it where there is none."""
    rows = body.split("\n")
    for at in range(len(rows) - 1, -1, -1):
        if found := _MARKER.fullmatch(rows[at].rstrip(_BLANK)):
            return "\n".join(rows[:at]), found
    return body, None


_LINE = lazy_pattern(
    r"^<!-- reviewgate-gh:open ([0-9a-f]{12}) ([A-Za-z0-9+/=]+) -->$", re.MULTILINE
)
MAX_CHARACTERS = 5_000  # characters: with it, too, a body stays below 60,000
_MOST_READ = 1_000_000
_BODIES = (1_500, 300, 0)  # characters of each body that are kept, the most that fit


class PostedState(Struct, frozen=True):
    """What stood open at which commit, under which config, the commit that the change was compared
    with, and the models that had a part in it. `read` is the newest commit that these models have
    read to the end, where no finding has come or gone since `head`."""

    config_digest: str
    base: str
    models: frozenset[str]
    findings: tuple[Finding, ...]
    head: str = ""
    read: str = ""


def posted_state_line(body: str) -> str:
    """The hidden line in a text of ours as it stands; "" where there is none."""
    found = _LINE.search(body)
    return found[0] if found else ""


def write_posted_state(report: Report) -> str:
    """The hidden line for a report that language models took part in, all of them and of
    everything; "" for any other."""
    asked = [row for row in report.reviews if row.asked is not None]
    if (
        not asked
        or report.verdict.outcome is Outcome.INCONCLUSIVE
        or report.unread
        or not all(map(_done, asked))
    ):
        return ""
    if any(
        finding.state is FindingState.REFUTED and finding.priority.reaches(report.threshold)
        for finding in report.findings
    ):
        return ""  # it is not carried, and what one verifier refuted is to be asked about again
    kept = tuple(finding for finding in _open(report.findings) if not finding.rule)
    models = frozenset(row.reviewer for row in asked)
    change = report.change
    return _line(PostedState(report.config_digest, change.base, models, kept, change.head))


def posted_state_after(before: str, report: Report) -> str:
    """The line after a report about which nothing new is posted: as before, with the commit that
    models have read by now, as long as the same findings stand open."""
    line = write_posted_state(report)
    old, new = read_posted_state(before), read_posted_state(line)
    if old is None or new is None:
        return line or before
    names = [{finding.fingerprint for finding in each.findings} for each in (old, new)]
    same = (old.config_digest, old.models) == (new.config_digest, new.models)
    return _line(replace(old, read=new.head)) if same and names[0] == names[1] else line


def _line(state: PostedState) -> str:
    """The line, with as much of each body as there is room for; "" where there is none."""
    for most in _BODIES:
        line = f"<!-- reviewgate-gh:open {state.config_digest} {_packed(state, most)} -->"
        if len(line) <= MAX_CHARACTERS and _LINE.fullmatch(line):
            return line
    return ""


def read_posted_state(body: str) -> PostedState | None:
    """The ledger in the body of a review of ours; None where there is none that can be read."""
    found = _LINE.search(body)
    if found is None:
        return None
    try:
        kept = json.loads(_unpacked(found[2]))
        models = frozenset(map(str, kept["models"]))
        return PostedState(
            found[1],
            str(kept["base"]),
            models,
            tuple(convert(row, Finding) for row in kept["findings"]),
            str(kept.get("head", "")),
            str(kept.get("read", "")),
        )
    except (ValueError, TypeError, KeyError, RecursionError, zlib.error):
        return None


def _open(findings: Sequence[Finding]) -> list[Finding]:
    """What stands open, every place of a pattern on its own: the others outlive the first one. What
    people dismissed is among it, since they may take that back."""
    elsewhere = {f"the same issue as {finding.location}" for finding in findings if finding.places}
    return [
        finding
        for finding in findings
        if finding.state in (FindingState.OPEN, FindingState.DISMISSED)
        or (finding.state is FindingState.DUPLICATE and finding.note in elsewhere)
    ]


def _done(row: ReviewRow) -> bool:
    """It answered, or there was nothing to ask it; a question that was beyond the budget is none of
    these."""
    return row.status is ReviewStatus.OK or (
        row.status is ReviewStatus.SKIPPED and row.asked is not None and not row.asked.prompt
    )


def _packed(state: PostedState, most: int) -> str:
    kept = {
        "base": state.base,
        "head": redact(state.head),
        "models": sorted(state.models),
        "findings": [_redacted(to_builtins(_bare(each, most))) for each in state.findings],
        **({"read": redact(state.read)} if state.read else {}),
    }
    return base64.b64encode(
        zlib.compress(json.dumps(kept, separators=(",", ":")).encode(), 9)
    ).decode()


def _unpacked(text: str) -> bytes:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), _MOST_READ)
    if unpacker.unconsumed_tail:
        raise ValueError("longer than any ledger")
    return data


def _bare(finding: Finding, most: int) -> Finding:
    """What identity and a later verdict need."""
    body = _clean(finding.body)[:most]
    return replace(
        finding,
        title=_clean(finding.title),
        body=body,
        suggestion=None,
        state=FindingState.OPEN,
        note="",
        places=(),
    )


def _clean(text: str) -> str:
    return show_hidden(redact(text))


def _redacted(value: Any) -> Any:
    """Every text of it: packed as it will be, nothing could be redacted later."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _redacted(item) for key, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list | tuple) else value
