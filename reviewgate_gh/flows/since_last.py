"""`review --since-last`: each review by hand begins where the last one ended."""

import sys

from ..model.errors import GateError, UsageError
from ..model.report import Outcome, Report
from ..model.selection import Selection
from ..reporters._doors import line
from ..system.git import Git
from ..system.git.baselines import has_commit
from ..system.run_store import run_store
from .runs import CLI_KEY, advance


def since_last(git: Git) -> Selection:
    """From the commit that was reviewed last, else the first of the run, to HEAD; without either what a plain review takes.

    Raises:
        UsageError: that commit is not here any more.
    """
    run = run_store(git).load()
    last = (run.last_cumulative_review_commits.get(CLI_KEY) or run.run_start_commit) if run else None
    if last and not has_commit(git, last):
        raise UsageError(f"the commit that was reviewed last, {last[:12]}, is not here", "name where to begin: --base REF or --range A..B")
    return Selection(range=f"{last}..HEAD") if last else Selection()


def note_reviewed(report: Report, before: Selection, git: Git) -> None:
    """The next one begins at this head after a pass or concerns: what blocks would else be forgotten, for a review by hand makes no
    issues. A disk that refuses changes no verdict."""
    if report.skipped or report.verdict.outcome not in (Outcome.PASS, Outcome.CONCERNS):
        return
    try:
        advance(run_store(git), git, CLI_KEY, before.range.partition("..")[0], report.change.head)
    except GateError as error:
        print(f"reviewgate-gh: what was reviewed is not remembered: {line(error.message)}", file=sys.stderr)
