"""Which checks are this program's own results: an approval must not rest on one of them, and none of them keeps it back.

Certain are the check run that `publish.check_run` makes and this workflow run. A job with the name of the one that asks may be the same job
in another run, another attempt or another leg of a matrix: its success is never counted. What else it says is, unless it ended
before the job that asks began and is known to be the same job, which replaces it.
"""

from collections.abc import Iterable, Sequence

from ..model.presubmit import LeftOut
from ..model.pull import Check, Ours
from .ci_result import Result, ended_before, moment, result

_WHY = {
    Ours.VERDICT: "reviewgate-gh's own verdict",
    Ours.RUN: "this workflow run",
}
_EARLIER = "an earlier run of this job"
_ALIKE = "it may be this job in another run, so its success does not count"


def split(checks: Iterable[Check], jobs: Sequence[Check]) -> tuple[list[Check], list[LeftOut]]:
    """The checks that count, and those that do not with the reason; `jobs` are the check runs of this workflow run."""
    counted: list[Check] = []
    left_out: list[LeftOut] = []
    for check in checks:
        why = _WHY[check.own] if check.own else _why(check, jobs)
        if why:
            left_out.append(LeftOut(check.name, check.app, why))
        else:
            counted.append(check)
    return counted, left_out


def _why(check: Check, jobs: Sequence[Check]) -> str:
    """Why somebody's check does not count; "" where it does."""
    alike = [job for job in jobs if _may_be(check, job)]
    began = max((at for job in alike if _is(check, job) and (at := moment(job.started))), default=None)
    if began and ended_before(check, began):
        return _EARLIER
    return _ALIKE if alike and result(check) in (Result.PASSED, Result.NOT_RUN) else ""


def _is(check: Check, job: Check) -> bool:
    """It is the same job, in this run or in another one of its workflow."""
    return check.name == job.name and ((bool(check.run) and check.run == job.run) or (_known(check) and check.workflow == job.workflow))


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

    https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
    """
    return name.partition(" (")[0]
