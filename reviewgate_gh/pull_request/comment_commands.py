"""The commands in a comment: lines of plain text that start with `/reviewgate-gh`.

Whoever shows a command in code, quotes it or hides it does not give it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from ..text.patterns import lazy_pattern

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PREFIX = "/reviewgate-gh"
_COMMAND = lazy_pattern(
    rf"(?m)^[ \t]*(?P<name>{PREFIX})(?:[ \t]+(?P<verb>\S+)[ \t]*(?P<words>.*))?[ \t]*$"
)
# Stands before each possible command, and a number between them. They are no characters that
# anybody writes, and none of the comment's own is left.
_SIGNS = "\ue000", "\ue001"
_NUMBERED = lazy_pattern(f"{_SIGNS[0]}([0-9]+){_SIGNS[1]}")
# What shows its content as code or as somebody else's words, or hides it
_HTML = lazy_pattern(
    r"<(?P<end>/?)(?:blockquote|code|del|details|kbd|pre|q|s|samp|strike|template|tt)"
    r"(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_BREAKS = ("softbreak", "hardbreak")
_PARAGRAPHS = ("paragraph_open", "heading_open")


class CommentCommand(Struct, frozen=True):
    """A command: its verb ("" where only the program is named), and the words behind it."""

    verb: str
    words: str


def commands_in(body: str) -> tuple[CommentCommand, ...]:
    """The commands that a comment gives, in their order, as GitHub's Markdown reads it."""
    if PREFIX not in body:
        return ()
    found = list[CommentCommand]()

    def numbered(line: re.Match[str]) -> str:
        found.append(CommentCommand(line["verb"] or "", (line["words"] or "").strip()))
        at = line.start("name") - line.start()
        number = f"{_SIGNS[0]}{len(found) - 1}{_SIGNS[1]}"
        return f"{line[0][:at]}{number}{line[0][at:]}"

    text = re.sub(f"[{''.join(_SIGNS)}]", "\ufffd", body.replace("\r\n", "\n").replace("\r", "\n"))
    return tuple(found[each] for each in _plain(_COMMAND.sub(numbered, text)))


def _plain(text: str) -> Iterator[int]:
    """The numbers that stand at the start of a line of an ordinary paragraph, or of one that a row
    of dashes below it makes a heading."""
    quotes = hidden = 0
    before = ""
    for token in _parser().parse(text):
        quotes += token.nesting * token.type.startswith("blockquote")
        if token.type == "html_block":
            hidden = _open_tags(token.content, hidden)
        for each, starts in _pieces(token):
            if each.type == "html_inline":
                hidden = _open_tags(each.content, hidden)
            is_plain = starts and not hidden and not quotes and before in _PARAGRAPHS
            if is_plain and (number := _NUMBERED.match(each.content)):
                yield int(number[1])
        before = token.type


def _pieces(token: "Token") -> Iterator[tuple["Token", bool]]:
    """The parts of a paragraph, and whether a part is text at the start of a line."""
    starts = True
    for each in token.children or ():
        yield each, starts and each.type == "text"
        starts = each.type in _BREAKS


def _open_tags(html: str, before: int) -> int:
    """How many of these elements are open after this, after so many before it."""
    for tag in _HTML.finditer(re.sub(r"(?s)<!--.*?(?:-->|\Z)", "", html)):
        before = max(0, before + (-1 if tag["end"] else 1))
    return before


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    blocks = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
    inline = blocks.get_active_rules()["inline"]
    kept = ("text", "newline", "escape", "backticks", "html_inline")
    return blocks.disable([name for name in inline if name not in kept])
