"""What the page says below the findings: who read what, when each reviewer was at work, what models
cost, notes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ..model.coverage import ReadDepth
from ..model.report import Report, ReviewRow
from . import _models, _words
from ._markup import NOTHING, Child, Html, element, line, markup, table

_MOST_ROWS = 5_000  # of a table
_MOST_LISTED = 500
_BAR = 200  # the width of a reviewer's time line
_DEPTHS = list(ReadDepth)


def coverage_table(report: Report) -> Html:
    """A row for each changed file, what was not reviewed first."""
    rows = sorted(
        report.coverage.rows,
        key=lambda row: (not row.missing, -_DEPTHS.index(row.how), row.path),
    )
    cells: list[list[Child]] = [
        [
            element("code", line(row.path, 4_096)),
            line(row.language),
            element("strong", f"{row.how.value}, not reviewed") if row.missing else row.how.value,
            line(", ".join(row.by), 1_000),
            line(row.why, 1_000),
        ]
        for row in rows[:_MOST_ROWS]
    ]
    heads = ["File", "Language", "How", "By", "Why"]
    unread = listed(_words.unreviewed_lines(report), "Not reviewed:")
    return markup(unread, table("Each changed file", heads, cells, _left(len(rows), "file")))


def reviewers_table(rows: Sequence[ReviewRow]) -> Html:
    """A row for each review, with its place in the time line of all."""
    whole = max((row.began + row.seconds for row in rows), default=0)
    cells: list[list[Child]] = [
        [
            line(row.name),
            line(f"{row.asked.model} {row.version}" if row.asked else row.version),
            row.status.value if row.status == "ok" else element("strong", row.status.value),
            f"{row.found:,}",
            f"{row.covered:,}",
            f"{row.seconds:.1f} s",
            _bar(row, whole),
            line("; ".join(filter(None, [row.said, row.error])), 1_000),
        ]
        for row in rows[:_MOST_ROWS]
    ]
    heads = ["Reviewer", "Version", "Status", "Found", "Files", "Took", "From start to end", "Said"]
    caption = f"When each was at work, in the {whole:.1f} s that all took"
    return table(caption, heads, cells, _left(len(rows), "reviewer"))


def _left(number: int, noun: str) -> str:
    """How many rows a table has no room for."""
    left = number - _MOST_ROWS
    return _words.count_noun(left, f"more {noun}") if left > 0 else ""


def _bar(row: ReviewRow, whole: float) -> Html:
    """Where its time lies in that of all."""
    if whole <= 0:
        return NOTHING
    start, width = (round(_BAR * part / whole, 1) for part in (row.began, row.seconds))
    bar = element("rect", x=str(start), y="2", width=str(max(width, 1)), height="8")
    box = f"0 0 {_BAR} 12"
    return element("svg", bar, viewBox=box, width=str(_BAR), height="12", aria_hidden="true")


def cost_table(rows: Iterable[ReviewRow]) -> Html:
    """A row for each language model, and one for all of several."""
    asked = sorted((row for row in rows if row.asked), key=lambda row: row.reviewer)
    by_name = groupby(asked, key=lambda row: row.reviewer)
    spent = [(name, _models.model_usage(some)) for name, some in by_name][:_MOST_ROWS]
    if len(spent) > 1:
        spent.append(("all", _models.model_usage(asked)))
    heads = ["Model", "Calls", "Tokens in", "of them cached", "Tokens out", "US dollars"]
    cells: list[list[Child]] = [
        [
            line(name),
            f"{usage.calls:,}",
            f"{usage.input:,}",
            f"{usage.cached:,}",
            f"{usage.output:,}",
            "not known" if usage.cost is None else f"{usage.cost:.4f}",
        ]
        for name, usage in spent
    ]
    return table("What language models cost", heads, cells)


def notes(report: Report) -> Iterator[Html]:
    """What else there is to know, a list each."""
    yield listed([*report.change.notes, *report.notices])
    yield listed(report.waivers, "Waivers that were used:")
    yield listed([f"{name} {version}" for name, version in report.tools.items()], "Versions:")
    if shown := _models.context_summary(report):
        yield listed(_models.context_lines(report), f"Models were also shown {shown}:")


def listed(texts: Sequence[str], heading: str = "") -> Html:
    """Foreign texts as a list; nothing for none."""
    if not texts:
        return NOTHING
    rows = [element("li", line(text, 1_000)) for text in texts[:_MOST_LISTED]]
    if len(texts) > _MOST_LISTED:
        rows.append(element("li", f"{len(texts) - _MOST_LISTED:,} more"))
    return markup(element("p", heading) if heading else NOTHING, element("ul", *rows))
