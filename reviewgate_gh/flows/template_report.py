"""A template's result as a person or a machine reads it, kept, and as an exit code."""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..model.exits import Exit
from ..model.values import dataclass
from ..reporters._doors import block, data, inert_json, line
from ..reporters._look import Look
from ..reporters._paint import Row, paint
from ..system.store import RESULT, save_review
from ..system.world import World
from ..templates.result import ReviewFinding, ReviewResult, Severity, Verdict
from .deliver import emit, look, render, write
from .template_side import Side

_EXITS = {Verdict.PASS: Exit.OK, Verdict.CONCERNS: Exit.BLOCK, Verdict.FAIL: Exit.BLOCK, Verdict.UNKNOWN: Exit.INCONCLUSIVE}
_VERDICTS = {Verdict.PASS: "bold green", Verdict.CONCERNS: "bold yellow", Verdict.FAIL: "bold red", Verdict.UNKNOWN: "bold magenta"}
_SEVERITIES = {Severity.FAIL: "bold red", Severity.CONCERN: "yellow", Severity.PASS: "green"}
_WORST_FIRST = (Severity.FAIL, Severity.CONCERN, Severity.PASS)
_INDENT = " " * 9
_LONGEST = 60  # lines of a finding


@dataclass(frozen=True, slots=True)
class Shown:
    """Where the result goes: its form, a file instead of standard output, and whether the verdict may set the exit code."""

    form: str = "terminal"
    path: Path | None = None
    exit_zero: bool = False


def deliver_result(result: ReviewResult, side: Side, wanted: Shown, world: World) -> int:
    """Print or write the result, keep it, and return the exit code."""
    plain, review_id = as_json(result), world.new_id()
    _keep(plain, review_id, side)
    if not side.own and not world.in_ci and not side.is_head:
        print(
            f"reviewgate-gh: config, templates and rules come from {_base(side)}; use --trusted to take those in the work tree",
            file=sys.stderr,
        )
    text = plain if wanted.form == "json" else _drawn(result, review_id, side, wanted, world)
    if wanted.path is None:
        emit(text)
    else:
        write(wanted.path, text)
        print(f"{_headline(result)} · written to {line(str(wanted.path))}", file=sys.stderr)
    return Exit.OK if wanted.exit_zero else _EXITS[result.verdict]


def _base(side: Side) -> str:
    """In words where what counts comes from."""
    return f"{side.commit[:12]}, the merge base with the default branch" if side.commit else "nowhere: no default branch is known"


def _drawn(result: ReviewResult, review_id: str, side: Side, wanted: Shown, world: World) -> str:
    """As text for a terminal, or by one of the gate's reporters."""
    style = look(world) if wanted.path is None else Look()
    if wanted.form == "terminal":
        return as_text(result, style)
    from .template_findings import as_report

    return render(as_report(result, review_id, side, world), wanted.form, style)


def as_json(result: ReviewResult) -> str:
    """The result's `to_dict` as ASCII JSON, secrets redacted."""
    return inert_json(json.dumps(_redacted(result.to_dict()), indent=2) + "\n")


def as_text(result: ReviewResult, style: Look) -> str:
    """The findings, the worst first, then the verdict in one line."""
    return paint(_rows(result, style.width), style)


def _redacted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _redacted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_redacted(each) for each in value]
    return data(value) if isinstance(value, str) else value


def _rows(result: ReviewResult, width: int) -> Iterator[Row]:
    for severity in _WORST_FIRST:
        for finding in result.findings:
            if finding.severity is severity:
                yield from _finding(finding, width)
    if result.verdict is Verdict.UNKNOWN and result.raw_output.strip():
        yield [("The answer was:", "bold")]
        yield from ([(text, "dim")] for text in block(result.raw_output).strip().splitlines()[:_LONGEST])
        yield []
    if result.error:
        yield [(f"incomplete: {line(result.error, 600)}", "red")]
    name, verdict, *rest = _headline(result).split(" · ")
    yield [(f"{name} · ", ""), (verdict, _VERDICTS[result.verdict]), ("".join(f" · {part}" for part in rest), "")]


def _finding(finding: ReviewFinding, width: int) -> Iterator[Row]:
    place = f"{line(finding.file_ref)}{' (no such file)' if finding.missing else ''}  " if finding.file_ref else ""
    yield [(f"{finding.severity.value:<7}", _SEVERITIES[finding.severity]), ("  ", ""), (place, "bold"), (line(finding.title), "")]
    room = max(width - len(_INDENT), 20)
    wrapped = [part for text in block(finding.description).splitlines() for part in textwrap.wrap(text, room) or [""]]
    yield from ([(f"{_INDENT}{part}", "")] for part in wrapped[:_LONGEST])
    if len(wrapped) > _LONGEST:
        yield [(f"{_INDENT}… {len(wrapped) - _LONGEST} more lines (see --output json)", "dim")]
    yield []


def _headline(result: ReviewResult) -> str:
    counts = [(sum(finding.severity is severity for finding in result.findings), severity.value.lower()) for severity in _WORST_FIRST]
    named = [f"{number} {word}" for number, word in counts if number]
    return " · ".join([f"reviewgate-gh review {result.template_name}", result.verdict.value, *named, f"by {line(result.reviewer)}"])


def _keep(plain: str, review_id: str, side: Side) -> None:
    """Keep the result beside the gate's reports; a disk that refuses changes no verdict."""
    if side.git is None:
        return
    try:
        save_review(side.git.common, review_id, plain, RESULT)
    except OSError as error:
        print(f"reviewgate-gh: this result could not be saved: {error.strerror}", file=sys.stderr)
