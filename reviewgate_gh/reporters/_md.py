"""The doors for text in Markdown."""

from ..text.escape import code_span, fence
from ..text.sanitize import markdown
from ._doors import block, line


def prose(text: str, limit: int = 500) -> str:
    """Foreign text as words on one line."""
    return markdown(line(text, limit))


def paragraphs(text: str, limit: int) -> str:
    """Foreign text that may have several lines, cut at so many characters."""
    return markdown(block(text)[:limit])


def cell(text: str) -> str:
    """Words in a table; a pipe would end the cell, and a backslash before it would not help inside code."""
    return prose(text).replace("|", "&#124;")


def code_cell(text: str) -> str:
    """Code in a table."""
    shown = line(text)
    return markdown(code_span(shown)) if shown and "|" not in shown else cell(text)


def fenced(text: str) -> str:
    """A block of code."""
    return markdown(fence(block(text)))
