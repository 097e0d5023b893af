"""A template's result in the gate's own words: findings with priorities, one of four outcomes, a report that every reporter draws."""

import re
from pathlib import Path

from .. import __version__
from ..model.finding import Finding, Priority
from ..model.report import Outcome, Report, Reviewed, ReviewRow
from ..model.report import Verdict as Judged
from ..model.review import Status
from ..steps.patterns import gather_patterns
from ..system.world import World
from ..templates.result import ReviewFinding, ReviewResult, Severity, Verdict
from .template_side import Side

_OUTCOMES = {
    Verdict.PASS: Outcome.PASS,
    Verdict.CONCERNS: Outcome.CONCERNS,
    Verdict.FAIL: Outcome.BLOCK,
    Verdict.UNKNOWN: Outcome.INCONCLUSIVE,
}
_PRIORITIES = {Severity.FAIL: Priority.P1, Severity.CONCERN: Priority.P2}
_P0 = re.compile(r"\[P0\]\s*")
_MISSING = "This file does not exist."


def as_report(result: ReviewResult, review_id: str, side: Side, world: World) -> Report:
    """The result as a report of the gate; what passed is no finding."""
    head = (side.git.resolve("HEAD") if side.git else "") or ""
    findings = tuple(_finding(found, result, side) for found in result.findings if found.severity is not Severity.PASS)
    counts = {priority.value: sum(found.priority is priority for found in findings) for priority in Priority}
    status = Status.FAILED if result.error else Status.OK
    row = ReviewRow(result.reviewer, result.template_name, status, found=len(findings), error=result.error)
    reasons = (result.error,) if result.error else (f"the verdict of the template {result.template_name} is {result.verdict.value}",)
    return Report(
        review_id=review_id,
        change=Reviewed(side.commit or head, head, side.own, side.commit or head),
        reviews=(row,),
        findings=gather_patterns(findings),
        verdict=Judged(_OUTCOMES[result.verdict], () if result.verdict is Verdict.PASS else reasons, counts),
        tools={"reviewgate-gh": __version__},
        actor=world.env.get("GITHUB_ACTOR") or (side.git.user[0] if side.git else ""),
        started=result.timestamp.isoformat(timespec="seconds"),
        finished=world.now(),
    )


def _finding(found: ReviewFinding, result: ReviewResult, side: Side) -> Finding:
    urgent = _P0.match(found.title)
    path, start, end = _place(found, result, side)
    return Finding(
        priority=Priority.P0 if urgent and found.severity is Severity.FAIL else _PRIORITIES[found.severity],
        category="review",
        rule=f"template/{result.template_name}",
        path=path,
        line_start=start,
        line_end=end,
        title=_P0.sub("", found.title, count=1) if urgent else found.title,
        body=found.description,
        placed=True,
        sources=(result.reviewer,),
        note=_MISSING if found.missing else "",
    )


def _place(found: ReviewFinding, result: ReviewResult, side: Side) -> tuple[str, int, int]:
    """Path within the repository and lines; without a place of its own a finding is about the document as a whole."""
    path, _, lines = (found.file_ref or result.input_files.get("input") or ".").partition(":")
    numbers = [int(number[:9]) for number in lines.split("-") if number.isdigit()] or [0]
    tree, here = side.git.tree if side.git else None, Path(result.input_files.get("cwd", "."), path)
    inside = tree and here.is_absolute() and here.is_relative_to(tree) and not (tree / path).exists()
    return str(here.relative_to(tree)) if tree and inside else path, numbers[0], max(numbers)
