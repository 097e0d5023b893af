"""CI's state from the checks and statuses of a commit. Only a success that was seen is green; a word that is new to us is not."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..model.presubmit import CiClass, CiStatus, LeftOut, Required
from ..model.pull import Check, Ours
from .ci_own import split
from .ci_result import Result, moment, result

_SHOWN = 10
_AWAITED = "the branch requires reviewgate-gh's own check, which has not been posted yet"
_UNREAD_RULES = "the list of required checks could not be read completely: a required check that has not reported may be missing here"


def ci_status(
    head: Iterable[Check], required: Iterable[Required] | None = (), *, merge: Iterable[Check] = (), cut: str = "", more: bool = False
) -> CiStatus:
    """CI's state, our own results left out. `merge` are the checks of the test merge commit, which must pass, too.

    `required` is None where the rules cannot be read, and `more` says that they may require others; `cut` says why the checks
    may not be all.
    """
    head, merge = tuple(head), tuple(merge)
    jobs = [check for check in (*head, *merge) if check.own is Ours.RUN]
    (counted, left_out), (merged, left_out_too) = split(head, jobs), split(merge, jobs)
    judged = [*latest(counted), *latest(merged)]
    absent = [each for each in required or () if not _reported(each, (*head, *merge))]
    missing = _names(each.name for each in absent if not each.own)
    awaited = [LeftOut(each.name, each.app, _AWAITED) for each in absent if each.own]
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
        notes=(*((_UNREAD_RULES,) if more or required is None else ()), *_copies((*counted, *merged))),
        left_out=tuple(sorted(dict.fromkeys((*left_out, *left_out_too, *awaited)), key=lambda each: (each.name, each.app, each.why))),
    )


def latest(checks: Iterable[Check]) -> list[Check]:
    """The one check that counts of each (kind, app, workflow, name)."""
    groups: dict[tuple[str, str, str, str], list[Check]] = defaultdict(list)
    for check in checks:
        groups[check.kind, check.app, check.workflow, check.name].append(check)
    return [_deciding(group) for group in groups.values()]


def _deciding(group: Sequence[Check]) -> Check:
    """Unfinished beats finished, what ran beats what did not, later beats earlier, and among equals the worse one holds."""
    if group[0].kind != "status":  # a status is replaced by the next one, pending or not
        unfinished = [check for check in group if check.status.lower() != "completed"]
        group = unfinished or [check for check in group if result(check) is not Result.NOT_RUN] or group
    times = [moment(check.completed) or moment(check.started) for check in group]
    last = max((at for at in times if at), default=None)
    return max((check for check, at in zip(group, times, strict=True) if at in (None, last)), key=result)


def _reported(required: Required, checks: Iterable[Check]) -> bool:
    """Our own results count here: what asks is running."""
    return any(check.name == required.name and required.app in ("", check.app) for check in checks)


def _copies(checks: Iterable[Check]) -> tuple[str, ...]:
    """Check runs that look like our own verdict, and are some other app's."""
    names = _names(f"{check.name} by {check.app or 'an unknown app'}" for check in checks if check.marked)
    return (
        (f"counted although the external id looks like reviewgate-gh's, because another app reported it: {_listed(names)}",)
        if names
        else ()
    )


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


def obstacles(status: CiStatus, require_ci: bool) -> tuple[str, ...]:
    """Why CI does not let APPROVE stay, a sentence each; names are raw and at most ten a sentence."""
    running = [name for name in status.pending if name not in status.missing_required]
    said = (
        status.failed and f"CI is failing: {_listed(status.failed)}.",
        running and f"CI is still running: {_listed(running)}.",
        status.missing_required and f"Required checks have not reported yet: {_listed(status.missing_required)}.",
        status.unknown and f"CI reported a result that this version does not know: {_listed(status.unknown)}.",
        status.cut and f"The state of CI is unknown: {status.cut}.",
        status.cls is CiClass.NOT_RUN and f"CI did not run: {_listed(status.skipped)} skipped or neutral.",
        status.cls is CiClass.NO_CHECKS and require_ci and _none(status),
    )
    return tuple(sentence for sentence in said if sentence)


def not_counted(status: CiStatus) -> tuple[str, ...]:
    """Which of the checks are our own results, a sentence each."""
    return tuple(f"not counted as CI: {each.name}{f' by {each.app}' * bool(each.app)}: {each.why}" for each in status.left_out)


def _none(status: CiStatus) -> str:
    own = _names(each.name for each in status.left_out)
    if not own:
        return "There are no CI checks, and policy.require_ci requires them."
    return f"The only CI checks are reviewgate-gh's own ({_listed(own)}), and policy.require_ci requires others."


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
