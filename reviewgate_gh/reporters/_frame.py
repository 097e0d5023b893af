"""Code beside a finding on a terminal: its lines, what exactly is meant, and what to write
instead."""

from collections.abc import Iterator, Sequence

from ..model.finding import Finding, QuotedLine
from ..text.safe import safe_code
from . import _words
from ._layout import StyledRow, StyledText
from ._syntax import colour_code

INDENT = "    "
_MOST_LINES = 12
_MOST_BLANK = 3  # lines that are not quoted because they are blank


def frame_rows(finding: Finding, room: int, colour: bool) -> Iterator[StyledRow]:
    """The quoted lines with their numbers; carets below the part that the tool names."""
    if not finding.excerpt:
        return
    digits = len(str(max(quoted.number for quoted in finding.excerpt)))
    shown = finding.excerpt[:_MOST_LINES]
    yield []
    for at, quoted in enumerate(shown):
        if at:
            yield from _between(shown[at - 1].number, quoted.number, digits)
        anchored = finding.anchors(quoted)
        gutter = f"{INDENT}{'>' if anchored else ' '} {quoted.number:>{digits}} │ "
        text = safe_code(quoted.text, max(room + len(INDENT) - len(gutter), 20))
        plain = [(text, "" if anchored else "dim")]
        code = colour_code(finding.path, text) if colour and anchored else plain
        yield [(gutter, "red" if anchored else "dim"), *code]
        if quoted.number == finding.line_start and (carets := _carets(finding, quoted, text)):
            yield [(f"{INDENT}  {' ' * digits} │ ", "red"), (carets, "bold red")]
    if (left := len(finding.excerpt) - _MOST_LINES) > 0:
        yield [(f"{INDENT}  … {_words.count_noun(left, 'more line')}", "dim")]


def _between(number: int, after: int, digits: int) -> Iterator[StyledRow]:
    """Lines between two quoted ones: blank ones, or so many that only the ends are quoted."""
    if after - number - 1 > _MOST_BLANK:
        yield [(f"{INDENT}  {'…':>{digits}} │", "dim")]
        return
    for blank in range(number + 1, after):
        yield [(f"{INDENT}  {blank:>{digits}} │", "dim")]


def _carets(finding: Finding, quoted: QuotedLine, shown: str) -> str:
    """Carets below the columns of the first line, as far as it is shown."""
    first, behind = _words.sure_columns(finding)
    if not first:
        return ""
    # Tabs take several columns; the dot keeps blanks at the end
    before, end = (len(safe_code(f"{quoted.text[: at - 1]}.")) - 1 for at in (first, behind))
    return " " * before + "^" * max(1, end - before) if end <= len(shown) else ""


def suggestion_rows(finding: Finding, room: int) -> Iterator[StyledRow]:
    """What to write instead, as a difference where the report has all of the old lines."""
    if finding.suggestion is None:
        return
    new = finding.suggestion.splitlines()
    old = [line.text for line in finding.excerpt if finding.anchors(line)]
    whole = len(old) == max(finding.line_end, finding.line_start) - finding.line_start + 1
    same = _common(old, new) if whole else (0, 0)
    yield []
    yield [(f"{INDENT}Suggestion: {'replace with' if new else 'delete it'}", "green")]
    for mark, style, lines in (("-", "red", old if whole else []), ("+", "green", new)):
        yield from _marked(mark, style, lines[same[0] : len(lines) - same[1]], room)


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines both have in common at the beginning and at the end."""
    most, first, last = min(len(old), len(new)), 0, 0
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last


def _marked(mark: str, style: str, lines: Sequence[str], room: int) -> Iterator[StyledRow]:
    for text in lines[:_MOST_LINES]:
        shown: StyledText = (f"{INDENT}{mark} {safe_code(text, max(room - 2, 20))}", style)
        yield [shown]
    if len(lines) > _MOST_LINES:
        more = _words.count_noun(len(lines) - _MOST_LINES, "more line")
        yield [(f"{INDENT}… {more}", "dim")]
