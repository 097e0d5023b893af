"""CI's state from the checks and statuses of a commit. Only a success that was seen is green; a word that is new to us is not."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import IntEnum

from ..model.presubmit import CiClass, CiStatus, Required
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
_SHOWN = 10
_UNREAD_RULES = "which checks are required could not be read, or not all: the others were judged only where they reported"


def ci_status(
    head: Iterable[Check], required: Iterable[Required] | None = (), *, merge: Iterable[Check] = (), cut: str = "", more: bool = False
) -> CiStatus:
    """CI's state, our own run left out. `merge` are the checks of the test merge commit, which must pass, too.

    `required` is None where the rules cannot be read, and `more` says that they may require others; `cut` says why the checks
    may not be all.
    """
    head, merge = tuple(head), tuple(merge)
    judged = [*latest(head), *latest(merge)]
    missing = _names(each.name for each in required or () if not _reported(each, (*head, *merge)))
    results = [(result(check), check.name) for check in judged]
    return CiStatus(
        cls=_class({each for each, _ in results}, bool(missing), bool(cut)),
        failed=_of(results, Result.FAILED),
        pending=_names((*_of(results, Result.PENDING), *missing)),
        skipped=_of(results, Result.NOT_RUN),
        unknown=_of(results, Result.UNKNOWN),
        total=len(judged),
        missing_required=missing,
        cut=cut,
        notes=(_UNREAD_RULES,) if more or required is None else (),
    )


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


def latest(checks: Iterable[Check]) -> list[Check]:
    """The one check that counts of each (kind, app, workflow, name), without our own run and what it replaces."""
    groups: dict[tuple[str, str, str, str], list[Check]] = defaultdict(list)
    for check in checks:
        groups[check.kind, check.app, check.workflow, check.name].append(check)
    others = (_others(group) for group in groups.values())
    return [_deciding(group) for group in others if group]


def _others(group: Sequence[Check]) -> list[Check]:
    """The group without our own run, and without what had ended before ours began, where the workflow is known to be the same."""
    began = max((at for check in group if check.own and (at := _time(check.started))), default=None)
    foreign = [check for check in group if not check.own]
    if began is None or not foreign or not foreign[0].workflow:
        return foreign
    return [check for check in foreign if not _ended_before(check, began)]


def _ended_before(check: Check, began: datetime) -> bool:
    ended = _time(check.completed)
    return check.status.lower() == "completed" and ended is not None and ended < began


def _deciding(group: Sequence[Check]) -> Check:
    """Unfinished beats finished, what ran beats what did not, later beats earlier, and among equals the worse one holds."""
    if group[0].kind != "status":  # a status is replaced by the next one, pending or not
        unfinished = [check for check in group if check.status.lower() != "completed"]
        group = unfinished or [check for check in group if result(check) is not Result.NOT_RUN] or group
    times = [_time(check.completed) or _time(check.started) for check in group]
    last = max((at for at in times if at), default=None)
    return max((check for check, at in zip(group, times, strict=True) if at in (None, last)), key=result)


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


def _reported(required: Required, checks: Iterable[Check]) -> bool:
    """Our own run counts here: what asks is running."""
    return any(check.name == required.name and required.app in ("", check.app) for check in checks)


def _class(results: set[Result], missing: bool, cut: bool) -> CiClass:
    if Result.FAILED in results:
        return CiClass.ANY_FAILURE
    if Result.PENDING in results or missing:
        return CiClass.ALL_PENDING
    if Result.UNKNOWN in results or cut:
        return CiClass.UNKNOWN
    if Result.PASSED in results:
        return CiClass.ALL_PASSED
    return CiClass.NOT_RUN if results else CiClass.NO_CHECKS


def _of(results: Iterable[tuple[Result, str]], wanted: Result) -> tuple[str, ...]:
    return _names(name for each, name in results if each is wanted)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def green(status: CiStatus, require_ci: bool) -> bool:
    """APPROVE may stay as far as CI is concerned."""
    return not obstacles(status, require_ci)


def obstacles(status: CiStatus, require_ci: bool) -> tuple[str, ...]:
    """Why CI does not let APPROVE stay, a sentence each; names are raw and at most ten a sentence."""
    running = [name for name in status.pending if name not in status.missing_required]
    said = (
        status.failed and f"CI is failing: {_listed(status.failed)}.",
        running and f"CI is still running: {_listed(running)}.",
        status.missing_required and f"Required checks have not reported yet: {_listed(status.missing_required)}.",
        status.unknown and f"CI gives an answer that is not known here: {_listed(status.unknown)}.",
        status.cut and f"CI's state is not known: {status.cut}.",
        status.cls is CiClass.NOT_RUN and f"CI did not run: {_listed(status.skipped)} skipped or neutral.",
        status.cls is CiClass.NO_CHECKS and require_ci and "CI has no checks, and policy.require_ci asks for them.",
    )
    return tuple(sentence for sentence in said if sentence)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
