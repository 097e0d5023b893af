"""A template's result as a report: findings with priorities, printed, kept, and turned into an exit
code."""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from .. import __version__
from ..findings.merge import merge_patterns
from ..gate.deliver import output_style, render_report, write_report_file, write_stdout
from ..model.errors import Exit
from ..model.finding import Finding, Priority
from ..model.report import Outcome, Report, ReviewedChange, ReviewRow
from ..model.report import Verdict as Judged
from ..model.review import ReviewStatus
from ..reporters._layout import StyledRow, render_rows
from ..reporters._look import OutputStyle
from ..system.environment import Environment
from ..system.files import RESULT_FILE, save_review
from ..text.patterns import lazy_pattern
from ..text.safe import json_without_commands, safe_block, safe_data, safe_line
from .result import ReviewFinding, ReviewResult, Severity, Verdict
from .trusted_side import TrustedSide

_EXITS = {
    Verdict.PASS: Exit.OK,
    Verdict.CONCERNS: Exit.BLOCK,
    Verdict.FAIL: Exit.BLOCK,
    Verdict.UNKNOWN: Exit.INCONCLUSIVE,
}
_VERDICTS = {
    Verdict.PASS: "bold green",
    Verdict.CONCERNS: "bold yellow",
    Verdict.FAIL: "bold red",
    Verdict.UNKNOWN: "bold magenta",
}
_SEVERITIES = {Severity.FAIL: "bold red", Severity.CONCERN: "yellow", Severity.PASS: "green"}
_WORST_FIRST = (Severity.FAIL, Severity.CONCERN, Severity.PASS)
_INDENT = " " * 9
_LONGEST = 60  # lines of a finding


class TemplateDelivery(Struct, frozen=True):
    """Where the result goes: its form, a file instead of standard output, and whether the verdict
    may set the exit code."""

    form: str = "terminal"
    path: Path | None = None
    exit_zero: bool = False


def deliver_result(
    result: ReviewResult, side: TrustedSide, wanted: TemplateDelivery, environment: Environment
) -> int:
    """Print or write the result, keep it, and return the exit code."""
    plain, review_id = result_json(result), environment.new_id()
    _keep(plain, review_id, side)
    if not side.all_approved and not environment.in_ci and not side.is_head:
        print(
            f"reviewgate-gh: config, templates and rules come from {_base(side)}; use --trusted "
            "to take those in the work tree",
            file=sys.stderr,
        )
    text = plain if wanted.form == "json" else _drawn(result, review_id, side, wanted, environment)
    if wanted.path is None:
        write_stdout(text)
    else:
        write_report_file(wanted.path, text)
        print(f"{_headline(result)} · written to {safe_line(str(wanted.path))}", file=sys.stderr)
    return Exit.OK if wanted.exit_zero else _EXITS[result.verdict]


def _base(side: TrustedSide) -> str:
    """In words where what counts comes from."""
    return (
        f"{side.commit[:12]}, the merge base with the default branch"
        if side.commit
        else "nowhere: no default branch is known"
    )


def _drawn(
    result: ReviewResult,
    review_id: str,
    side: TrustedSide,
    wanted: TemplateDelivery,
    environment: Environment,
) -> str:
    """As text for a terminal, or by one of the gate's reporters."""
    style = output_style(environment) if wanted.path is None else OutputStyle()
    if wanted.form == "terminal":
        return result_text(result, style)

    return render_report(report_of_result(result, review_id, side, environment), wanted.form, style)


def result_json(result: ReviewResult) -> str:
    """The result's `to_dict` as ASCII JSON, secrets redacted."""
    return json_without_commands(json.dumps(_redacted(result.to_dict()), indent=2) + "\n")


def result_text(result: ReviewResult, style: OutputStyle) -> str:
    """The findings, the worst first, then the verdict in one line."""
    return render_rows(_rows(result, style.width), style)


def _redacted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _redacted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_redacted(each) for each in value]
    return safe_data(value) if isinstance(value, str) else value


def _rows(result: ReviewResult, width: int) -> Iterator[StyledRow]:
    for severity in _WORST_FIRST:
        for finding in result.findings:
            if finding.severity is severity:
                yield from _finding_shown(finding, width)
    if result.verdict is Verdict.UNKNOWN and result.raw_output.strip():
        yield [("The answer was:", "bold")]
        yield from (
            [(text, "dim")]
            for text in safe_block(result.raw_output).strip().splitlines()[:_LONGEST]
        )
        yield []
    if result.error:
        yield [(f"incomplete: {safe_line(result.error, 600)}", "red")]
    name, verdict, *rest = _headline(result).split(" · ")
    yield [
        (f"{name} · ", ""),
        (verdict, _VERDICTS[result.verdict]),
        ("".join(f" · {part}" for part in rest), ""),
    ]


def _wrong_place(finding: ReviewFinding) -> str:
    if finding.missing:
        return "No such file."
    return "No such line in this file." if finding.beyond_end else ""


def _finding_shown(finding: ReviewFinding, width: int) -> Iterator[StyledRow]:
    why = _wrong_place(finding).rstrip(".")
    place = (
        f"{safe_line(finding.file_ref)}{f' ({why.lower()})' if why else ''}  "
        if finding.file_ref
        else ""
    )
    yield [
        (f"{finding.severity.value:<7}", _SEVERITIES[finding.severity]),
        ("  ", ""),
        (place, "bold"),
        (safe_line(finding.title), ""),
    ]
    room = max(width - len(_INDENT), 20)
    wrapped = [
        part
        for text in safe_block(finding.description).splitlines()
        for part in textwrap.wrap(text, room) or [""]
    ]
    yield from ([(f"{_INDENT}{part}", "")] for part in wrapped[:_LONGEST])
    if len(wrapped) > _LONGEST:
        yield [(f"{_INDENT}… {len(wrapped) - _LONGEST} more lines (see --output json)", "dim")]
    yield []


def _headline(result: ReviewResult) -> str:
    counts = [
        (sum(finding.severity is severity for finding in result.findings), severity.value.lower())
        for severity in _WORST_FIRST
    ]
    named = [f"{number} {word}" for number, word in counts if number]
    return " · ".join(
        [
            f"reviewgate-gh review {result.template_name}",
            result.verdict.value,
            *named,
            f"by {safe_line(result.reviewer)}",
        ]
    )


def _keep(plain: str, review_id: str, side: TrustedSide) -> None:
    """Keep the result beside the gate's reports; a disk that refuses changes no verdict."""
    if side.git is None:
        return
    try:
        save_review(side.git.common, review_id, plain, RESULT_FILE)
    except OSError as error:
        print(f"reviewgate-gh: this result could not be saved: {error.strerror}", file=sys.stderr)


_OUTCOMES = {
    Verdict.PASS: Outcome.PASS,
    Verdict.CONCERNS: Outcome.CONCERNS,
    Verdict.FAIL: Outcome.BLOCK,
    Verdict.UNKNOWN: Outcome.INCONCLUSIVE,
}
_PRIORITIES = {Severity.FAIL: Priority.P1, Severity.CONCERN: Priority.P2}
_P0 = lazy_pattern(r"\[P0\]\s*")


def report_of_result(
    result: ReviewResult, review_id: str, side: TrustedSide, environment: Environment
) -> Report:
    """The result as a report of the gate; what passed is no finding."""
    head = (side.git.resolve("HEAD") if side.git else "") or ""
    findings = tuple(
        _finding(found, result, side)
        for found in result.findings
        if found.severity is not Severity.PASS
    )
    counts = {
        priority.value: sum(found.priority is priority for found in findings)
        for priority in Priority
    }
    status = ReviewStatus.FAILED if result.error else ReviewStatus.OK
    row = ReviewRow(
        result.reviewer, result.template_name, status, found=len(findings), error=result.error
    )
    reasons = (
        (result.error,)
        if result.error
        else (f"the verdict of the template {result.template_name} is {result.verdict.value}",)
    )
    return Report(
        review_id=review_id,
        change=ReviewedChange(side.commit or head, head, side.all_approved, side.commit or head),
        reviews=(row,),
        findings=merge_patterns(findings),
        verdict=Judged(
            _OUTCOMES[result.verdict], () if result.verdict is Verdict.PASS else reasons, counts
        ),
        tools={"reviewgate-gh": __version__},
        actor=environment.variables.get("GITHUB_ACTOR") or (side.git.user[0] if side.git else ""),
        started=result.timestamp.isoformat(timespec="seconds"),
        finished=environment.now(),
    )


def _finding(found: ReviewFinding, result: ReviewResult, side: TrustedSide) -> Finding:
    urgent = _P0.match(found.title)
    path, start, end = _place(found, result, side)
    return Finding(
        priority=Priority.P0
        if urgent and found.severity is Severity.FAIL
        else _PRIORITIES[found.severity],
        category="review",
        rule=f"template/{result.template_name}",
        path=path,
        line_start=start,
        line_end=end,
        title=_P0.sub("", found.title, count=1) if urgent else found.title,
        body=found.description,
        placed=True,
        sources=(result.reviewer,),
        note=_wrong_place(found),
    )


def _place(found: ReviewFinding, result: ReviewResult, side: TrustedSide) -> tuple[str, int, int]:
    """Path within the repository and lines; without a place of its own a finding is about the
    document as a whole."""
    path, _, lines = (found.file_ref or result.input_files.get("input") or ".").partition(":")
    numbers = [int(number[:9]) for number in lines.split("-") if number.isdigit()] or [0]
    tree, here = side.git.tree if side.git else None, Path(result.input_files.get("cwd", "."), path)
    inside = (
        tree and here.is_absolute() and here.is_relative_to(tree) and not (tree / path).exists()
    )
    return str(here.relative_to(tree)) if tree and inside else path, numbers[0], max(numbers)
