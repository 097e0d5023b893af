"""Foreign text made inert for the place it is shown in: a terminal, a workflow log, a code span,
one line."""

import re

from .patterns import lazy_pattern
from .redact import redact
from .visible import show_hidden

_ESCAPES = lazy_pattern(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|\x9c|$)|[ -/]*[0-~])|\x9b[0-?]*[ "
    r"-/]*[@-~]",
    re.DOTALL,
)
_BREAK = lazy_pattern(r"\r\n|\r|\n")
# RFC 3986 unreserved, and /
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_BACKTICKS = lazy_pattern("`+")
# Parsers stop counting: longer runs in foreign text are shortened, so that a longer one around them
# is understood.
_SPAN_TICKS, _FENCE_TICKS = 60, 200


def terminal_text(text: str) -> str:
    """No escape sequence and no control character is left; TAB and LF stay, hidden characters are
    shown."""
    if text.isascii() and text.isprintable():
        return text
    return show_hidden(_ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "<U+000D>"))


def terminal_line(text: str, limit: int) -> str:
    """At most `limit` characters on a single line, safe for a terminal."""
    line = " ".join(terminal_text(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def command_data(text: str) -> str:
    """A workflow command's message."""
    return show_hidden(
        text.replace("\t", " ").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    )


def command_property(text: str) -> str:
    """A workflow command's property value."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def code_span(text: str) -> str:
    """Markdown code on one line, whatever backticks it holds."""
    line = _shortened(" ".join(show_hidden(text).splitlines()), _SPAN_TICKS) or " "
    ticks = "`" * (_longest(line) + 1)
    pad = (
        " "
        if line.strip(" ") and (line.startswith(("`", " ")) or line.endswith(("`", " ")))
        else ""
    )
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """A fenced Markdown block that the text cannot close."""
    shown = _shortened("\n".join(show_hidden(line) for line in _BREAK.split(text)), _FENCE_TICKS)
    ticks = "`" * max(3, _longest(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _shortened(text: str, most: int) -> str:
    return _BACKTICKS.sub(lambda run: run[0][:most], text)


def _longest(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def uri_path(path: str) -> str:
    """A path as the part of an address; bytes that are no text stay what they are."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"
        for byte in path.encode("utf-8", "surrogateescape")
    )


def plain_text(text: str) -> str:
    """The text with its lines."""
    # Twice, because taking control characters out of a token's middle makes it whole.
    return redact(terminal_text(redact(text)))


def plain_line(text: str, limit: int = 300) -> str:
    """The text on one line; cut only after redaction, so that no half of a secret is left."""
    return terminal_line(plain_text(text), limit)
