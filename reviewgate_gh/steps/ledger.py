"""The open findings of language models within a review that we posted, so that the next run need not find them again.

A hidden line that only our own account can have written where it is read. What does not fit is not kept, and then the next review
is a whole one.
"""

import base64
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..model.codec import from_plain, to_plain
from ..model.finding import Finding, State
from ..model.report import Outcome, Report, ReviewRow
from ..model.review import Status
from ..model.values import dataclass
from ..text.redact import redact
from ..text.visible import visible

_LINE = re.compile(r"^<!-- reviewgate-gh:open ([0-9a-f]{12}) ([A-Za-z0-9+/=]+) -->$", re.MULTILINE)
MOST = 5_000  # characters: with it, too, a body stays below 60,000
_MOST_READ = 1_000_000
_BODIES = (1_500, 300, 0)  # characters of each body that are kept, the most that fit


@dataclass(frozen=True, slots=True)
class Ledger:
    """What stood open, under which config, the commit that the change was compared with, and the models that had a part in it."""

    config_digest: str
    base: str
    models: frozenset[str]
    findings: tuple[Finding, ...]


def write(report: Report) -> str:
    """The hidden line for a report that language models took part in, all of them and of everything; "" for any other."""
    asked = [row for row in report.reviews if row.asked is not None]
    if not asked or report.verdict.outcome is Outcome.INCONCLUSIVE or report.unread or not all(map(_done, asked)):
        return ""
    if any(finding.state is State.REFUTED and finding.priority.reaches(report.threshold) for finding in report.findings):
        return ""  # it is not carried, and what one verifier refuted is to be asked about again
    kept = [finding for finding in _open(report.findings) if not finding.rule]
    models = sorted({row.reviewer for row in asked})
    for most in _BODIES:
        line = f"<!-- reviewgate-gh:open {report.config_digest} {_packed(report.change.base, models, kept, most)} -->"
        if len(line) <= MOST and _LINE.fullmatch(line):
            return line
    return ""


def read(body: str) -> Ledger | None:
    """The ledger in the body of a review of ours; None where there is none that can be read."""
    found = _LINE.search(body)
    if found is None:
        return None
    try:
        kept = json.loads(_unpacked(found[2]))
        models = frozenset(map(str, kept["models"]))
        return Ledger(found[1], str(kept["base"]), models, tuple(from_plain(Finding, row) for row in kept["findings"]))
    except (ValueError, TypeError, KeyError, RecursionError, zlib.error):
        return None


def _open(findings: Sequence[Finding]) -> list[Finding]:
    """What stands open, every place of a pattern on its own: the others outlive the first one."""
    elsewhere = {f"the same issue as {finding.location}" for finding in findings if finding.places}
    return [
        finding for finding in findings if finding.state is State.OPEN or (finding.state is State.DUPLICATE and finding.note in elsewhere)
    ]


def _done(row: ReviewRow) -> bool:
    """It answered, or there was nothing to ask it; a question that was beyond the budget is none of these."""
    return row.status is Status.OK or (row.status is Status.SKIPPED and row.asked is not None and not row.asked.prompt)


def _packed(base: str, models: Sequence[str], findings: Iterable[Finding], most: int) -> str:
    kept = {"base": base, "models": models, "findings": [_redacted(to_plain(_bare(finding, most))) for finding in findings]}
    return base64.b64encode(zlib.compress(json.dumps(kept, separators=(",", ":")).encode(), 9)).decode()


def _unpacked(text: str) -> bytes:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text, validate=True), _MOST_READ)
    if unpacker.unconsumed_tail:
        raise ValueError("longer than any ledger")
    return data


def _bare(finding: Finding, most: int) -> Finding:
    """What identity and a later verdict need."""
    body = _clean(finding.body)[:most]
    return replace(finding, title=_clean(finding.title), body=body, suggestion=None, state=State.OPEN, note="", places=())


def _clean(text: str) -> str:
    return visible(redact(text))


def _redacted(value: Any) -> Any:
    """Every text of it: packed as it will be, nothing could be redacted later."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: _redacted(item) for key, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list) else value
