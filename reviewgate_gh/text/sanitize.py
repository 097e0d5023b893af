"""Foreign Markdown made inert for GitHub: plain words, code spans and code blocks are all that is
left.

A word is plain by what it may hold, not by what it may not: letters, digits and the punctuation of
prose. Whatever else GitHub would act on (mentions, references, addresses, commands, HTML, tables,
emphasis) holds another character, and is shown as code:
https://docs.github.com/en/articles/autolinked-references-and-urls
The parser finds code, links and images; the safety of what is posted does not depend on it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from .escape import code_span, fence
from .patterns import lazy_pattern
from .visible import show_hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_LETTER = r"[A-Za-z0-9\u0080-\U0010ffff]"
_PLAIN = lazy_pattern(rf"{_LETTER}(?:{_LETTER}|[\"'(),.;?!%+=-]|/(?={_LETTER}))*+")
# These hold nothing else, and GitHub makes links of them all the same: addresses, issues, commits.
_LINKED = lazy_pattern(
    r"www\.|gh-[0-9]|(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{7,40}(?![0-9a-z])", re.IGNORECASE
)
_SYMBOLS = ("-", "+", "=", "/", "&", "%")  # as a word of their own, though not as a line's first
_ITEM = lazy_pattern(r"([ \t]*)[-*+]([ \t]+)(?=\S)")
_EMPHASIS = lazy_pattern(r"(?<!\S)(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?!\w)")
_BEFORE, _AFTER = "\"'(", ".,;:!?'\""
_CODE = "\0"  # stands for a code span: the text itself holds no control characters
_SPACE = lazy_pattern(r"([^\S\n]+)")
_MARKER = lazy_pattern(r"<!-(?=-\s*+reviewgate)", re.IGNORECASE)
# GitHub turns these blocks into buttons and pictures
_DRAWN = ("suggestion", "mermaid", "math", "geojson", "topojson", "stl")
_LANGUAGE = lazy_pattern(r"[\w+#.-]*")


def inert_markdown(text: str) -> str:
    """The text as inert Markdown, safe in a comment, an issue or a step summary; several lines need
    to start at a line's start.

    What is one line stays one line. Doing it twice changes nothing.
    """
    shown = _seen(text.replace("\r\n", "\n").replace("\r", "\n"))
    parser = _parser()
    tokens = parser.parse(shown) if "\n" in shown else parser.parseInline(shown)
    parts = []
    for token in tokens:
        if token.type == "fence":
            parts.append(fence(token.content.removesuffix("\n"), _language(token.info)))
        elif token.type == "inline":
            parts.append(_inline(token.children or ()))
    return _MARKER.sub("<! -", "\n\n".join(filter(str.strip, parts)))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            """It has a scheme: code such as `handlers[i](event)` is no link."""
            return ":" in url or url.startswith("//")

    return Parser("zero").enable(["fence", "backticks", "link", "image"])


def _seen(text: str) -> str:
    """Without hidden characters; taking one away may uncover another."""
    while (shown := show_hidden(text)) != text:
        text = shown
    return text


def _language(info: str) -> str:
    found = _LANGUAGE.match(info.strip())
    name = found[0] if found else ""
    return "" if name.lower().startswith(_DRAWN) else name


def _inline(tokens: "Sequence[Token]") -> str:
    """Words and code. Of a link its text and its address are left, of an image its alternative
    text."""
    text, codes, addresses = "", list[str](), list[str]()
    for token in tokens:
        match token.type:
            case "code_inline":
                text += _CODE
                codes.append(code_span(token.content))
            case "link_open":
                addresses.append(str(token.attrs["href"]))
            case "link_close":
                text += f" ({_CODE})" if text[-1:].strip() else f"({_CODE})"
                codes.append(code_span(addresses.pop()))
            case _:
                text += token.content
    left = iter(codes)
    return "\n".join(_line(line, left) for line in _EMPHASIS.sub(r"\2", text).split("\n"))


def _line(text: str, codes: Iterator[str]) -> str:
    item = _ITEM.match(text)
    out = f"{item[1]}-{item[2]}" if item else ""
    first = True
    for chunk in _SPACE.split(text[item.end() :] if item else text):
        if chunk.isspace() or (chunk in _SYMBOLS and not first):
            out += chunk
        elif chunk:
            out, first = _joined(out, _chunk(chunk, codes)), False
    return out


def _chunk(text: str, codes: Iterator[str]) -> str:
    """What stands between two spaces."""
    first, *others = text.split(_CODE)
    out = _word(first)
    for word in others:
        out = _joined(_joined(out, next(codes)), _word(word))
    return out


def _joined(before: str, after: str) -> str:
    """Two code spans side by side would be read as one."""
    return f"{before} {after}" if before.endswith("`") and after.startswith("`") else before + after


def _word(text: str) -> str:
    """The word, or what it holds between its punctuation as code."""
    rest = text.lstrip(_BEFORE)
    core = rest.rstrip(_AFTER if "(" in rest else _AFTER + ")")
    if not core or (_PLAIN.fullmatch(core) and not _LINKED.search(rest)):
        return text
    return text[: len(text) - len(rest)] + code_span(core) + rest[len(core) :]
