"""For a person at a terminal or in the log of a push."""

import textwrap
from collections.abc import Iterator

from ..model.finding import Finding, Priority, QuotedLine
from ..model.report import Outcome, Report
from ..text.safe import safe_block, safe_code, safe_line
from . import _words
from ._layout import StyledRow, render_rows
from ._look import OutputStyle

_INDENT = "    "
_FRAME_LINES = 12
_BODY_LINES = 30
# Characters, more than 30 lines of any terminal: textwrap copies the rest of a word for each line
# that it fills
_MOST_PROSE = 30_000
_PRIORITY_STYLES = {
    Priority.P0: "bold white on red",
    Priority.P1: "bold red",
    Priority.P2: "yellow",
    Priority.P3: "cyan",
}


def compact_row(finding: Finding) -> StyledRow:
    """One row: for what is nice to have."""
    return [
        *_badge(finding),
        (safe_line(finding.location), "bold"),
        (f"  {safe_line(finding.title)}", ""),
        (f"  ({_origin(finding)})", "dim"),
    ]


def finding_rows(finding: Finding, width: int) -> Iterator[StyledRow]:
    """All of it: place and title, rule and sources, the code, the remark, the suggestion."""
    room = max(width - len(_INDENT), 20)
    yield from _heading(finding, width)
    yield [(f"{_INDENT}{_origin(finding)} · {finding.fingerprint}", "dim")]
    yield from _frame(finding, room)
    yield from _prose(finding.body, room)
    yield from _prose(finding.note, room)
    if others := _words.other_places(finding):
        yield from _prose(f"Also at {_words.join_first(others, 5)}", room)
    yield from _suggestion(finding, room)


def _badge(finding: Finding) -> StyledRow:
    return [(finding.priority.value, _PRIORITY_STYLES[finding.priority]), ("  ", "")]


def _heading(finding: Finding, width: int) -> Iterator[StyledRow]:
    place, title = safe_line(finding.location), safe_line(finding.title)
    if len(_INDENT) + len(place) + 2 + len(title) <= width:
        yield [*_badge(finding), (place, "bold"), (f"  {title}", "")]
        return
    yield [*_badge(finding), (place, "bold")]
    for part in textwrap.wrap(title, max(width - len(_INDENT), 20)):
        yield [(_INDENT + part, "")]


def _origin(finding: Finding) -> str:
    return " · ".join(
        filter(
            None,
            [safe_line(_words.rule_or_category(finding)), safe_line(", ".join(finding.sources))],
        )
    )


def _frame(finding: Finding, room: int) -> Iterator[StyledRow]:
    if not finding.excerpt:
        return
    digits = len(str(max(quoted.number for quoted in finding.excerpt)))
    yield []
    for quoted in finding.excerpt[:_FRAME_LINES]:
        yield _code(quoted, finding.line_start <= quoted.number <= finding.line_end, digits, room)
    if (left := len(finding.excerpt) - _FRAME_LINES) > 0:
        yield [(f"{_INDENT}  … {_words.count_noun(left, 'more line')}", "dim")]


def _code(quoted: QuotedLine, anchored: bool, digits: int, room: int) -> StyledRow:
    gutter = f"{_INDENT}{'>' if anchored else ' '} {quoted.number:>{digits}} │ "
    text = safe_code(quoted.text, max(room + len(_INDENT) - len(gutter), 20))
    return [(gutter, "red" if anchored else "dim"), (text, "" if anchored else "dim")]


def _prose(text: str, room: int) -> Iterator[StyledRow]:
    if not text.strip():
        return
    shown = safe_block(text).strip()
    wrapped = [
        part
        for paragraph in shown[:_MOST_PROSE].splitlines()
        for part in textwrap.wrap(paragraph, room) or [""]
    ]
    yield []
    for part in wrapped[:_BODY_LINES]:
        yield [(_INDENT + part, "")]
    if len(wrapped) > _BODY_LINES:
        more = (
            "more"
            if len(shown) > _MOST_PROSE
            else _words.count_noun(len(wrapped) - _BODY_LINES, "more line")
        )
        yield [(f"{_INDENT}… {more}", "dim")]


def _suggestion(finding: Finding, room: int) -> Iterator[StyledRow]:
    if finding.suggestion is None:
        return
    yield []
    lines = finding.suggestion.splitlines()
    yield [(f"{_INDENT}Suggestion: {'replace with' if lines else 'delete it'}", "green")]
    for text in lines[:_FRAME_LINES]:
        yield [(f"{_INDENT}+ {safe_code(text, max(room - 2, 20))}", "green")]
    if len(lines) > _FRAME_LINES:
        yield [(f"{_INDENT}… {_words.count_noun(len(lines) - _FRAME_LINES, 'more line')}", "dim")]


MAX_FINDINGS = 50  # findings in full, in each of the two lists
_MOST_LISTED = 20

_STYLES = {
    Outcome.PASS: "bold green",
    Outcome.CONCERNS: "bold yellow",
    Outcome.BLOCK: "bold red",
    Outcome.INCONCLUSIVE: "bold magenta",
}


def render(report: Report, style: OutputStyle) -> str:
    """The findings most severe first, then what else there is to know, then the verdict in one
    line."""
    return render_rows(_rows(report, style), style)


def _rows(report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    width = style.width
    certain, doubtful = _words.confident_findings(report), _words.uncertain_findings(report)
    yield from _findings(certain, width)
    if doubtful:
        yield [("Needs Human Review", "bold")]
        yield []
        yield from _findings(doubtful, width)
    if style.verbose:
        yield from _set_aside(report, width)
    asides = list(_asides(report))
    if report.verdict.outcome is Outcome.PASS and not certain and not doubtful:
        asides = [[("; ".join(text for row in asides for text, _ in row), "dim")]] if asides else []
    yield from asides
    if report.skipped:
        yield [(f"THE GATE WAS OVERRIDDEN: {safe_line(report.skipped)}", "bold white on red")]
    yield _summary(report)


def _findings(findings: list[Finding], width: int) -> Iterator[StyledRow]:
    was_card = False
    for finding in findings[:MAX_FINDINGS]:
        if finding.priority is Priority.P3:
            yield compact_row(finding)
        else:
            yield from finding_rows(finding, width)
            yield []
        was_card = finding.priority is not Priority.P3
    if len(findings) > MAX_FINDINGS:
        yield [(f"and {len(findings) - MAX_FINDINGS:,} more (see --output json)", "bold")]
    if findings and (not was_card or len(findings) > MAX_FINDINGS):
        yield []


def _set_aside(report: Report, width: int) -> Iterator[StyledRow]:
    """What is not open: what each said, and what became of it."""
    findings = _words.set_aside_findings(report)
    for finding in findings[:MAX_FINDINGS]:
        yield compact_row(finding)
        yield from _prose(finding.body, max(width - len(_INDENT), 20))
        yield [(f"{_INDENT}{safe_line(_words.state_text(finding), 600)}", "dim")]
    if len(findings) > MAX_FINDINGS:
        yield [(f"and {len(findings) - MAX_FINDINGS:,} more (see --output json)", "bold")]
    if findings:
        yield []


def _asides(report: Report) -> Iterator[StyledRow]:
    """What is no open finding: a row each."""
    if aside := _words.set_aside_text(report):
        yield [(aside, "dim")]
    gaps = _words.inconclusive_reasons(report)
    for ended in map(_words.review_end_text, _words.reviews_without_answer(report)):
        if ended not in gaps:
            yield [(safe_line(ended), "dim")]
    yield from _listed("note", [*report.change.notes, *report.notices], "dim")
    if report.verdict.quorum:
        yield [(f"models: {safe_line(report.verdict.quorum, 600)}", "dim")]
    if shown := _words.context_summary(report):
        yield [(f"models were also shown {shown} (listed by --output json or markdown)", "dim")]
    yield from _listed("usage", _words.usage_lines(report), "dim")
    yield from _listed("incomplete", gaps, "red")
    if report.coverage.reason and report.coverage.reason not in gaps:
        yield [(safe_line(report.coverage.reason, 600), "yellow")]
    yield from _listed("to get it reviewed", list(report.coverage.advice), "dim")
    if report.verdict.outcome is Outcome.BLOCK and not report.skipped:
        yield [(f"A false alarm? {_words.PROGRAM_NAME} waive add FINGERPRINT --reason WHY", "dim")]


def _listed(kind: str, texts: list[str], style: str) -> Iterator[StyledRow]:
    for text in texts[:_MOST_LISTED]:
        yield [(f"{kind}: {safe_line(text)}", style)]
    if len(texts) > _MOST_LISTED:
        yield [(f"{kind}: {len(texts) - _MOST_LISTED:,} more", style)]


def _summary(report: Report) -> StyledRow:
    verdict, *rest = (safe_line(part) for part in _words.summary_parts(report))
    return [
        (f"{_words.PROGRAM_NAME}: ", ""),
        (verdict, _STYLES[report.verdict.outcome]),
        ("".join(f" · {part}" for part in rest), ""),
    ]
