"""List the findings of the latest review that is kept here, without reviewing again. They are as
old as that review: call review for a verdict on the present state.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...git import Git
from ...git.tree_files import uncommitted_files
from ...model.errors import UsageError
from ...model.finding import FindingState
from ...model.report import Report
from ...tools.waive import kept_reports
from ..call import Call
from ..rows import FindingRow, finding_row, open_rows, row_lines

TITLE = "List the findings of the last review"
WRITES = False
REACHES_OUT = False


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Which findings, and which part of the list."""

    state: Annotated[
        Literal["open", "not_open"],
        Meta(description="not_open: waived, dismissed, old, duplicate or refuted ones"),
    ] = "open"
    offset: Annotated[int, Meta(ge=0)] = 0
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class Result(Struct, frozen=True):
    """Findings, of which review they are, and what has changed since."""

    findings: tuple[FindingRow, ...]
    total: int
    offset: int
    verdict: Annotated[str, Meta(description="of that review, not of the present state")]
    reviewed: Annotated[str, Meta(description="how that review stands to the present state")]
    is_present: Annotated[
        bool, Meta(description="whether it reviewed what HEAD is now, and no file differs")
    ]
    review_id: str
    finished: str


def run(arguments: Arguments, call: Call) -> Result:
    """A part of the list.

    Raises:
        UsageError: no review is kept.
    """
    git = call.open_repository()
    report = latest_report(git)
    rows = open_rows(report) if arguments.state == "open" else _others(report)
    present, words = _standing(report, git)
    return Result(
        tuple(rows[arguments.offset : arguments.offset + arguments.limit]),
        len(rows),
        arguments.offset,
        report.verdict.outcome.value,
        words,
        present,
        report.review_id,
        report.finished,
    )


def latest_report(git: Git) -> Report:
    """The report of the last review.

    Raises:
        UsageError: there is none.
    """
    report = next(kept_reports(git), None)
    if report is None:
        raise UsageError("no review is kept in this clone", "call review first")
    return report


def text(result: Result) -> str:
    """The findings, a line each."""
    lines = [
        f"The last review ({result.finished}) said {result.verdict}. {result.reviewed}",
        *row_lines(result.findings, result.total - result.offset),
    ]
    return "\n".join(lines if result.findings else [*lines, "There are no such findings."])


def _others(report: Report) -> list[FindingRow]:
    return [
        finding_row(each, report.threshold)
        for each in report.findings
        if each.state is not FindingState.OPEN
    ]


def _standing(report: Report, git: Git) -> tuple[bool, str]:
    if report.change.head != git.resolve("HEAD"):
        return False, "It is not about the commit that HEAD is at now: call review for a verdict."
    if git.tree and uncommitted_files(git, untracked=True):
        return False, "Files have changed since that are not committed: call review for a verdict."
    return True, "It is about the commit that HEAD is at now."
