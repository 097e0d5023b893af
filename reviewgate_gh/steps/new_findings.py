"""The findings that existing comments are compared with: from our own report, or from a plain list."""

from typing import Any

from ..model.codec import from_plain
from ..model.finding import Confidence, Finding, Priority, State
from ..model.presubmit import Current, NewFinding
from ..model.report import SCHEMA_VERSION, Report
from . import strict
from .markers import FINGERPRINT

_WHAT = "a review report or a list of findings"
_KEYS = {"path", "line", "fingerprint"}
_STANDING = (State.OPEN, State.DUPLICATE)
_POSTED_FROM = Priority.P2


def read(data: bytes, sha: str) -> Current:
    """The findings in a file: our report of the commit `sha`, or a list of {path, line, fingerprint?}.

    Raises:
        ValueError: anything else; one line says what is wrong.
    """
    plain = strict.load(strict.decode(data, _WHAT), _WHAT)
    if isinstance(plain, list):
        return Current(tuple(_row(item, f"item {at}") for at, item in enumerate(plain, 1)))
    if not isinstance(plain, dict) or "schema_version" not in plain:
        raise ValueError(f"not {_WHAT}")
    if plain["schema_version"] != SCHEMA_VERSION:
        raise ValueError(f"the report has schema_version {plain['schema_version']!r:.40}; this version reads {SCHEMA_VERSION}")
    report: Report = from_plain(Report, plain)
    if report.change.head != sha:
        raise ValueError(f"the report is about {report.change.head:.12}, not about {sha:.12}")
    return of_report(report)


def of_report(report: Report) -> Current:
    """What stands in the reviewed code; only what is certain, placed and P2 or more severe would be posted at its line."""
    standing = [finding for finding in report.findings if finding.state in _STANDING]
    return Current(
        tuple(_new(finding) for finding in standing),
        {finding.fingerprint: finding.priority for finding in standing},
        len(report.verdict.not_reviewed) + report.coverage.allowed,
    )


def _new(finding: Finding) -> NewFinding:
    inline = finding.state is State.OPEN and finding.confidence is Confidence.HIGH and finding.placed
    last = max(finding.line_start, finding.line_end)
    return NewFinding(finding.path, last, finding.fingerprint, finding.side, inline and finding.priority.reaches(_POSTED_FROM))


def _row(item: Any, where: str) -> NewFinding:
    row = strict.obj(item, where)
    if unknown := sorted(set(row) - _KEYS):
        raise ValueError(f"{where}: unknown field {strict.one_line(unknown[0], 40)!r}")
    path = strict.tidy_path(strict.path_text(row.get("path"), f"{where}: path"))
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"{where}: the path must be inside the repository")
    fingerprint = strict.string(row.get("fingerprint", ""), f"{where}: fingerprint")
    if fingerprint and not FINGERPRINT.fullmatch(fingerprint):
        raise ValueError(f"{where}: {strict.one_line(fingerprint, 40)!r} is not a fingerprint")
    return NewFinding(path, strict.whole(row.get("line"), f"{where}: line"), fingerprint)
