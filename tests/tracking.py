"""Issues, reports and trackers for the tests of tracking."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from reviewgate_gh.issues.plan import issues_of_report
from reviewgate_gh.issues.tracked import IssueOrigin, TrackedIssue, Workspace
from reviewgate_gh.model.finding import Finding, FindingState, Priority, QuotedLine
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, ReviewRow, Verdict
from reviewgate_gh.model.review import ReviewStatus as Answered
from reviewgate_gh.system import plugins

BASE, HEAD = "1a" * 20, "2b" * 20
EVIL = Finding(
    Priority.P1, "security", "ruff/S307", "src/app.py", 12, 13, "Use of eval",
    "It runs what it is given.", sources=("ruff",), placed=True,
    excerpt=(QuotedLine(11, "def f(x):"), QuotedLine(12, "    return eval("),
        QuotedLine(13, "        x)")),
)  # fmt: skip


def evil(number: int) -> Finding:
    """One of many different findings."""
    return replace(
        EVIL,
        code=f"{number:016}",
        line_start=12 + number,
        line_end=12 + number,
    )


def report_of(
    *findings: Finding,
    trusted: bool = True,
    outcome: Outcome = Outcome.BLOCK,
    base: str = BASE,
    head: str = HEAD,
) -> Report:
    """A report that found exactly these."""
    counts = {f.priority.value: 1 for f in findings if f.state is FindingState.OPEN}
    return Report(
        review_id="20260102T030405Z-0badcafe", change=ReviewedChange(base, head, trusted, base),
        reviews=(ReviewRow("linters", "ruff", Answered.OK, len(findings)),), findings=findings,
        verdict=Verdict(outcome, (), counts),
    )  # fmt: skip


def issue(finding: Finding = EVIL, **context: Any) -> TrackedIssue:
    """What a tracker should hold of a finding."""
    [made] = issues_of_report(report_of(finding), IssueOrigin(**context))
    return made


@dataclass(frozen=True)
class Kept:
    """A tracker of a test."""

    name: str
    site: Workspace
    options: dict[str, Any]
    raw: Callable[[], int]  # how many issues there really are, seen from outside

    def open(self) -> AbstractContextManager[Any]:
        module = plugins.load("trackers", self.name)
        return module.opened(module.Options(**self.options), replace(self.site, messages=[]))
