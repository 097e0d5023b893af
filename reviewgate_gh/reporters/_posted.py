"""The texts that are posted on a pull request. Every foreign word passes the doors of `_md`; the caller adds the hidden marker."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from ..model.action import Placed, Post
from ..model.excludes import LOCK_FILES
from ..model.finding import Finding, State
from ..model.report import Report
from ..text.redact import redact
from ..text.visible import visible
from . import _words
from ._doors import inert
from ._md import code_cell, fenced, paragraphs, prose

MOST = 60_000  # characters: GitHub refuses a body over 65,536
_LISTED = 50
_BODY, _ROW = 8_000, 400
_HANDS_OFF = (".github/*", ".gitlab-ci*", "*.lock", "*jenkinsfile*", ".circleci/*", ".pre-commit-config.yaml", "action.yml", "action.yaml")


def inline(placed: Placed) -> str:
    """The comment at a finding's line."""
    finding = placed.finding
    parts = [f"**{finding.priority.value}** {prose(finding.title)}"]
    if finding.body.strip():
        parts.append(paragraphs(finding.body, _BODY))
    if finding.suggestion is not None:
        parts.append(_suggestion(finding, finding.suggestion, placed))
    if others := _words.elsewhere(finding):
        parts.append(f"Also at {prose(_words.listed(others, 20), 2_000)}")
    parts.append(f"<sub>{_origin(finding)} · a false alarm? Reply <code>/reviewgate-gh dismiss REASON</code></sub>")
    return inert("\n\n".join(parts))[:MOST]


def _suggestion(finding: Finding, text: str, placed: Placed) -> str:
    """A block that one click commits, only where it replaces the comment's very lines; elsewhere, and for what CI runs, plain code."""
    first, last = placed.start or placed.line, placed.line
    exact = (first, last) == (finding.line_start, max(finding.line_start, finding.line_end))
    if not exact or _hands_off(finding.path) or redact(text) != text or any(visible(row) != row for row in text.split("\n")):
        return f"Suggestion:\n\n{fenced(text)}"
    ticks = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return f"{ticks}suggestion\n{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{ticks}"


def _runs(text: str) -> Iterator[str]:
    return (word for word in "".join(c if c == "`" else " " for c in text).split(" ") if word)


def _hands_off(path: str) -> bool:
    """Workflows, CI and lock files: a click must not change what builds run."""
    name = path.rpartition("/")[2]
    return name in LOCK_FILES or any(fnmatchcase(path.lower(), glob) or fnmatchcase(name.lower(), glob) for glob in _HANDS_OFF)


def body(post: Post, report: Report) -> str:
    """A review's own text: the verdict, what stands against a better event, and the findings that have no line of their own."""
    if post.part > 1:
        return f"More of the review of {report.change.head[:12]}."
    return inert(_fitting("\n\n".join(_paragraphs(post, report))))


def _paragraphs(post: Post, report: Report) -> Iterator[str]:
    verdict, *rest = _words.headline(report)
    yield f"**{_words.NAME}: {prose(verdict)}** · {prose(' · '.join(rest), 1_000)}"
    if post.reasons:
        yield f"<sub>Only a comment: {prose(' '.join(post.reasons), 2_000)}</sub>"
    yield from (prose(hint) for hint in post.hints)
    if gaps := _words.gaps(report):
        yield "\n".join(["Why there is no verdict:", *_list(gaps)])
    if post.listed:
        whose = "its" if len(post.listed) == 1 else "their"
        yield "\n".join([f"{_words.counted(len(post.listed), 'finding')} without a comment of {whose} own:", *_rows(post.listed)])
    if dismissed := [f for f in report.findings if f.state is State.DISMISSED]:
        yield "\n".join(["Dismissed:", *(f"- {code_cell(f.location)} {prose(f.title)} ({prose(f.note)})" for f in dismissed[:_LISTED])])
    if report.verdict.not_reviewed:
        yield f"Not reviewed: {prose(_words.listed(report.verdict.not_reviewed, _LISTED), 4_000)}"
    if aside := _words.set_aside(report):
        yield f"Set aside: {prose(aside)}."
    range_ = f"{report.change.base[:12]}..{report.change.head[:12]}"
    yield f"<sub>Reviewed {range_}, config: {prose(report.config_source)}{''.join(f' · {prose(text)}' for text in report.notices)}</sub>"


def _rows(listed: Iterable[Placed]) -> list[str]:
    rows = [*listed]
    more = [f"- … and {len(rows) - _LISTED:,} more in the step summary"] if len(rows) > _LISTED else []
    return [*(_row(each.finding, each.why) for each in rows[:_LISTED]), *more]


def _row(finding: Finding, why: str) -> str:
    place = code_cell(finding.location)
    return f"- **{finding.priority.value}** {place} {prose(finding.title, _ROW)} ({_origin(finding)}; {why})"


def _list(texts: Iterable[str]) -> list[str]:
    return [f"- {prose(text)}" for text in texts]


def _origin(finding: Finding) -> str:
    said = finding.rule.partition("/")[0]
    sources = [source for source in finding.sources if source != said]
    return " · ".join(
        [code_cell(_words.name_of(finding)), *([prose(", ".join(sources), 100)] if sources else []), f"`{finding.fingerprint}`"]
    )


def _fitting(text: str) -> str:
    return text if len(text) <= MOST else f"{text[:MOST]}\n\n… cut here: the whole is in the step summary."
