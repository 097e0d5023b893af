"""Issues, reports and trackers for the tests of tracking."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from reviewgate_gh.model.finding import Finding, Priority, Quoted, State
from reviewgate_gh.model.report import Outcome, Report, Reviewed, ReviewRow, Verdict
from reviewgate_gh.model.review import Status as Answered
from reviewgate_gh.model.tracked import Occasion, Tracked
from reviewgate_gh.steps.tracking import wanted
from reviewgate_gh.system import plugins
from reviewgate_gh.system.site import Site

BASE, HEAD = "1a" * 20, "2b" * 20
EVIL = Finding(
    Priority.P1, "security", "ruff/S307", "src/app.py", 12, 13, "Use of eval", "It runs what it is given.", sources=("ruff",), placed=True,
    excerpt=(Quoted(11, "def f(x):"), Quoted(12, "    return eval("), Quoted(13, "        x)")),
)  # fmt: skip


def evil(number: int) -> Finding:
    """One of many different findings."""
    return replace(EVIL, excerpt=(Quoted(12, f"eval({number})"),), line_start=12 + number, line_end=12 + number)


def report_of(*findings: Finding, trusted: bool = True, outcome: Outcome = Outcome.BLOCK, base: str = BASE, head: str = HEAD) -> Report:
    """A report that found exactly these."""
    counts = {f.priority.value: 1 for f in findings if f.state is State.OPEN}
    return Report(
        review_id="20260102T030405Z-0badcafe", change=Reviewed(base, head, trusted, base),
        reviews=(ReviewRow("linters", "ruff", Answered.OK, len(findings)),), findings=findings, verdict=Verdict(outcome, (), counts),
    )  # fmt: skip


def issue(finding: Finding = EVIL, **context: Any) -> Tracked:
    """What a tracker should hold of a finding."""
    [made] = wanted(report_of(finding), Occasion(**context))
    return made


@dataclass(frozen=True)
class Kept:
    """A tracker of a test."""

    name: str
    site: Site
    options: dict[str, Any]
    raw: Callable[[], int]  # how many issues there really are, seen from outside

    def open(self) -> AbstractContextManager[Any]:
        module = plugins.load("trackers", self.name)
        return module.opened(module.Options(**self.options), replace(self.site, told=[]))
