"""For a person at a terminal or in the log of a push."""

from collections.abc import Iterator

from ..model.finding import Finding, Priority
from ..model.report import Outcome, Report
from ..text.safe import safe_block, safe_line
from . import _models, _words
from ._frame import INDENT, frame_rows, suggestion_rows
from ._layout import StyledRow, file_url, fit_row, render_rows, text_width, wrap_words
from ._links import rule_page
from ._look import OutputStyle

_BODY_LINES = 30
# Characters, more than 30 lines of any terminal
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
        (safe_line(finding.position), "bold"),
        (f"  {safe_line(finding.title)}", ""),
        (f"  ({_origin(finding)})", "dim"),
    ]


def finding_rows(finding: Finding, style: OutputStyle, *, named: bool) -> Iterator[StyledRow]:
    """All of it: place and title, rule and sources, the code, the remark, the suggestion; with its
    fingerprint where it is `named`."""
    room = max(style.width - len(INDENT), 20)
    yield from _heading(finding, style)
    origin = _origin(finding)
    url = rule_page(finding) if style.root else ""
    about: StyledRow = [
        (INDENT, ""),
        (origin, f"dim link {url}" if url else "dim"),
        (f" · {finding.fingerprint}" if named else "", "dim"),
    ]
    yield from fit_row(about, style)
    yield from frame_rows(finding, room, style.color)
    yield from _prose(finding.body, room)
    yield from _prose(finding.note, room)
    if others := _words.other_places(finding):
        yield from _prose(f"Also at {_words.join_first(others, 5)}", room)
    yield from suggestion_rows(finding, room)


def _badge(finding: Finding) -> StyledRow:
    return [(finding.priority.value, _PRIORITY_STYLES[finding.priority]), ("  ", "")]


def _heading(finding: Finding, style: OutputStyle) -> Iterator[StyledRow]:
    place, title = safe_line(finding.position), safe_line(finding.title)
    bold = f"bold link {file_url(style.root, finding.path)}" if style.root else "bold"
    if len(INDENT) + text_width(place) + 2 + text_width(title) <= style.width:
        yield [*_badge(finding), (place, bold), (f"  {title}", "")]
        return
    yield [*_badge(finding), (place, bold)]
    for part in wrap_words(title, max(style.width - len(INDENT), 20)):
        yield [(INDENT + part, "")]


def _origin(finding: Finding) -> str:
    return " · ".join(
        filter(
            None,
            [safe_line(_words.rule_or_category(finding)), safe_line(", ".join(finding.sources))],
        )
    )


def _prose(text: str, room: int) -> Iterator[StyledRow]:
    if not text.strip():
        return
    shown = safe_block(text).strip()
    wrapped = [
        part
        for paragraph in shown[:_MOST_PROSE].splitlines()
        for part in wrap_words(paragraph, room) or [""]
    ]
    yield []
    for part in wrapped[:_BODY_LINES]:
        yield [(INDENT + part, "")]
    if len(wrapped) > _BODY_LINES:
        more = (
            "more"
            if len(shown) > _MOST_PROSE
            else _words.count_noun(len(wrapped) - _BODY_LINES, "more line")
        )
        yield [(f"{INDENT}… {more}", "dim")]


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
    certain, doubtful = _words.confident_findings(report), _words.uncertain_findings(report)
    nothing = report.verdict.outcome is Outcome.PASS and not certain and not doubtful
    if style.quiet and nothing and not report.skipped:
        return
    yield from _findings(certain, report, style)
    if doubtful:
        yield [("Needs Human Review", "bold")]
        yield []
        yield from _findings(doubtful, report, style)
    if style.verbose:
        yield from _set_aside(report, style)
    asides = [] if style.quiet else list(_asides(report, style))
    if nothing:
        asides = [[("; ".join(text for row in asides for text, _ in row), "dim")]] if asides else []
    for row in asides:
        yield from fit_row(row, style)
    if not style.quiet:
        yield from _commands(report, style)
    if report.skipped:
        yield [(f"THE GATE WAS OVERRIDDEN: {safe_line(report.skipped)}", "bold white on red")]
    yield from _summary(report, style)


def _findings(findings: list[Finding], report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    was_card = False
    for finding in findings[:MAX_FINDINGS]:
        if finding.priority is Priority.P3:
            yield from fit_row(compact_row(finding), style)
        else:
            named = style.verbose or finding.priority.reaches(report.threshold)
            yield from finding_rows(finding, style, named=named)
            yield []
        was_card = finding.priority is not Priority.P3
    if len(findings) > MAX_FINDINGS:
        yield [(f"and {len(findings) - MAX_FINDINGS:,} more (see --output json)", "bold")]
    if findings and (not was_card or len(findings) > MAX_FINDINGS):
        yield []


def _set_aside(report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    """What is not open: what each said, and what became of it."""
    findings = _words.set_aside_findings(report)
    for finding in findings[:MAX_FINDINGS]:
        yield from fit_row(compact_row(finding), style)
        yield from _prose(finding.body, max(style.width - len(INDENT), 20))
        yield [(f"{INDENT}{safe_line(_words.state_text(finding), 600)}", "dim")]
    if len(findings) > MAX_FINDINGS:
        yield [(f"and {len(findings) - MAX_FINDINGS:,} more (see --output json)", "bold")]
    if findings:
        yield []


def _asides(report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    """What is no open finding: a row each."""
    if aside := _words.set_aside_text(report):
        yield [(f"set aside: {aside}", "dim")]
    gaps = _words.inconclusive_reasons(report)
    for ended in _words.review_end_texts(_words.reviews_without_answer(report)):
        if ended not in gaps:
            yield [(safe_line(ended), "dim")]
    yield from _listed("note", [*report.change.notes, *report.notices], "dim")
    if report.verdict.quorum:
        yield [(f"models: {safe_line(report.verdict.quorum, 600)}", "dim")]
    if shown := _models.context_summary(report):
        yield [(f"models were also shown {shown} (listed by --output json or markdown)", "dim")]
    yield from _listed("usage", _models.usage_lines(report), "dim")
    yield from _listed("incomplete", gaps, "red")
    if report.coverage.reason and report.coverage.reason not in gaps:
        yield [(safe_line(report.coverage.reason, 600), "yellow")]
    yield from _listed("to get it reviewed", list(report.coverage.advice), "dim")


def _commands(report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    """What to type next, each whole on one row, so that it can be copied."""
    if style.terminal and (fixes := len(_words.suggested_findings(report))):
        many = _words.count_noun(fixes, "suggestion")
        yield from _command(f"To apply {many}:", "fix", style)
    if report.verdict.outcome is Outcome.BLOCK and not report.skipped:
        first = next(iter(_words.confident_findings(report)), None)
        name = first.fingerprint if first else "FINGERPRINT"
        yield from _command("A false alarm?", f"waive add {name} --reason 'WHY'", style)


def _command(what: str, verb: str, style: OutputStyle) -> Iterator[StyledRow]:
    typed = f"{_words.PROGRAM_NAME} {verb}"
    if not style.terminal or len(what) + 1 + len(typed) <= style.width:
        yield [(f"{what} {typed}", "dim")]
    else:
        yield [(what, "dim")]
        yield [(INDENT + typed, "dim")]


def _listed(kind: str, texts: list[str], style: str) -> Iterator[StyledRow]:
    for text in texts[:_MOST_LISTED]:
        yield [(f"{kind}: {safe_line(text)}", style)]
    if len(texts) > _MOST_LISTED:
        yield [(f"{kind}: {len(texts) - _MOST_LISTED:,} more", style)]


def _summary(report: Report, style: OutputStyle) -> Iterator[StyledRow]:
    """The verdict; on a terminal that is too narrow for all of it, on a line of its own."""
    verdict, *rest = (safe_line(part) for part in _words.summary_parts(report))
    who = safe_line(_words.reviewers_text(report))
    length = text_width(" · ".join([f"{_words.PROGRAM_NAME}: {verdict}", *rest]))
    if style.terminal and length > style.width and who in rest:
        rest.remove(who)
        yield from fit_row([(who, "dim")], style)
    yield from fit_row(
        [
            (f"{_words.PROGRAM_NAME}: ", ""),
            (verdict, _STYLES[report.verdict.outcome]),
            ("".join(f" · {part}" for part in rest), ""),
        ],
        style,
    )
