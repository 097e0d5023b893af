"""Foreign text made inert for GitHub's Markdown: it names nobody, commands nothing, loads nothing and hides nothing."""

import re

from ._inline import Inline
from .visible import visible

_OPENING = re.compile(r"(?P<indent>[ \t]*+)(?P<fence>`{3,}+(?=[^`]*+$)|~{3,}+)[ \t]*+(?P<language>[\w+#.-]*+)")
_LONG_RUN = re.compile("`{200,}")
_LONGEST = 199  # GitHub's parser counts a fence's length up to 255 only
_RUN = re.compile("`+")
_MARKER = re.compile(r"<!-(?=-\s*+reviewgate)", re.IGNORECASE)
_DRAWN = ("suggestion", "mermaid", "math", "geojson", "topojson", "stl")  # GitHub turns these blocks into buttons and pictures


def markdown(text: str) -> str:
    """The text as inert Markdown, safe in a comment, an issue or a step summary; several lines need to start at a line's start.

    What is one line stays one line. Mentions, closing and foreign references, commands and URLs become code, images their alternative
    text; only links to https://github.com stay links. Doing it twice changes nothing.
    """
    shown = _MARKER.sub("<! -", _seen(text.replace("\r\n", "\n").replace("\r", "\n")))
    lines = shown.split("\n")
    inline, out, at = Inline(), [], 0
    while at < len(lines):
        opening = _OPENING.match(lines[at]) if len(lines) > 1 else None
        if opening is None:
            out.append(inline.line(lines[at]))
            at += 1
            continue
        end = _closing(lines, at + 1, opening)
        out += _block(lines[at + 1 : end], opening, closed=end < len(lines))
        at = end + 1
    return "\n".join(out)


def _seen(text: str) -> str:
    """Without hidden characters; taking one away may uncover another."""
    while (shown := visible(text)) != text:
        text = shown
    return text


def _closing(lines: list[str], at: int, opening: re.Match[str]) -> int:
    """The index of the line that closes the fence, or behind the last."""
    fence, deepest = opening["fence"], len(opening["indent"].expandtabs(4)) + 3
    for index in range(at, len(lines)):
        line = lines[index].strip(" \t")
        if len(line) >= len(fence) and not line.strip(fence[0]):
            indent = lines[index].expandtabs(4)
            if len(indent) - len(indent.lstrip(" ")) <= deepest:
                return index
    return len(lines)


def _block(content: list[str], opening: re.Match[str], closed: bool) -> list[str]:
    """The fence at the line's start, where no list or quotation can end before it does, and longer than any run inside."""
    indent = len(opening["indent"])
    kept = [_LONG_RUN.sub("`" * _LONGEST, _dedented(line, indent)) for line in content]
    while not closed and kept and not kept[-1].strip():
        kept.pop()
    longest = max((len(run) for line in kept for run in _RUN.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = "" if opening["language"].lower().startswith(_DRAWN) else opening["language"]
    return [fence + language, *kept, fence]


def _dedented(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
