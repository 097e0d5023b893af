"""What trackers share: issues as beads writes them, priorities as numbers, and short names."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from ...model.finding import Priority
from ..plan import read_own_issue
from ..tracked import IssueStatus, TrackedIssue

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PREFIX, _LONG = "rg-", 8


def priority_number(priority: Priority) -> int:
    """0 for P0, to 3 for P3, as beads counts."""
    return list(Priority).index(priority)


def short_issue_id(text: str, taken: Collection[str]) -> str:
    """A name for a text, as beads makes them: `rg-` and eight signs, and another one where it is
    taken."""
    for attempt in range(len(taken) + 1):
        number = int.from_bytes(hashlib.sha256(f"{text}\0{attempt}".encode()).digest())
        signs = []
        for _ in range(_LONG):
            number, digit = divmod(number, len(_DIGITS))
            signs.append(_DIGITS[digit])
        if (name := f"{_PREFIX}{''.join(signs)}") not in taken:
            return name
    raise AssertionError("one more name than there are taken ones")


def issue_of_record(record: Mapping[str, Any]) -> TrackedIssue | None:
    """The issue in a record of beads; None for one that is not ours."""
    title, body, notes = (str(record.get(key) or "") for key in ("title", "description", "notes"))
    labels = record.get("labels")
    issue = read_own_issue(
        title, body, notes, [str(label) for label in labels] if isinstance(labels, list) else []
    )
    if issue is None:
        return None
    status = (
        IssueStatus.CLOSED if record.get("status") in ("closed", "tombstone") else IssueStatus.OPEN
    )
    number = record.get("priority")
    priority = (
        list(Priority)[number]
        if isinstance(number, int) and 0 <= number < len(Priority)
        else Priority.P3
    )
    return replace(
        issue,
        id=str(record.get("id", "")),
        status=status,
        reason=str(record.get("close_reason") or ""),
        priority=priority,
    )
