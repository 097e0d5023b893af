"""CI's state from a commit's checks and statuses. Only a success counts as green; an unknown word
does not, nor does our own check run."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import structs

from ..model.check_words import CONCLUSIONS, STATES, UNFINISHED, CheckResult
from ..model.pull_request import (
    Check,
    CheckRow,
    CiClass,
    CiStatus,
    IgnoredCheck,
    OwnResult,
    RequiredCheck,
)


def check_result(check: Check) -> CheckResult:
    """What GitHub's words for one check mean; a commit status has one word, in `status`."""
    status, conclusion = check.status.lower(), check.conclusion.lower()
    if check.kind == "status":
        return CheckResult.UNKNOWN if conclusion else STATES.get(status, CheckResult.UNKNOWN)
    if check.kind != "check":
        return CheckResult.UNKNOWN
    if status == "completed":
        return CONCLUSIONS.get(conclusion, CheckResult.UNKNOWN)
    return CheckResult.PENDING if status in UNFINISHED else CheckResult.UNKNOWN


def parse_time(text: str) -> datetime | None:
    """A time of GitHub's; None where it has none that can be compared."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None


def ended_before(check: Check, began: datetime) -> bool:
    """The check is known to have ended before that."""
    ended = parse_time(check.completed)
    return check.status.lower() == "completed" and ended is not None and ended < began


_WHY = {OwnResult.VERDICT: "reviewgate-gh's own verdict", OwnResult.RUN: "this workflow run"}
_EARLIER = "an earlier run of this job"
_ALIKE = "it may be this job in another run, so its success does not count"


def split_own_checks(
    checks: Iterable[Check], jobs: Sequence[Check]
) -> tuple[list[Check], list[IgnoredCheck]]:
    """The checks that count, and those that do not with the reason; `jobs` are the check runs of
    this workflow run."""
    counted: list[Check] = []
    left_out: list[IgnoredCheck] = []
    for check in checks:
        why = _WHY[check.own] if check.own else _why(check, jobs)
        if why:
            left_out.append(IgnoredCheck(check.name, check.app, why))
        else:
            counted.append(check)
    return counted, left_out


def _why(check: Check, jobs: Sequence[Check]) -> str:
    """Why somebody's check does not count; "" where it does."""
    alike = [job for job in jobs if _may_be(check, job)]
    began = max(
        (at for job in alike if _is(check, job) and (at := parse_time(job.started))), default=None
    )
    if began and ended_before(check, began):
        return _EARLIER
    return (
        _ALIKE if alike and check_result(check) in (CheckResult.PASSED, CheckResult.NOT_RUN) else ""
    )


def _is(check: Check, job: Check) -> bool:
    """It is the same job, in this run or in another one of its workflow."""
    return check.name == job.name and (
        (bool(check.run) and check.run == job.run)
        or (_known(check) and check.workflow == job.workflow)
    )


def _may_be(check: Check, job: Check) -> bool:
    """Nothing shows that it is another job. A check run without a workflow run is no job at all."""
    if (check.kind, check.app) != (job.kind, job.app) or _stem(check.name) != _stem(job.name):
        return False
    if _is(check, job) or (check.run and check.run == job.run):
        return True
    if _known(check) and _known(job):
        return check.workflow == job.workflow
    return bool(check.run)


def _known(check: Check) -> bool:
    """It is known which workflow it belongs to."""
    return check.workflow not in ("", f"run {check.run}")


def _stem(name: str) -> str:
    """A job's name without the leg of its matrix: `gate (3.12)` is `gate`.

    https://docs.github.com/en/actions/using-jobs/using-a-matrix-for-your-jobs
    """
    return name.partition(" (")[0]


_SHOWN = 10
_AWAITED = "the branch requires reviewgate-gh's own check, which has not been posted yet"
_UNREAD_RULES = (
    "the list of required checks could not be read completely: a required check that has not "
    "reported may be missing here"
)


def ci_status(
    head: Iterable[Check],
    required: Iterable[RequiredCheck] | None = (),
    *,
    merge: Iterable[Check] = (),
    cut: str = "",
    more: bool = False,
) -> CiStatus:
    """CI's state, our own results left out. `merge` are the checks of the test merge commit, which
    must pass, too.

    `required` is None where the rules cannot be read, and `more` says that they may require others;
    `cut` says why the checks may not be all.
    """
    head, merge = tuple(head), tuple(merge)
    jobs = [check for check in (*head, *merge) if check.own is OwnResult.RUN]
    (counted, left_out), (merged, left_out_too) = (
        split_own_checks(head, jobs),
        split_own_checks(merge, jobs),
    )
    judged = [*latest_checks(counted), *latest_checks(merged)]
    absent = [each for each in required or () if not _reported(each, (*head, *merge))]
    missing = _names(each.name for each in absent if not each.own)
    awaited = [IgnoredCheck(each.name, each.app, _AWAITED) for each in absent if each.own]
    results = [(check_result(check), check.name) for check in judged]
    ignored = tuple(
        sorted(
            dict.fromkeys((*left_out, *left_out_too, *awaited)),
            key=lambda each: (each.name, each.app, each.reason),
        )
    )
    return CiStatus(
        ci_class=_class({each for each, _ in results}, bool(missing), bool(cut)),
        failed=_of(results, CheckResult.FAILED),
        pending=_names((*_of(results, CheckResult.PENDING), *missing)),
        skipped=_of(results, CheckResult.NOT_RUN),
        unknown=_of(results, CheckResult.UNKNOWN),
        total=len(judged),
        missing_required=missing,
        cut=cut,
        notes=(
            *((_UNREAD_RULES,) if more or required is None else ()),
            *_copies((*counted, *merged)),
        ),
        ignored=ignored,
        checks=_rows(judged, absent, ignored, required or ()),
    )


_RESULTS = {
    CheckResult.PASSED: "passed",
    CheckResult.FAILED: "failed",
    CheckResult.PENDING: "pending",
    CheckResult.NOT_RUN: "did not run",
    CheckResult.UNKNOWN: "unknown",
}
_ABSENT = "not reported"


def _rows(
    judged: Iterable[Check],
    absent: Iterable[RequiredCheck],
    ignored: Iterable[IgnoredCheck],
    required: Iterable[RequiredCheck],
) -> tuple[CheckRow, ...]:
    """Every check with where it comes from, and what became of it."""
    required = tuple(required)
    rows = [
        CheckRow(
            check.name,
            check.app,
            check.kind,
            _RESULTS[check_result(check)],
            "required" if any(_reported(each, (check,)) for each in required) else "other",
        )
        for check in judged
    ]
    rows += [
        CheckRow(each.name, each.app, "check", _ABSENT, "required")
        for each in absent
        if not each.own
    ]
    rows += [
        CheckRow(each.name, each.app, "check", "not counted", "ours", each.reason)
        for each in ignored
    ]
    return tuple(sorted(dict.fromkeys(rows), key=structs.astuple))


def latest_checks(checks: Iterable[Check]) -> list[Check]:
    """The one check that counts of each (kind, app, workflow, name)."""
    groups: dict[tuple[str, str, str, str], list[Check]] = defaultdict(list)
    for check in checks:
        groups[check.kind, check.app, check.workflow, check.name].append(check)
    return [_deciding(group) for group in groups.values()]


def _deciding(group: Sequence[Check]) -> Check:
    """Unfinished beats finished, what ran beats what did not, later beats earlier, and among equals
    the worse one holds."""
    if group[0].kind != "status":  # a status is replaced by the next one, pending or not
        unfinished = [check for check in group if check.status.lower() != "completed"]
        group = (
            unfinished
            or [check for check in group if check_result(check) is not CheckResult.NOT_RUN]
            or group
        )
    times = [parse_time(check.completed) or parse_time(check.started) for check in group]
    last = max((at for at in times if at), default=None)
    return max(
        (check for check, at in zip(group, times, strict=True) if at in (None, last)),
        key=check_result,
    )


def _reported(required: RequiredCheck, checks: Iterable[Check]) -> bool:
    """Our own results count here: what asks is running."""
    return any(check.name == required.name and required.app in ("", check.app) for check in checks)


def _copies(checks: Iterable[Check]) -> tuple[str, ...]:
    """Check runs that look like our own verdict, and are some other app's."""
    names = _names(
        f"{check.name} by {check.app or 'an unknown app'}" for check in checks if check.marked
    )
    return (
        (
            (
                "counted although the external id looks like reviewgate-gh's, because another app "
                f"reported it: {_listed(names)}"
            ),
        )
        if names
        else ()
    )


def _class(results: set[CheckResult], missing: bool, cut: bool) -> CiClass:
    if CheckResult.FAILED in results:
        return CiClass.ANY_FAILURE
    if CheckResult.PENDING in results or missing:
        return CiClass.ALL_PENDING
    if CheckResult.UNKNOWN in results or cut:
        return CiClass.UNKNOWN
    if CheckResult.PASSED in results:
        return CiClass.ALL_PASSED
    return CiClass.NOT_RUN if results else CiClass.NO_CHECKS


def _of(results: Iterable[tuple[CheckResult, str]], wanted: CheckResult) -> tuple[str, ...]:
    return _names(name for each, name in results if each is wanted)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def ci_obstacles(status: CiStatus, require_ci: bool) -> tuple[str, ...]:
    """Why CI does not let APPROVE stay, a sentence each; names are raw and at most ten a
    sentence."""
    running = [name for name in status.pending if name not in status.missing_required]
    said = (
        status.failed and f"CI is failing: {_listed(status.failed)}.",
        running and f"CI is still running: {_listed(running)}.",
        status.missing_required
        and f"Required checks have not reported yet: {_listed(status.missing_required)}.",
        status.unknown
        and f"CI reported a result that this version does not know: {_listed(status.unknown)}.",
        status.cut and f"The state of CI is unknown: {status.cut}.",
        status.ci_class is CiClass.NOT_RUN
        and f"CI did not run: {_listed(status.skipped)} skipped or neutral.",
        status.ci_class is CiClass.NO_CHECKS and require_ci and _none(status),
    )
    return tuple(sentence for sentence in said if sentence)


def ignored_check_messages(status: CiStatus) -> tuple[str, ...]:
    """Which of the checks are our own results, a sentence each."""
    return tuple(
        f"not counted as CI: {each.name}{f' by {each.app}' * bool(each.app)}: {each.reason}"
        for each in status.ignored
    )


def _none(status: CiStatus) -> str:
    own = _names(each.name for each in status.ignored)
    if not own:
        return "There are no CI checks, and policy.require_ci requires them."
    return (
        f"The only CI checks are reviewgate-gh's own ({_listed(own)}), and policy.require_ci "
        "requires others."
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
