"""Rows of styled pieces, painted with colours or plain."""

from collections.abc import Iterable, Sequence

from ._doors import inert
from ._look import Look

Piece = tuple[str, str]  # text and style, a style of rich's: "bold red", "dim", ""
Row = Sequence[Piece]

_ASCII = str.maketrans({"·": "-", "│": "|", "…": "...", "—": "-", "⏎": "/"})


def paint(rows: Iterable[Row], look: Look) -> str:
    """The rows as text, one line each, with a newline at the end; rich is loaded only for colours."""
    shown = [_safe([(_fit(text, look), style) for text, style in row]) for row in rows]
    if not look.color:
        return "".join("".join(text for text, _ in row).rstrip() + "\n" for row in shown)
    return _coloured(shown, look)


def _safe(row: Row) -> Row:
    text = "".join(text for text, _ in row)
    return row if (safe := inert(text)) == text else [(safe, "")]


def _fit(text: str, look: Look) -> str:
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")


def _coloured(rows: Iterable[Row], look: Look) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    # An empty environment, because whoever made the look has read NO_COLOR and TERM already.
    console = Console(file=out, force_terminal=True, width=look.width, color_system="standard", legacy_windows=False, _environ={})
    for row in rows:
        text = Text.assemble(*row)
        text.rstrip()
        console.print(text, soft_wrap=True, markup=False, highlight=False, emoji=False)
    return out.getvalue()
