"""The texts that are posted on a pull request. Every foreign word passes the doors of `_md`; the
caller adds the hidden marker.

Each part has a limit of its own, counted after it was made inert, so that no text is cut where
something was opened.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from html import unescape

from msgspec import Struct

from ..model.config import LOCK_FILES
from ..model.finding import Finding, FindingState, Priority
from ..model.report import Report
from ..reporters import _words
from ..text.redact import redact
from ..text.safe import (
    code_block,
    code_table_cell,
    markdown_paragraphs,
    markdown_words,
    safe_block,
    safe_line,
    without_commands,
)
from ..text.visible import show_hidden
from .actions import PlacedFinding, PostReview

# https://github.com/danger/danger/issues/424
MAX_CHARACTERS = 60_000  # characters with the marker: GitHub refuses a body over 65,536
_BODY, _SUGGESTION = 8_000, 6_000
_ROWS = 35_000  # characters of all findings that are listed
_WORDS = (400, 120, 40, 10)  # how much of each foreign text a row shows, the first that fits
_FENCE = 200  # backticks: GitHub's parser does not count much further
_ROW = "- **P"
_HEADED = re.compile(r"[0-9,]+ findings? without a comment of (its|their) own:")
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


def inline_comment(placed: PlacedFinding) -> str:
    """The comment at a finding's line."""
    finding = placed.finding
    parts = [f"**{finding.priority.value}** {_short(finding.title, 600)}"]
    if placed.is_at_cause:
        quoted = safe_block("\n".join(line.text for line in finding.excerpt))
        parts.append(f"This line breaks {_code_place(finding.location, 400)}:")
        parts.append(code_block(quoted[:_SUGGESTION]))
    if finding.body.strip():
        parts.append(markdown_paragraphs(finding.body, _BODY))
    if finding.suggestion is not None:
        parts.append(_suggestion(finding, finding.suggestion.replace("\r\n", "\n"), placed))
    if others := _words.other_places(finding):
        parts.append(f"Also at {_short(_words.join_first(others, 20), 2_000)}")
    parts.append(
        f"<sub>{_origin(finding)} · a false alarm? Reply <code>/reviewgate-gh dismiss "
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


def review_body(post: PostReview, report: Report) -> str:
    """A review's own text: the verdict, what stands against a better event, and the findings that
    have no line of their own."""
    if post.part > 1:
        return without_commands(f"Continued: review of {_short(report.change.head[:12], 60)}.")
    return without_commands("\n\n".join(_paragraphs(post, report)))


def _paragraphs(post: PostReview, report: Report) -> Iterator[str]:
    verdict, *rest = _words.summary_parts(report)
    yield f"**{_words.PROGRAM_NAME}: {_short(verdict, 200)}** · {_short(' · '.join(rest), 1_000)}"
    if post.reasons:
        yield f"<sub>Posted as a comment only: {_short(' '.join(post.reasons), 2_000)}</sub>"
    yield from (_short(hint, 600) for hint in post.hints)
    if gaps := _words.inconclusive_reasons(report):
        yield "\n".join(["Why there is no verdict:", *_list(gaps, 10)])
    if post.listed:
        yield "\n".join([_headed(len(post.listed)), *_rows(post.listed)])
    if post.more:
        yield f"{_words.count_noun(post.more, 'finding')} more in the report only."
    if dismissed := [
        f"{f.location} {f.title} ({f.note})"
        for f in report.findings
        if f.state is FindingState.DISMISSED
    ]:
        yield "\n".join(["Dismissed:", *_list(dismissed, 20)])
    if report.verdict.not_reviewed:
        yield (
            "Not reviewed: "
            f"{_short(_words.join_first(_words.unreviewed_lines(report), 50, '; '), 2_000)}"
        )
    if aside := _words.set_aside_text(report):
        yield f"Set aside: {_short(aside, 500)}."
    range_ = _short(f"{report.change.base[:12]}..{report.change.head[:12]}", 120)
    notices = f" · {_short(' · '.join(report.notices), 2_000)}" if report.notices else ""
    yield f"<sub>Reviewed {range_}, config: {_short(report.config_source, 300)}{notices}</sub>"


def without_findings(text: str, fingerprints: Collection[str]) -> str:
    """A posted text without the rows of these findings."""
    names = [f"`{name}`" for name in fingerprints]
    rows = [
        row
        for row in text.split("\n")
        if not (row.startswith(_ROW) and any(name in row for name in names))
    ]
    left = sum(row.startswith(_ROW) for row in rows)
    head = [_headed(left)] if left else []
    return "\n".join(
        kept for row in rows for kept in (head if _HEADED.fullmatch(row.rstrip()) else [row])
    )


def _headed(number: int) -> str:
    whose = "its" if number == 1 else "their"
    return f"{_words.count_noun(number, 'finding')} without a comment of {whose} own:"


def _rows(listed: Sequence[PlacedFinding]) -> list[str]:
    most = _ROWS // len(listed)
    return [
        next(
            (row for words in _WORDS if len(row := _row(each, words)) <= most),
            _row(each, _WORDS[-1]),
        )
        for each in listed
    ]


def _row(placed: PlacedFinding, words: int) -> str:
    finding = placed.finding
    place = _code_place(finding.location, words)
    return (
        f"- **{finding.priority.value}** {place} {markdown_words(finding.title, words)} "
        f"({_origin(finding, words)}; {placed.reason})"
    )


def _code_place(location: str, words: int) -> str:
    return code_table_cell(safe_line(location, words))


def _list(texts: Sequence[str], most: int) -> list[str]:
    more = [f"- … and {len(texts) - most:,} more"] if len(texts) > most else []
    return [*(f"- {_short(text, 300)}" for text in texts[:most]), *more]


def _origin(finding: Finding, words: int = 100) -> str:
    said = finding.rule.partition("/")[0]
    sources = _words.join_first((source for source in finding.sources if source != said), 5)
    parts = [
        code_table_cell(safe_line(_words.rule_or_category(finding), words)),
        *([markdown_words(sources, words)] if sources else []),
        f"`{finding.fingerprint}`",
    ]
    return " · ".join(parts)


_STATED = re.compile(r"\*\*(P[0-3])\*\* (.*)")
_LISTED = re.compile(
    rf"{re.escape(_ROW)}[0-3]\*\* (`+)[^\n]*?\1 (.*) \([^\n]*`([0-9a-f-]+)`; [^\n]*\)"
)
_MARKUP = re.compile(r"\\(?=[!-/:-@\[-`{-~])|`+")


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
    return StatedFinding(_plain(found[2]), _plain(body), Priority(found[1]))


def read_listed(text: str) -> dict[str, str]:
    """The titles of the findings that a review's text lists, by their fingerprints."""
    return {found[3]: _plain(found[2]) for found in map(_LISTED.match, text.split("\n")) if found}


def _plain(text: str) -> str:
    return unescape(_MARKUP.sub("", text)).strip()


def _short(text: str, most: int) -> str:
    """Foreign words in at most so many characters of Markdown: to be inert takes room."""
    words = most
    while len(shown := markdown_words(text, words)) > most:
        words //= 2
    return shown
