"""Suppressions on lines of their own, which may silence more than one statement: whether a change
gives them more to silence.

Such a comment may speak for a block up to one that ends it, for the scope around it, or for the
whole file; which of these differs from tool to tool, and with what stands around it. So where a
change touches anything that decides it, none of them counts, neither at head nor at base: what is
new then is what the change brings.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model.change import FileDiff
from ..text.patterns import lazy_pattern
from .lines import DiffLines
from .suppression_comments import BLOCK_END, defuse, find_suspects

COMMENT_ONLY = lazy_pattern(rb"\s*(?:#|//|/\*|--|;|<!--|%|\*)")
# A comment that is put into a string is none, and the other way round
_DELIMITER = lazy_pattern(rb"\"\"\"|'''|`|/\*|\*/|<!--|-->|<<|^=(?:begin|end)\b|^__END__")
_NEXT_ONLY = lazy_pattern(rb"next-line")
# What ends with its scope or with the file where nothing else ends it
_OPEN_END = lazy_pattern(
    rb"(?:disable|todo|start)\b|(?:ruff|flake8)\s*[:=]\s*no|file-|ignore-all|global|mypy|## no",
    re.IGNORECASE,
)
_CODE = lazy_pattern(rb"^(?!\s*(?:#|//|/\*|--|;|<!--|%|\*|$))", re.MULTILINE)


def block_suppressions(data: bytes) -> tuple[int, ...]:
    """The numbers of the lines that hold a suppression and no code."""
    found = sorted(set(find_suspects(data)))
    numbers = _line_numbers(data, (start for start, _end in found))
    return tuple(
        number
        for number, (start, end) in zip(numbers, found, strict=True)
        if COMMENT_ONLY.match(row := data[start:end]) and defuse(row) != row
    )


def _line_numbers(data: bytes, places: Iterable[int]) -> Iterator[int]:
    """Of places in the text, in order."""
    number, before = 1, 0
    for at in places:
        number += data.count(b"\n", before, at)
        before = at
        yield number


class BlockSuppression(NamedTuple):
    """The line of such a comment, the last line that it can silence, and its text."""

    line: int
    last: int
    text: str


def widened_suppressions(file: FileDiff, data: bytes) -> tuple[BlockSuppression, ...]:
    """These comments at head, where the change may have given one of them more to silence; `data`
    is the file at head."""
    numbers = block_suppressions(data)
    if not numbers or file.status == "A":
        return ()
    widened = _moves_a_border(file) or (
        _adds_within(file, data, numbers) or _opens(file, data, numbers)
    )
    return tuple(_with_reach(data, numbers)) if widened else ()


def _with_reach(data: bytes, numbers: Sequence[int]) -> Iterator[BlockSuppression]:
    rows, ends = data.split(b"\n"), _ends(data)
    code = _CODE.search(data)
    top = data.count(b"\n", 0, code.start()) + 1 if code else len(rows)
    for number in numbers:
        row = rows[number - 1]
        last = number + 1
        if not _NEXT_ONLY.search(row):
            at = bisect_right(ends, number)
            if at < len(ends):
                last = ends[at]
            elif number < top or _OPEN_END.search(row):
                last = len(rows)
        yield BlockSuppression(number, last, row.decode("utf-8", "surrogateescape"))


def _ends(data: bytes) -> list[int]:
    """The numbers of the lines that end a block."""
    return [*_line_numbers(data, (found.start() for found in BLOCK_END.finditer(data)))]


def _moves_a_border(file: FileDiff) -> bool:
    """It takes away such a comment, or adds or takes away the end of a block, a string or a
    comment of several lines."""
    return any(
        BLOCK_END.search(row[1:])
        or _DELIMITER.search(row[1:])
        or (row[:1] == b"-" and COMMENT_ONLY.match(row[1:]) and defuse(row) != row)
        for hunk in file.hunks
        for row in hunk.body.split(b"\n")
        if row[:1] in (b"+", b"-")
    )


def _adds_within(file: FileDiff, data: bytes, numbers: Sequence[int]) -> bool:
    """It adds lines between such a comment and the next one that ends a block."""
    ends, shown = _ends(data), DiffLines(file)
    closed = numbers[: bisect_left(numbers, ends[-1])] if ends else ()
    return any(shown.adds(begin, ends[bisect_right(ends, begin)]) for begin in closed)


def _opens(file: FileDiff, data: bytes, numbers: Sequence[int]) -> bool:
    """It takes code away above such a comment, and what is left above is no code."""
    code = _CODE.search(data)
    first = data.count(b"\n", 0, code.start()) + 1 if code else data.count(b"\n") + 2
    last = max((number for number in numbers if number < first), default=0)
    for hunk in file.hunks:
        at = hunk.new_start
        for row in hunk.body.split(b"\n"):
            if at > last:
                return False
            if row[:1] == b"-" and _CODE.match(row[1:]):
                return True
            at += row[:1] in (b" ", b"+")
    return False
