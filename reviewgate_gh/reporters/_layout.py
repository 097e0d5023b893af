"""Styled rows and tables, with colours on a terminal and plain elsewhere."""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import groupby
from operator import itemgetter
from unicodedata import combining, east_asian_width

from ..text.escape import uri_path
from ..text.safe import safe_line, without_commands
from ._look import OutputStyle

StyledText = tuple[str, str]  # text and style, a style of rich's: "bold red", "dim", ""
StyledRow = Sequence[StyledText]

_HANGING = "    "  # before what is left of a row
# Columns of a word that is not broken although it is wider than the terminal: an address or a path
# that is cut in two can be neither opened nor copied
_LONGEST_WORD = 300
_ASCII = str.maketrans({"·": "-", "│": "|", "…": "...", "—": "-", "⏎": "/"})


def render_rows(rows: Iterable[StyledRow], look: OutputStyle) -> str:
    """The rows as text, one line each, with a newline at the end; rich is loaded only for
    colours."""
    shown = [_safe([(_fit(text, look), style) for text, style in row]) for row in rows]
    if not look.color:
        return "".join("".join(text for text, _ in row).rstrip() + "\n" for row in shown)
    return _coloured(shown, look)


def fit_row(row: StyledRow, look: OutputStyle) -> Iterator[StyledRow]:
    """The row; on a terminal that is too narrow for it several, broken between words."""
    text = "".join(text for text, _ in row)
    if not look.terminal or text_width(text) <= look.width:
        yield row
        return
    styles = [style for text, style in row for _ in text]
    at = 0
    for number, part in enumerate(wrap_words(text, look.width, _HANGING)):
        kept = part.removeprefix(_HANGING) if number else part
        at = text.index(kept, at)
        pieces = groupby(zip(kept, styles[at : at + len(kept)], strict=True), itemgetter(1))
        hanging: list[StyledText] = [(_HANGING, "")] if number else []
        yield [*hanging, *(("".join(char for char, _ in run), style) for style, run in pieces)]
        at += len(kept)


def wrap_words(text: str, width: int, hanging: str = "") -> list[str]:
    """Lines of at most so many columns, broken between words only. A wider word has a line to
    itself, beside a label that is shorter than what hangs; one that is no address any more is
    broken, too."""
    lines: list[str] = []
    line, used = "", 0
    for token in re.findall(r"\s*\S+", text):
        room = text_width(token)
        is_label = used < len(hanging) and text_width(token.lstrip()) + len(hanging) > width
        if line.strip() and used + room > width and not is_label:
            lines.append(line)
            line, token = hanging, token.lstrip()
            used, room = text_width(hanging), text_width(token)
        while room > _LONGEST_WORD:
            piece = cut_text(token, max(width - used, 1))
            lines.append(line + piece)
            line, token = hanging, token[len(piece) :]
            used, room = text_width(hanging), text_width(token)
        line, used = line + token, used + room
    return [*lines, line] if line.strip() else lines


def cut_text(text: str, width: int) -> str:
    """As much of its beginning as so many columns hold, and one character at least."""
    if text.isascii():
        return text[: max(width, 1)]
    used = 0
    for at, char in enumerate(text):
        used += text_width(char)
        if used > width and at:
            return text[:at]
    return text


def file_url(root: str, path: str) -> str:
    """The address of a file below the root folder, for links of a terminal."""
    return f"file://{uri_path(f'{root}/{path}')}"


def _safe(row: StyledRow) -> StyledRow:
    text = "".join(text for text, _ in row)
    return row if (safe := without_commands(text)) == text else [(safe, "")]


def _fit(text: str, style: OutputStyle) -> str:
    return (
        text
        if style.unicode
        else text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
    )


def _coloured(rows: Iterable[StyledRow], style: OutputStyle) -> str:
    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    # An empty environment, because whoever made the look has read NO_COLOR and TERM already.
    console = Console(
        file=out,
        force_terminal=True,
        width=style.width,
        color_system="standard",
        legacy_windows=False,
        _environ={},
    )
    for row in rows:
        text = Text.assemble(*row)
        text.rstrip()
        console.print(text, soft_wrap=True, markup=False, highlight=False, emoji=False)
    return out.getvalue()


_GAP = "  "


def render_table(
    header: Sequence[str], cells: Iterable[Sequence[StyledText]], look: OutputStyle
) -> str:
    """A row each; columns that hold nothing but numbers are aligned right.

    Foreign text is made safe here.
    """
    rows = [[(safe_line(text), style) for text, style in row] for row in cells]
    head = [(text, "bold") for text in header]
    right = [bool(rows) and all(_number(row[at][0]) for row in rows) for at in range(len(header))]
    widths = [max(text_width(row[at][0]) for row in [head, *rows]) for at in range(len(header))]
    return render_rows([_aligned(row, widths, right) for row in [head, *rows]], look)


def _aligned(row: StyledRow, widths: Sequence[int], right: Sequence[bool]) -> StyledRow:
    pieces: list[StyledText] = []
    for (text, style), width, numeric in zip(row, widths, right, strict=True):
        pad = " " * (width - text_width(text))
        pieces += (
            [(pad, ""), (text, style), (_GAP, "")] if numeric else [(text, style), (pad + _GAP, "")]
        )
    return pieces


def text_width(text: str) -> int:
    """Columns on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def _number(text: str) -> bool:
    return text.replace(".", "", 1).replace(",", "").isdigit() or text in ("", "-")
