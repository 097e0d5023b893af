"""Which code stands beside a finding, whatever it is drawn with: quoted lines, and what to write
instead."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.finding import Finding
from ..text.safe import safe_code
from ._words import sure_columns

MOST_LINES = 12
_MOST_BLANK = 3  # lines that are not quoted because they are blank


class ExcerptLine(NamedTuple):
    """A line of the excerpt; number 0 stands for lines that are left out between two of them.
    `anchored`: the finding is about it."""

    number: int
    text: str = ""
    anchored: bool = False


class SuggestedChange(NamedTuple):
    """The lines that a suggestion takes away and adds; `removed` is empty where the report does not
    have all of the old ones."""

    removed: Sequence[str]
    added: Sequence[str]


def excerpt_lines(finding: Finding) -> Iterator[ExcerptLine]:
    """The first quoted lines, with the blank ones between them."""
    last = 0
    for at, quoted in enumerate(finding.excerpt[:MOST_LINES]):
        if at and quoted.number - last - 1 > _MOST_BLANK:
            yield ExcerptLine(0)
        elif at:
            yield from map(ExcerptLine, range(last + 1, quoted.number))
        yield ExcerptLine(quoted.number, quoted.text, finding.anchors(quoted))
        last = quoted.number


def shown_columns(finding: Finding, line: ExcerptLine, shown: str) -> tuple[int, int]:
    """The part that a tool names of the finding's first line, in the line as `safe_code` shows it,
    the end exclusive; (0, 0) where none is sure, or where it is cut off."""
    first, behind = sure_columns(finding)
    if not first or not line.anchored or line.number != finding.line_start:
        return 0, 0
    # Tabs take several columns; the dot keeps blanks at the end
    start, end = (len(safe_code(f"{line.text[: at - 1]}.")) - 1 for at in (first, behind))
    return (start, max(end, start + 1)) if end <= len(shown) else (0, 0)


def suggested_change(finding: Finding) -> SuggestedChange:
    """What the suggestion changes, without the lines that stay at its ends."""
    new = (finding.suggestion or "").splitlines()
    old = [line.text for line in finding.excerpt if finding.anchors(line)]
    if len(old) != max(finding.line_end, finding.line_start) - finding.line_start + 1:
        return SuggestedChange((), new)
    first, last = _common(old, new)
    return SuggestedChange(old[first : len(old) - last], new[first : len(new) - last])


def _common(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines both have in common at the beginning and at the end."""
    most, first, last = min(len(old), len(new)), 0, 0
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first, last
