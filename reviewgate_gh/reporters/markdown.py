"""For GitHub's step summary: a verdict, a table, and the details folded away."""

from collections.abc import Callable, Iterator
from functools import partial

from ..model.finding import Finding
from ..model.report import Outcome, Report
from ..text.safe import (
    code_block,
    code_table_cell,
    markdown_paragraphs,
    markdown_words,
    table_cell,
    without_commands,
)
from . import _models, _words
from ._links import at_other_places, markdown_link, place_url, remark, rule_page
from ._look import OutputStyle

# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
MAX_BYTES = 900_000  # GitHub refuses a step summary above 1 MiB
_TABLE_BYTES = 500_000
_LISTED = 100  # reviewers, notices and unread files

_MARK = {Outcome.PASS: "✅", Outcome.CONCERNS: "⚠️", Outcome.BLOCK: "❌",
         Outcome.INCONCLUSIVE: "❔"}  # fmt: skip


def render(report: Report, style: OutputStyle) -> str:
    """The whole summary; what does not fit is counted."""
    return render_within(report, MAX_BYTES, style.repository)


def render_within(report: Report, most: int, repository: str = "") -> str:
    """The summary in about so many bytes; places are links where the repository's web address is
    known."""
    place = partial(_place, repository, report.change.head)
    certain, doubtful = _words.confident_findings(report), _words.uncertain_findings(report)
    top, bottom = "".join(_top(report)), "".join(_bottom(report))
    room = most - _size(top) - _size(bottom)
    table = _tables((certain, doubtful), place, min(room, _TABLE_BYTES))
    details = _details([*certain, *doubtful], place, room - _size(table))
    return without_commands(top + table + details + bottom)


def _top(report: Report) -> Iterator[str]:
    verdict, *rest = _words.summary_parts(report)
    yield f"## {_MARK[report.verdict.outcome]} {_words.PROGRAM_NAME}: {markdown_words(verdict)}\n\n"
    yield f"{markdown_words(' · '.join(rest), 1_000)}\n\n"
    if report.skipped:
        yield f"> **The gate was overridden:** {markdown_words(report.skipped)}\n\n"
    yield _list("", tuple(_words.inconclusive_reasons(report)) or report.verdict.reasons)


def _place(repository: str, commit: str, finding: Finding) -> str:
    shown = code_table_cell(finding.location)
    return markdown_link(shown, place_url(finding, repository, commit))


def _tables(
    lists: tuple[list[Finding], list[Finding]], place: Callable[[Finding], str], room: int
) -> str:
    certain, doubtful = lists
    first = _table("", certain, place, room)
    return first + _table("### Needs Human Review\n\n", doubtful, place, room - _size(first))


def _table(
    heading: str, findings: list[Finding], place: Callable[[Finding], str], room: int
) -> str:
    if not findings:
        return ""
    head = heading + "| | Where | What | Rule | Found by |\n|---|---|---|---|---|\n"
    rows, left = _fitting(findings, partial(_row, place), room - _size(head))
    return head + rows + (_left_out(left, "finding") or "\n")


def _row(place: Callable[[Finding], str], finding: Finding) -> str:
    sources = ", ".join(finding.sources)
    parts = [
        finding.priority.value,
        place(finding),
        table_cell(finding.title),
        markdown_link(code_table_cell(_words.rule_or_category(finding)), rule_page(finding)),
        table_cell(sources),
    ]
    return f"| {' | '.join(parts)} |\n"


def _details(findings: list[Finding], place: Callable[[Finding], str], room: int) -> str:
    told = [
        finding
        for finding in findings
        if remark(finding).strip() or finding.excerpt or finding.suggestion or finding.places
    ]
    if not told:
        return ""
    head, tail = "<details>\n<summary>Details</summary>\n\n", "</details>\n\n"
    blocks, left = _fitting(told, partial(_detail, place), room - _size(head + tail) - 100)
    return head + blocks + _left_out(left, "detail") + tail


def _detail(place: Callable[[Finding], str], finding: Finding) -> str:
    parts = [
        (
            f"**{finding.priority.value}** {place(finding)} "
            f"{markdown_words(finding.title)} (`{finding.fingerprint}`)"
        )
    ]
    if finding.excerpt:
        parts.append(
            code_block(
                "\n".join(f"{quoted.number:>5}  {quoted.text}" for quoted in finding.excerpt)
            )
        )
    if (said := remark(finding)).strip():
        parts.append(markdown_paragraphs(said, 10_000))
    if finding.suggestion:
        parts.append(f"Suggestion:\n\n{code_block(finding.suggestion)}")
    if others := at_other_places(finding):
        parts.append(f"Also at {_words.join_first(map(place, others), 20)}")
    return "\n\n".join(parts) + "\n\n"


def _bottom(report: Report) -> Iterator[str]:
    if report.reviews:
        yield "| Reviewer | Version | Status | Found | |\n|---|---|---|---|---|\n"
        for row in report.reviews[:_LISTED]:
            texts = (row.name, row.version, row.status.value, f"{row.found:,}", row.error)
            yield f"| {' | '.join(table_cell(text) for text in texts)} |\n"
        yield _left_out(len(report.reviews) - _LISTED, "reviewer") or "\n"
    if aside := _words.set_aside_text(report):
        yield f"Set aside: {aside}.\n\n"
    yield _list("Not reviewed:\n\n", tuple(_words.unreviewed_lines(report)))
    if report.verdict.quorum:
        yield f"Models: {markdown_words(report.verdict.quorum, 1_000)}.\n\n"
    if shown := _models.context_summary(report):
        yield f"<details>\n<summary>Models were also shown {shown}</summary>\n\n"
        yield _list("", tuple(_models.context_lines(report)))
        yield "</details>\n\n"
    yield _list("Usage:\n\n", tuple(_models.usage_lines(report)))
    yield _list("Notes:\n\n", (*report.change.notes, *report.notices))
    change = f"{report.change.base[:12]}..{report.change.head[:12]}"
    yield f"<sub>{markdown_words(f'{change}, config: {report.config_source}')}</sub>\n"


def _list(heading: str, texts: tuple[str, ...]) -> str:
    if not texts:
        return ""
    return (
        heading
        + "".join(f"- {markdown_words(text)}\n" for text in texts[:_LISTED])
        + (_left_out(len(texts) - _LISTED, "line") or "\n")
    )


def _left_out(number: int, noun: str) -> str:
    return (
        f"\n… and {_words.count_noun(number, f'more {noun}')} left out.\n\n" if number > 0 else ""
    )


def _fitting(findings: list[Finding], show: Callable[[Finding], str], room: int) -> tuple[str, int]:
    """As many findings as fit into so many bytes, and how many do not."""
    kept: list[str] = []
    for finding in findings:
        block = show(finding)
        room -= _size(block)
        if room < 0:
            break
        kept.append(block)
    return "".join(kept), len(findings) - len(kept)


def _size(text: str) -> int:
    return len(text.encode())
