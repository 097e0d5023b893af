"""Code beside a finding on a terminal: its lines, what exactly is meant, and what to write
instead."""

from collections.abc import Iterator, Sequence

from ..model.finding import Finding
from ..text.safe import safe_code
from . import _words
from ._excerpt import MOST_LINES, excerpt_lines, shown_columns, suggested_change
from ._layout import StyledRow, StyledText
from ._syntax import colour_code

INDENT = "    "


def frame_rows(finding: Finding, room: int, colour: bool) -> Iterator[StyledRow]:
    """The quoted lines with their numbers; carets below the part that the tool names."""
    if not finding.excerpt:
        return
    digits = len(str(max(quoted.number for quoted in finding.excerpt)))
    yield []
    for line in excerpt_lines(finding):
        number = str(line.number or "…")
        gutter = f"{INDENT}{'>' if line.anchored else ' '} {number:>{digits}} │"
        text = safe_code(line.text, max(room + len(INDENT) - len(gutter) - 1, 20))
        plain = [(text, "" if line.anchored else "dim")]
        code = colour_code(finding.path, text) if colour and line.anchored else plain
        yield [(f"{gutter} " if text else gutter, "red" if line.anchored else "dim"), *code]
        start, end = shown_columns(finding, line, text)
        if end:
            carets = " " * start + "^" * (end - start)
            yield [(f"{INDENT}  {' ' * digits} │ ", "red"), (carets, "bold red")]
    if (left := len(finding.excerpt) - MOST_LINES) > 0:
        yield [(f"{INDENT}  … {_words.count_noun(left, 'more line')}", "dim")]


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


def _marked(mark: str, style: str, lines: Sequence[str], room: int) -> Iterator[StyledRow]:
    for text in lines[:MOST_LINES]:
        shown: StyledText = (f"{INDENT}{mark} {safe_code(text, max(room - 2, 20))}", style)
        yield [shown]
    if len(lines) > MOST_LINES:
        more = _words.count_noun(len(lines) - MOST_LINES, "more line")
        yield [(f"{INDENT}… {more}", "dim")]
