"""`review --since-last`: each review by hand begins where the last one ended."""

import sys

from ..model.errors import GateError, UsageError
from ..model.report import Outcome, Report
from ..model.selection import Selection
from ..reporters._doors import line
from ..steps.trigger_outcome import open_findings
from ..system.git import Git
from ..system.git.baselines import has_commit
from ..system.run_store import run_store
from .runs import CLI_KEY, advance

_OPEN = "the next review --since-last starts at the same commit again: fix or waive the open findings"


def since_last(git: Git) -> Selection:
    """From the commit that was reviewed last, else the first of the run, to HEAD; without either what a plain review takes.

    Raises:
        UsageError: that commit is not here any more.
    """
    run = run_store(git).load()
    last = (run.last_cumulative_review_commits.get(CLI_KEY) or run.run_start_commit) if run else None
    if last and not has_commit(git, last):
        raise UsageError(
            f"the last reviewed commit, {last[:12]}, is not in this clone", "name a starting point: --base REF or --range A..B"
        )
    return Selection(range=f"{last}..HEAD") if last else Selection()


def settled(report: Report) -> bool:
    """Everything was read, and no finding is open."""
    return not report.skipped and report.verdict.outcome in (Outcome.PASS, Outcome.CONCERNS) and not open_findings(report)


def note_reviewed(report: Report, before: Selection, git: Git) -> None:
    """The next review starts at this head if everything was read and no finding is open, else where this one started.

    A review by hand creates no issues, so its findings would be forgotten. A disk error does not change the verdict.
    """
    last = before.range.partition("..")[0]
    reviewed = report.change.head if settled(report) else last or git.resolve(report.change.base)
    if not reviewed:  # from the empty tree, where a first review begins anyway
        return
    if report.verdict.outcome is Outcome.CONCERNS and reviewed != report.change.head:
        print(f"reviewgate-gh: {_OPEN}", file=sys.stderr)
    try:
        advance(run_store(git), git, CLI_KEY, last, reviewed)
    except GateError as error:
        print(f"reviewgate-gh: could not record what was reviewed: {line(error.message)}", file=sys.stderr)
