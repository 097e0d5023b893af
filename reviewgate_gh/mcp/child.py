"""A review in a process of its own.

A call can be cancelled, and a review that runs on a thread of this process could not be ended: it
would go on with all the programs that it has started. So it is the command of the same name, which
ends with everything that it started when it is told to.
"""

import sys
import threading
import time
from collections.abc import Sequence

from ..model.errors import GateError, InternalError
from ..model.report import Report
from ..reporters.json import load_report
from ..system.process import ProcessResult, run_process
from ..text.safe import safe_line
from .call import Call, Cancelled

_LONGEST = 6 * 3600.0  # seconds; a review ends at its own deadline, long before
_EACH = 1.0  # seconds between two messages of progress
_one_at_a_time = threading.Lock()  # two would compete for the same cores


def review_in_child(options: Sequence[str], call: Call) -> tuple[Report, int]:
    """The report of `review` with these options, and its exit code.

    Raises:
        GateError: it gave no verdict.
        Cancelled: the client does not want it any more.
    """
    while not _one_at_a_time.acquire(timeout=0.1):
        _check(call)
    try:
        return _ended(_run(options, call))
    finally:
        _one_at_a_time.release()


def _run(options: Sequence[str], call: Call) -> ProcessResult:
    # -P: nothing is imported from the folder under review
    argv = [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--output", "json", *options]
    began = told = time.monotonic()

    def look() -> str:
        nonlocal told
        if call.is_cancelled():
            return "cancelled"
        if time.monotonic() - told >= _EACH:
            told = time.monotonic()
            call.tell(f"reviewing, {told - began:.0f} s")
        return ""

    call.tell("reviewing")
    done = run_process(
        argv,
        cwd=call.repo.resolve(),
        env=call.environment.variables,
        deadline=_LONGEST,
        unwanted=look,
    )
    _check(call)
    return done


def _check(call: Call) -> None:
    if call.is_cancelled():
        raise Cancelled


def _ended(done: ProcessResult) -> tuple[Report, int]:
    try:
        output = done.out.decode("utf-8", "replace")
        words = done.err.removeprefix("reviewgate-gh: ").splitlines()
        said = safe_line("; ".join(word.strip() for word in words), 1_000)
        if done.code is None:
            raise GateError(f"the review was stopped: {done.killed_reason}", "call review again")
        if not output.strip():
            raise GateError(said or f"the review ended without a report, exit code {done.code}")
        return load_report(output), done.code
    except ValueError as error:
        raise InternalError(f"the review's report cannot be read: {error}") from None
    finally:
        done.close()
