"""The text of a comment at a line. Every foreign word passes the doors of `text.safe`; the caller
adds the hidden marker.

Each part has a limit of its own, counted after it was made inert, so that no text is cut where
something was opened.
"""

from fnmatch import fnmatchcase

from msgspec import Struct

from ..model.config import LOCK_FILES
from ..model.finding import Finding, Priority
from ..reporters import _words
from ..reporters._links import at_other_places, remark
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from ..text.safe import (
    code_block,
    markdown_paragraphs,
    markdown_words,
    safe_block,
    without_commands,
)
from ..text.visible import show_hidden
from .actions import PlacedFinding
from .rows import origin_text, place_link, plain_words

# https://github.com/danger/danger/issues/424
MAX_CHARACTERS = 60_000  # characters with the marker: GitHub refuses a body over 65,536
_BODY, _SUGGESTION, _PLACES = 8_000, 6_000, 6_000
_FENCE = 200  # backticks: GitHub's parser does not count much further
_HANDS_OFF = (
    ".github/*",
    ".gitlab-ci*",
    "*.lock",
    "*jenkinsfile*",
    ".circleci/*",
    ".pre-commit-config.yaml",
    "action.yml",
    "action.yaml",
)


def inline_comment(placed: PlacedFinding, page: str = "", commit: str = "") -> str:
    """The comment at a finding's line. `page` is the pull request's, `commit` the reviewed one."""
    finding = placed.finding
    parts = [f"**{finding.priority.value}** {short_words(finding.title, 600)}"]
    if placed.is_at_cause:
        quoted = safe_block("\n".join(line.text for line in finding.excerpt))
        parts.append(f"This line breaks {place_link(finding, 400, page, commit)}:")
        parts.append(code_block(quoted[:_SUGGESTION]))
    if (said := remark(finding)).strip():
        parts.append(markdown_paragraphs(said, _BODY))
    if finding.suggestion is not None:
        parts.append(_suggestion(finding, finding.suggestion.replace("\r\n", "\n"), placed))
    if others := _words.other_places(finding):
        places = (place_link(each, 100, page, commit) for each in at_other_places(finding))
        linked = _words.join_first(places, 20)
        plain = short_words(_words.join_first(others, 20), 2_000)
        parts.append(f"Also at {linked if len(linked) <= _PLACES else plain}")
    parts.append(
        f"<sub>{origin_text(finding)} · a false alarm? Reply <code>/reviewgate-gh dismiss "
        "REASON</code></sub>"
    )
    return without_commands("\n\n".join(parts))


def _suggestion(finding: Finding, text: str, placed: PlacedFinding) -> str:
    """A block that one click commits, only where it replaces the comment's very lines with this
    very text; elsewhere plain code."""
    first, last = placed.start or placed.line, placed.line
    exact = (first, last) == (finding.line_start, max(finding.line_start, finding.line_end))
    if finding.cause or not exact or _hands_off(finding.path) or not _verbatim(text):
        cut = "\n\n… cut here." if len(text) > _SUGGESTION else ""
        return f"Suggestion:\n\n{code_block(safe_block(text)[:_SUGGESTION])}{cut}"
    ticks = "`" * max(3, _longest(text) + 1)
    return (
        f"{ticks}suggestion\n{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{ticks}"
    )


def _verbatim(text: str) -> bool:
    """It can be shown as it is: no secret, nothing hidden, no marker like ours, no command of the
    runner's, and not too much."""
    marker = "<!-" in text and "reviewgate" in text.lower()
    hidden = "\r" in text or any(show_hidden(row) != row for row in text.split("\n"))
    return (
        redact(text) == text == without_commands(text)
        and not marker
        and not hidden
        and len(text) <= _SUGGESTION
        and _longest(text) < _FENCE
    )


def _longest(text: str) -> int:
    """The longest run of backticks."""
    return max(len(run) for run in "".join(c if c == "`" else " " for c in text).split(" "))


def _hands_off(path: str) -> bool:
    """Workflows, CI and lock files: a click must not change what builds run."""
    name = path.rpartition("/")[2]
    return name in LOCK_FILES or any(
        fnmatchcase(path.lower(), glob) or fnmatchcase(name.lower(), glob) for glob in _HANDS_OFF
    )


_STATED = lazy_pattern(r"\*\*(P[0-3])\*\* (.*)")


class StatedFinding(Struct, frozen=True):
    """A finding as a comment of ours states it: words without the marks that make them inert."""

    title: str = ""
    body: str = ""
    priority: Priority | None = None


def read_comment(text: str) -> StatedFinding:
    """What `inline_comment` wrote; nothing where somebody has edited its first line."""
    found = _STATED.match(text)
    if not found:
        return StatedFinding()
    body = text[found.end() :].partition("\n<sub>")[0]
    return StatedFinding(plain_words(found[2]), plain_words(body), Priority(found[1]))


def short_words(text: str, most: int) -> str:
    """Foreign words in at most so many characters of Markdown: to be inert takes room."""
    words = most
    while len(shown := markdown_words(text, words)) > most:
        words //= 2
    return shown
