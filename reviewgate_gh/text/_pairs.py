"""What belongs together on one line of Markdown: the two ends of a code span, the two brackets of a link."""

import re
from bisect import bisect_right

_RUN = re.compile("`+")
_BRACKET = re.compile(r"\\.|[\[\]]")
_MOST_TICKS = 20  # GitHub's parser gives up on long delimiters; nobody needs them


def code_spans(text: str) -> dict[int, int]:
    """Start -> end of the code spans that begin and end on this line."""
    runs = [found.span() for found in _RUN.finditer(text)]
    starts: dict[int, list[int]] = {}
    for start, end in runs:
        starts.setdefault(end - start, []).append(start)
    spans, done = {}, 0
    for start, end in runs:
        if start < done:
            continue
        start += _escaped(text, start)
        same = starts.get(end - start, [])
        index = bisect_right(same, start)
        if 0 < end - start <= _MOST_TICKS and index < len(same):
            done = spans[start] = same[index] + end - start
    return spans


def _escaped(text: str, at: int) -> bool:
    """After an odd number of backslashes."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1


def brackets(text: str, spans: dict[int, int]) -> dict[int, int]:
    """Opening bracket -> its closing one, outside code."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    at = 0
    for start, end in [*sorted(spans.items()), (len(text), len(text))]:
        for found in _BRACKET.finditer(text, at, start):
            if found[0] == "[":
                opened.append(found.start())
            elif found[0] == "]" and opened:
                partner[opened.pop()] = found.start()
        at = end
    return partner
