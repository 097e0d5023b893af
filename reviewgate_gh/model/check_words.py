"""What GitHub's words for a check mean: every word that this program knows is here."""

from collections.abc import Mapping
from enum import IntEnum


class CheckResult(IntEnum):
    """What one check amounts to; where nothing tells which of two came later, the greater one
    holds."""

    NOT_RUN = 0
    PASSED = 1
    PENDING = 2
    UNKNOWN = 3
    FAILED = 4


# The states of a commit status: https://docs.github.com/en/rest/commits/statuses
STATES: Mapping[str, CheckResult] = {
    **dict.fromkeys(("failure", "error"), CheckResult.FAILED),
    **dict.fromkeys(("pending", "expected"), CheckResult.PENDING),
    "success": CheckResult.PASSED,
}
# The conclusions of a completed check run or suite: https://docs.github.com/en/rest/checks/runs
CONCLUSIONS: Mapping[str, CheckResult] = {
    **dict.fromkeys(
        ("failure", "cancelled", "timed_out", "action_required", "startup_failure"),
        CheckResult.FAILED,
    ),
    **dict.fromkeys(("skipped", "neutral", "stale", ""), CheckResult.NOT_RUN),
    "success": CheckResult.PASSED,
}
# The statuses of a check run that is not completed
UNFINISHED = frozenset({"queued", "in_progress", "waiting", "requested", "pending", "expected"})
