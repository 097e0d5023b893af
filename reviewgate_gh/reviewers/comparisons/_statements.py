"""Statements with all their rows, as a formatter may split them."""

import re
from collections.abc import Iterator, Sequence

from ...findings.source_text import SourceText
from ...text.patterns import lazy_pattern
from ._guards import code_of

_MOST_ROWS = 60
# A link of a chain, or the rest of an expression
_GOES_ON = lazy_pattern(r"\s*(?:\.\w|\?\.|!!\.|->\w|::\w|\|>|&&|\|\||[?:+*=]\s|(?:and|or)\b)")
_IS_OPEN = lazy_pattern(r"(?:(?<![=!<>])=|==|&&|\|\||\|>|[+.,\\]|\s(?:and|or|not|in|is))\s*$")
_LAST_COMMA = lazy_pattern(r",(?=[)\]}])")


def whole_statement(source: SourceText, rows: Sequence[str], number: int) -> range:
    """The numbers of the rows of the statement at a line, with the links above and below it."""
    span = source.rows(number)
    first, last = span.start, span.stop - 1
    while first > 1 and _joins(rows[first - 2], rows[first - 1]) and last - first < _MOST_ROWS:
        first = source.rows(first - 1).start
    while last < len(rows) and _joins(rows[last - 1], rows[last]) and last - first < _MOST_ROWS:
        last = max(last + 1, source.rows(last + 1).stop - 1)
    return range(first, last + 1)


def statements(
    source: SourceText, rows: Sequence[str], first: int, last: int
) -> Iterator[tuple[range, str]]:
    """Those that begin between two lines, each with its text without spaces."""
    number = first
    while number <= min(last, len(rows)):
        span = whole_statement(source, rows, number)
        text = "".join(code_of(rows[at - 1]) for at in span if at <= len(rows))
        text = _LAST_COMMA.sub("", re.sub(r"\s+", "", text)).rstrip(",;")
        if text:
            yield span, text
        number = max(number + 1, span.stop)


def _joins(above: str, below: str) -> bool:
    """The lower row is a part of the upper one's statement."""
    if not (above.strip() and below.strip()):
        return False
    return _GOES_ON.match(below) is not None or _IS_OPEN.search(code_of(above)) is not None
