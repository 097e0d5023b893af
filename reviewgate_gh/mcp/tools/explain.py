"""Explain one finding by its fingerprint, or what is known of a rule: the code, what is wrong with
it, the suggested fix, and where else it occurs.
"""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, Struct

from ...git import Git
from ...model.errors import UsageError
from ...model.finding import Finding
from ...model.report import Report
from ...reviewers.linters._explain import explain_rule
from ...text.safe import safe_line
from ...tools.waive import kept_reports
from ..call import Call
from ..rows import FindingRow, finding_row

TITLE = "Explain a finding or a rule"
WRITES = False
REACHES_OUT = False
_MOST_FINDINGS = 10


class Arguments(Struct, frozen=True, forbid_unknown_fields=True):
    """What to explain."""

    name: Annotated[
        str,
        Meta(
            description="a fingerprint, or a rule such as ruff/F821", min_length=1, max_length=300
        ),
    ]


class Result(Struct, frozen=True):
    """What the rule is for, in the words of its tool ("" where it does not say), and the findings
    of kept reviews that were asked for."""

    rule: str
    about: str
    findings: tuple[FindingRow, ...]
    total: int
    review_id: Annotated[str, Meta(description="the review that they are of")] = ""


def run(arguments: Arguments, call: Call) -> Result:
    """The finding with that fingerprint, or those of that rule.

    Raises:
        UsageError: nothing of that name is known.
    """
    git = call.open_repository()
    report, found = _found(git, arguments.name)
    rule = (found[0].rule or found[0].category) if found else arguments.name
    about = explain_rule(rule, git, call.environment)
    if not found and not about:
        raise UsageError(
            f"no kept review has a finding or a rule {arguments.name!r}, and no linter here "
            "explains it",
            "call findings for the fingerprints and rules that there are",
        )
    rows = [finding_row(each, report.threshold if report else "P1") for each in found]
    shown = tuple(rows[:_MOST_FINDINGS])
    return Result(rule, about, shown, len(rows), report.review_id if report else "")


def text(result: Result) -> str:
    """What is known, with the code."""
    return "\n".join(_lines(result))


def _lines(result: Result) -> Iterator[str]:
    yield f"{safe_line(result.rule)}: {safe_line(result.about, 600) or 'its tool says no more'}"
    for row in result.findings:
        where = f"{row.path}:{row.line}" if row.line else row.path
        yield ""
        yield safe_line(f"{row.fingerprint} [{row.priority}] {row.state} {where} {row.title}", 600)
        if row.note:
            yield safe_line(row.note, 600)
        if row.body.strip():
            yield row.body.strip()
        if row.code:
            yield f"code:\n{row.code}"
        if row.suggestion is not None:
            yield f"replace it with:\n{row.suggestion or '(nothing: delete these lines)'}"
        if row.also_at:
            yield safe_line(f"also at {', '.join(row.also_at)}", 1_000)
    if more := result.total - len(result.findings):
        yield f"and {more:,} more"


def _found(git: Git, name: str) -> tuple[Report | None, list[Finding]]:
    """The latest report that knows it, and what it knows."""
    for report in kept_reports(git):
        found = [f for f in report.findings if f.fingerprint == name] or [
            f for f in report.findings if name in (f.rule, f.category)
        ]
        if found:
            return report, found
    return None, []
