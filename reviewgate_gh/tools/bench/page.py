"""The scores as one HTML page: no script, nothing loaded from elsewhere, foreign text as text."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ...text.safe import safe_line
from .render import SCORE_HEADER, score_rows, summary_lines
from .results import ResultsHeader
from .score import BenchSummary, CaseScore

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; text-align: right; white-space: nowrap; }
th, td { border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
summary { cursor: pointer; }
code { overflow-wrap: anywhere; }
"""
# Nothing of the page is fetched, and nothing in it is run
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_LONGEST = 1000


def render_page(header: ResultsHeader, summary: BenchSummary, not_begun: int = 0) -> str:
    """The whole page: the table, how the cases ended, and of each case what was missed and what was
    said beyond what was expected."""
    title = f"Bench: {header.dataset}"
    rows = (_cells("td", row) for row in score_rows(summary, parts=True))
    left_out = f"; not asked: {', '.join(header.left_out)}" if header.left_out else ""
    about = f"reviewgate-gh {header.version}, configuration {header.config}{left_out}"
    lines = (f"<p>{_text(line)}</p>" for line in summary_lines(summary, not_begun))
    parts = (
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(about)}</p>",
        '<div class="wide"><table>',
        f"<thead>{_cells('th', SCORE_HEADER)}</thead><tbody>",
        *rows,
        "</tbody></table></div>",
        *lines,
        "<h2>Cases</h2>",
        *(line for case in summary.cases for line in _case(case)),
        "</body></html>",
    )
    return "\n".join(parts) + "\n"


def _cells(tag: str, row: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_text(cell)}</{tag}>' for cell in row)}</tr>"


def _case(case: CaseScore) -> Iterator[str]:
    right = case.wanted - len(case.missed)
    ended = case.status.value if case.reason else f"{right} of {case.wanted} found"
    more = f", {len(case.extra)} more said" if case.extra else ""
    yield f"<details><summary>{_text(f'{case.case}: {ended}{more}')}</summary>"
    if case.reason:
        yield f"<p>{_text(case.reason)}</p>"
    yield from _list("Missed", case.missed)
    yield from _list("Beyond what was expected", case.extra)
    yield "</details>"


def _list(title: str, told: Iterable[str]) -> Iterator[str]:
    items = [f"<li><code>{_text(each)}</code></li>" for each in told]
    if items:
        yield f"<p>{title}</p><ul>{''.join(items)}</ul>"


def _text(text: str) -> str:
    return escape(safe_line(text, _LONGEST))
