"""What GitHub's words for one check or commit status amount to. A word that is new to us is not green."""

from datetime import datetime
from enum import IntEnum

from ..model.pull import Check


class Result(IntEnum):
    """What one check amounts to; where nothing tells which of two came later, the greater one holds."""

    NOT_RUN = 0
    PASSED = 1
    PENDING = 2
    UNKNOWN = 3
    FAILED = 4


_STATUSES = {
    **dict.fromkeys(("failure", "error"), Result.FAILED),
    **dict.fromkeys(("pending", "expected"), Result.PENDING),
    "success": Result.PASSED,
}
_CONCLUSIONS = {
    **dict.fromkeys(("failure", "cancelled", "timed_out", "action_required", "startup_failure"), Result.FAILED),
    **dict.fromkeys(("skipped", "neutral", "stale", ""), Result.NOT_RUN),
    "success": Result.PASSED,
}
_UNFINISHED = ("queued", "in_progress", "waiting", "requested", "pending", "expected")


def result(check: Check) -> Result:
    """What GitHub's words for one check mean; a commit status has one word, in `status`."""
    status, conclusion = check.status.lower(), check.conclusion.lower()
    if check.kind == "status":
        return Result.UNKNOWN if conclusion else _STATUSES.get(status, Result.UNKNOWN)
    if check.kind != "check":
        return Result.UNKNOWN
    if status == "completed":
        return _CONCLUSIONS.get(conclusion, Result.UNKNOWN)
    return Result.PENDING if status in _UNFINISHED else Result.UNKNOWN


def moment(text: str) -> datetime | None:
    """A time of GitHub's; None where it has none that can be compared."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


def ended_before(check: Check, began: datetime) -> bool:
    """The check is known to have ended before that."""
    ended = moment(check.completed)
    return check.status.lower() == "completed" and ended is not None and ended < began
