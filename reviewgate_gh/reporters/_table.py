"""Rows of cells under headings, aligned; painted on a terminal, plain elsewhere."""

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from ._doors import line
from ._look import Look
from ._paint import Piece, Row, paint

_GAP = "  "


def table(header: Sequence[str], cells: Iterable[Sequence[Piece]], look: Look) -> str:
    """A row each; columns that hold nothing but numbers are aligned right. Foreign text is made safe here."""
    rows = [[(line(text), style) for text, style in row] for row in cells]
    head = [(text, "bold") for text in header]
    right = [bool(rows) and all(_number(row[at][0]) for row in rows) for at in range(len(header))]
    widths = [max(_width(row[at][0]) for row in [head, *rows]) for at in range(len(header))]
    return paint([_aligned(row, widths, right) for row in [head, *rows]], look)


def _aligned(row: Row, widths: Sequence[int], right: Sequence[bool]) -> Row:
    pieces: list[Piece] = []
    for (text, style), width, numeric in zip(row, widths, right, strict=True):
        pad = " " * (width - _width(text))
        pieces += [(pad, ""), (text, style), (_GAP, "")] if numeric else [(text, style), (pad + _GAP, "")]
    return pieces


def _width(text: str) -> int:
    """Columns on a terminal."""
    return len(text) if text.isascii() else sum(1 + (east_asian_width(char) in "WF") for char in text)


def _number(text: str) -> bool:
    return text.replace(".", "", 1).replace(",", "").isdigit() or text in ("", "-")
