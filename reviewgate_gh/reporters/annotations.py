"""GitHub's workflow commands: annotations on the lines of a pull request.

Each line is one command that starts with our own `::level`; whatever is foreign stands behind it,
escaped.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..model.finding import Finding, Priority
from ..model.report import Report
from ..text.escape import command_data, command_property
from ..text.safe import safe_line
from . import _words
from ._look import OutputStyle

# https://github.com/orgs/community/discussions/26680
MAX_PER_LEVEL = 10  # of each level that GitHub shows of one step

_LEVELS = {
    Priority.P0: "error",
    Priority.P1: "error",
    Priority.P2: "warning",
    Priority.P3: "notice",
}


class _Command(NamedTuple):
    level: str
    place: dict[str, str]
    title: str
    message: str


def render(report: Report, style: OutputStyle) -> str:
    """At most ten commands a level; a last notice counts what only the summary holds.

    "" when there is nothing to say.
    """
    shown: list[_Command] = []
    room = {"error": MAX_PER_LEVEL, "warning": MAX_PER_LEVEL, "notice": MAX_PER_LEVEL - 1}
    left = len(_words.uncertain_findings(report))
    for command in _commands(report):
        if room[command.level]:
            room[command.level] -= 1
            shown.append(command)
        else:
            left += 1
    if left:
        shown.append(
            _Command(
                "notice",
                {},
                _words.PROGRAM_NAME,
                f"{_words.count_noun(left, 'more finding')} in the job's summary",
            )
        )
    return "".join(_written(command) for command in shown)


def _commands(report: Report) -> Iterator[_Command]:
    for remark in _words.run_remarks(report):
        yield _Command(remark.level, {}, remark.title, remark.text)
    for finding in _words.confident_findings(report):
        yield _of(finding)


def _of(finding: Finding) -> _Command:
    place = {"file": finding.path}
    if finding.line_start and finding.side == "RIGHT":
        place |= {
            "line": str(finding.line_start),
            "endLine": str(max(finding.line_end, finding.line_start)),
        }
        start, end = _words.sure_columns(finding)
        # Columns of a place of several lines are refused:
        # https://docs.github.com/en/rest/checks/runs#create-a-check-run
        if start and place["line"] == place["endLine"]:
            place |= {"col": str(start), "endColumn": str(max(start, end - 1))}
    rule = _words.rule_or_category(finding)
    title = f"{finding.priority.value} {rule} ({finding.fingerprint})"
    return _Command(
        _LEVELS[finding.priority],
        place,
        title,
        ": ".join(filter(None, [finding.title, finding.body])),
    )


def _written(command: _Command) -> str:
    known = {**command.place, "title": command.title}
    properties = ",".join(
        f"{name}={command_property(safe_line(value, 4_096))}" for name, value in known.items()
    )
    return f"::{command.level} {properties}::{command_data(safe_line(command.message, 1_000))}\n"
