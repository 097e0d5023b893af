"""Text ready to be shown: redacted, without control characters, never a workflow command, inert in
Markdown."""

import re
from typing import Any

from .escape import code_span, fence, terminal_line, terminal_text
from .patterns import lazy_pattern
from .redact import redact
from .sanitize import inert_markdown

# https://github.github.com/gfm/#example-200
_PIPE = lazy_pattern(r"\\*+\|")
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
_COMMAND = lazy_pattern(r"^([^\S\n]*)::|(##)\[", re.MULTILINE)


def safe_block(text: str) -> str:
    """Foreign text that may have several lines."""
    # Twice, because taking control characters out of a token's middle makes it whole.
    return redact(terminal_text(redact(text)))


def safe_line(text: str, limit: int = 300) -> str:
    """Foreign text on one line; cut only after redaction, so that no half of a secret is left."""
    return terminal_line(safe_block(text), limit)


def safe_data(text: str) -> str:
    """Text for a machine: as it is, but for secrets, those that escape sequences cut in two among
    them."""
    kept = redact(text)
    if kept.isprintable() or (shown := redact(terminal_text(kept))) == terminal_text(kept):
        return kept
    return shown


def safe_values(plain: Any) -> Any:
    """JSON data, each text in it as `safe_data` leaves it."""
    if isinstance(plain, str):
        return safe_data(plain)
    if isinstance(plain, dict):
        return {safe_data(key): safe_values(item) for key, item in plain.items()}
    return [safe_values(item) for item in plain] if isinstance(plain, list | tuple) else plain


def safe_code(text: str, limit: int = 300) -> str:
    """One line of foreign code, its indentation kept, tabs as spaces."""
    shown = " ".join(safe_block(text).expandtabs(4).splitlines()).rstrip()
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def without_commands(text: str) -> str:
    """Output in which the runner of GitHub Actions finds no command, at the start of a line or in
    the older form anywhere."""
    return _COMMAND.sub(lambda found: f"{found[2]}\\[" if found[2] else f"{found[1]}\\::", text)


def json_without_commands(text: str) -> str:
    """The same for JSON, where no line starts with a command and an escape leaves the value as it
    is."""
    return text.replace("##[", "#\\u0023[")


def markdown_words(text: str, limit: int = 500) -> str:
    """Foreign text as words on one line."""
    return inert_markdown(safe_line(text, limit))


def markdown_paragraphs(text: str, limit: int) -> str:
    """Foreign text that may have several lines, cut at so many characters."""
    return inert_markdown(safe_block(text)[:limit])


def table_cell(text: str) -> str:
    """Words in a table."""
    return _cell(markdown_words(text))


def code_table_cell(text: str) -> str:
    """Code in a table."""
    shown = safe_line(text)
    return _cell(inert_markdown(code_span(shown))) if shown else ""


def _cell(shown: str) -> str:
    """A pipe ends a cell unless one backslash stands before it, in code as elsewhere
    (https://github.github.com/gfm/#example-200)."""
    return _PIPE.sub(r"\\|", shown)


def code_block(text: str) -> str:
    """A block of code."""
    return inert_markdown(fence(safe_block(text)))
