"""The texts of a check run on the reviewed commit: every foreign word passes a door, the summary's those for Markdown."""

from collections.abc import Mapping
from typing import Any

from ..model.finding import Finding, Priority
from ..model.report import Report
from ..text.visible import is_text
from . import _words
from ._doors import block, data, inert, line
from .markdown import fitted

_MOST_ANNOTATIONS = 500  # ten requests
_MOST_SUMMARY = 60_000  # bytes: GitHub refuses a text over 65,535 characters
_MOST_TITLE, _MOST_MESSAGE = 250, 8_000
_LEVELS = {Priority.P0: "failure", Priority.P1: "failure", Priority.P2: "warning"}


def title(report: Report) -> str:
    """The verdict, what it counts, and the code without a reviewer."""
    parts = [*_words.headline(report)[:2], *filter(None, [report.coverage.summary])]
    return inert(line(" · ".join(parts), _MOST_TITLE))


def summary(report: Report) -> str:
    """What the step summary shows, as far as it fits."""
    text = fitted(report, _MOST_SUMMARY)
    return text if len(text) <= _MOST_SUMMARY else f"{text[:_MOST_SUMMARY]}\n\n… cut here: the full text is in the report."


def annotations(report: Report) -> tuple[Mapping[str, Any], ...]:
    """The open findings from P0 to P2, most severe first; one whose file has a name that no JSON can hold is in the summary only."""
    shown = [finding for finding in _words.certain(report) if finding.priority in _LEVELS and is_text(finding.path)]
    return tuple(_annotation(finding) for finding in shown[:_MOST_ANNOTATIONS])


def _annotation(finding: Finding) -> Mapping[str, Any]:
    # GitHub wants a line; for a whole file, and for lines that are gone, it is the first one.
    first = finding.line_start if finding.side == "RIGHT" else 0
    said = inert(block("\n\n".join(filter(None, [finding.title, finding.body.strip()]))))
    return {
        "path": data(finding.path),
        "start_line": max(1, first),
        "end_line": max(1, first, finding.line_end if first else 0),
        "annotation_level": _LEVELS[finding.priority],
        "title": inert(line(f"{finding.priority.value} {_words.name_of(finding)}", _MOST_TITLE)),
        "message": said[:_MOST_MESSAGE] or "no description",
    }
