"""Code beside a finding on a terminal: its lines, what exactly is meant, and what to write
instead."""

from collections.abc import Iterator, Sequence
from unicodedata import bidirectional

from ..model.finding import Finding
from ..text.safe import safe_code
from . import _words
from ._excerpt import MOST_LINES, excerpt_lines, shown_columns, suggested_change
from ._layout import StyledRow, StyledText, cut_text, text_width
from ._syntax import colour_code

INDENT = "    "
_LONGEST_LINE = 10_000  # characters; a minified file has one line
_RIGHT_TO_LEFT = ("R", "AL", "AN", "RLE", "RLO", "RLI")


def frame_rows(finding: Finding, room: int, colour: bool) -> Iterator[StyledRow]:
    """The quoted lines with their numbers; carets below the part that the tool names."""
    if not finding.excerpt:
        return
    digits = len(str(max(quoted.number for quoted in finding.excerpt)))
    yield []
    for line in excerpt_lines(finding):
        number = str(line.number or "…")
        gutter = f"{INDENT}{'>' if line.anchored else ' '} {number:>{digits}} │"
        whole = safe_code(line.text, _LONGEST_LINE)
        span = shown_columns(finding, line, whole)
        text, carets = _window(whole, span, max(room + len(INDENT) - len(gutter) - 1, 20))
        plain = [(text, "" if line.anchored else "dim")]
        code = colour_code(finding.path, text) if colour and line.anchored else plain
        yield [(f"{gutter} " if text else gutter, "red" if line.anchored else "dim"), *code]
        if carets:
            yield [(f"{INDENT}  {' ' * digits} │ ", "red"), (carets, "bold red")]
    if (left := len(finding.excerpt) - MOST_LINES) > 0:
        yield [(f"{INDENT}  … {_words.count_noun(left, 'more line')}", "dim")]


def _window(line: str, span: tuple[int, int], width: int) -> tuple[str, str]:
    """As much of a line as so many columns hold, with the part that is meant in it, and the row of
    carets below that part; no carets where the terminal would show the line in another order."""
    start, end = span
    first = 0
    if end and text_width(line[:end]) > width - 1 and text_width(line) > width:
        # A third of the room for what stands before; more where less is left behind it
        first = max(start - width // 3, 0)
        while first and text_width(line[first - 1 :]) < width:
            first -= 1
    shown = f"…{line[first + 1 :]}" if first else line
    if text_width(shown) > width:
        shown = cut_text(shown, width - 1) + "…"
    if not end or any(bidirectional(char) in _RIGHT_TO_LEFT for char in shown):
        return shown, ""
    before = text_width(shown[: start - first])
    marked = min(text_width(line[start:end]), text_width(shown) - before)
    return shown, " " * before + "^" * max(marked, 1)


def suggestion_rows(finding: Finding, room: int) -> Iterator[StyledRow]:
    """What to write instead, as a difference where the report has all of the old lines."""
    if finding.suggestion is None:
        return
    removed, added = suggested_change(finding)
    yield []
    yield [
        (f"{INDENT}Suggestion: {'replace with' if finding.suggestion else 'delete it'}", "green")
    ]
    for mark, style, lines in (("-", "red", removed), ("+", "green", added)):
        yield from _marked(mark, style, lines, room)


def _cut(text: str, width: int) -> str:
    return _window(safe_code(text, _LONGEST_LINE), (0, 0), width)[0]


def _marked(mark: str, style: str, lines: Sequence[str], room: int) -> Iterator[StyledRow]:
    for text in lines[:MOST_LINES]:
        shown: StyledText = (f"{INDENT}{mark} {_cut(text, max(room - 2, 20))}", style)
        yield [shown]
    if len(lines) > MOST_LINES:
        more = _words.count_noun(len(lines) - MOST_LINES, "more line")
        yield [(f"{INDENT}… {more}", "dim")]
