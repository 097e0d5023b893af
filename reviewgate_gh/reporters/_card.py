"""One finding as rows for a terminal."""

import textwrap
from collections.abc import Iterator

from ..model.finding import Finding, Priority, Quoted
from . import _words
from ._doors import block, code, line
from ._paint import Row

_INDENT = "    "
_FRAME_LINES = 12
_BODY_LINES = 30
_MOST_PROSE = 30_000  # characters, more than 30 lines of any terminal: textwrap copies the rest of a word for each line that it fills
_STYLES = {Priority.P0: "bold white on red", Priority.P1: "bold red", Priority.P2: "yellow", Priority.P3: "cyan"}


def compact(finding: Finding) -> Row:
    """One row: for what is nice to have."""
    return [*_badge(finding), (line(finding.location), "bold"), (f"  {line(finding.title)}", ""), (f"  ({_origin(finding)})", "dim")]


def card(finding: Finding, width: int) -> Iterator[Row]:
    """All of it: place and title, rule and sources, the code, the remark, the suggestion."""
    room = max(width - len(_INDENT), 20)
    yield from _heading(finding, width)
    yield [(f"{_INDENT}{_origin(finding)} · {finding.fingerprint}", "dim")]
    yield from _frame(finding, room)
    yield from _prose(finding.body, room)
    yield from _prose(finding.note, room)
    if others := _words.elsewhere(finding):
        yield from _prose(f"Also at {_words.listed(others, 5)}", room)
    yield from _suggestion(finding, room)


def _badge(finding: Finding) -> Row:
    return [(finding.priority.value, _STYLES[finding.priority]), ("  ", "")]


def _heading(finding: Finding, width: int) -> Iterator[Row]:
    place, title = line(finding.location), line(finding.title)
    if len(_INDENT) + len(place) + 2 + len(title) <= width:
        yield [*_badge(finding), (place, "bold"), (f"  {title}", "")]
        return
    yield [*_badge(finding), (place, "bold")]
    for part in textwrap.wrap(title, max(width - len(_INDENT), 20)):
        yield [(_INDENT + part, "")]


def _origin(finding: Finding) -> str:
    return " · ".join(filter(None, [line(_words.name_of(finding)), line(", ".join(finding.sources))]))


def _frame(finding: Finding, room: int) -> Iterator[Row]:
    if not finding.excerpt:
        return
    digits = len(str(max(quoted.number for quoted in finding.excerpt)))
    yield []
    for quoted in finding.excerpt[:_FRAME_LINES]:
        yield _code(quoted, finding.line_start <= quoted.number <= finding.line_end, digits, room)
    if (left := len(finding.excerpt) - _FRAME_LINES) > 0:
        yield [(f"{_INDENT}  … {_words.counted(left, 'more line')}", "dim")]


def _code(quoted: Quoted, anchored: bool, digits: int, room: int) -> Row:
    gutter = f"{_INDENT}{'>' if anchored else ' '} {quoted.number:>{digits}} │ "
    text = code(quoted.text, max(room + len(_INDENT) - len(gutter), 20))
    return [(gutter, "red" if anchored else "dim"), (text, "" if anchored else "dim")]


def _prose(text: str, room: int) -> Iterator[Row]:
    if not text.strip():
        return
    shown = block(text).strip()
    wrapped = [part for paragraph in shown[:_MOST_PROSE].splitlines() for part in textwrap.wrap(paragraph, room) or [""]]
    yield []
    for part in wrapped[:_BODY_LINES]:
        yield [(_INDENT + part, "")]
    if len(wrapped) > _BODY_LINES:
        more = "more" if len(shown) > _MOST_PROSE else _words.counted(len(wrapped) - _BODY_LINES, "more line")
        yield [(f"{_INDENT}… {more}", "dim")]


def _suggestion(finding: Finding, room: int) -> Iterator[Row]:
    if finding.suggestion is None:
        return
    yield []
    lines = finding.suggestion.splitlines()
    yield [(f"{_INDENT}Suggestion: {'replace with' if lines else 'delete it'}", "green")]
    for text in lines[:_FRAME_LINES]:
        yield [(f"{_INDENT}+ {code(text, max(room - 2, 20))}", "green")]
    if len(lines) > _FRAME_LINES:
        yield [(f"{_INDENT}… {_words.counted(len(lines) - _FRAME_LINES, 'more line')}", "dim")]
