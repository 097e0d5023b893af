"""SARIF 2.1.0 (OASIS), within the limits of GitHub's code scanning."""

import json
import zlib
from typing import Any

from .. import __version__
from ..model.finding import Finding, State
from ..model.report import Outcome, Report
from ..model.review import Status
from . import _words
from ._doors import inert_json, line
from ._look import Look
from ._sarif_result import result, rules

MOST = 25_000  # results of a run, and so rules of a run, that GitHub takes
MOST_BYTES = 10_000_000  # of a packed file, which GitHub takes
_SUPPRESSED = (State.WAIVED, State.DISMISSED)

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_NO_RESULTS = '"results": []'  # stands once in the log: inside a string its quotes would be escaped
_REPOSITORY = "urn:git:repository"  # the schema demands an address, and a report knows object ids only


def render(report: Report, look: Look) -> str:
    """One run: a result for each open, waived or dismissed finding; the most severe ones when GitHub would take no more."""
    suppressed = sorted((f for f in report.findings if f.state in _SUPPRESSED), key=lambda f: f.priority.value)
    findings = [*_words.certain(report), *_words.doubtful(report), *suppressed]
    most = min(MOST, len(findings))
    while True:
        text = _drawn(report, findings[:most], len(findings) - most)
        # What is small as it is needs no packing; gzip adds a few bytes to what is packed here.
        size = len(zlib.compress(text.encode("utf-8", "replace"))) + 100 if len(text) > MOST_BYTES // 4 else 0
        if size <= MOST_BYTES or not most:
            return text
        most = most * MOST_BYTES // (size + 1)


def _drawn(report: Report, findings: list[Finding], left_out: int) -> str:
    known = rules(findings)
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, known, left_out)]}
    return inert_json(json.dumps(log, indent=1).replace(_NO_RESULTS, _results(findings, list(known)))) + "\n"


def _results(findings: list[Finding], known: list[str]) -> str:
    """A result a line: json's own indenting takes seconds for all that GitHub takes."""
    places = {name: index for index, name in enumerate(known)}
    lines = (f"    {json.dumps(result(finding, places))}" for finding in findings)
    return '"results": [\n' + ",\n".join(lines) + "\n   ]"


def _run(report: Report, known: dict[str, dict[str, Any]], left_out: int) -> dict[str, Any]:
    return {
        "tool": {"driver": {"name": _words.NAME, "version": __version__, "rules": list(known.values())}},
        "invocations": [_invocation(report, left_out)],
        "versionControlProvenance": [
            {"repositoryUri": _REPOSITORY, "revisionId": line(report.change.head), "mappedTo": {"uriBaseId": "%SRCROOT%"}}
        ],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [],
        "properties": {
            "outcome": report.verdict.outcome.value,
            "setAside": _words.set_aside(report),
            "leftOut": left_out,
            "notReviewed": [{"path": line(row.path, 4_096), "language": line(row.language)} for row in report.coverage.missing[:MOST]],
        },
    }


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    times = {"startTimeUtc": line(report.started), "endTimeUtc": line(report.finished)}
    return {
        "executionSuccessful": report.verdict.outcome is not Outcome.INCONCLUSIVE,
        **{name: value for name, value in times.items() if value},
        "toolExecutionNotifications": _notifications(report, left_out),
    }


def _notifications(report: Report, left_out: int) -> list[dict[str, Any]]:
    """What went wrong or was left out; a reviewer that was not asked is a note."""
    said = [("note" if row.status is Status.SKIPPED else "error", _words.ended(row)) for row in _words.unanswered(report)]
    if report.skipped:
        said.append(("warning", f"The gate was overridden: {report.skipped}"))
    if not_reviewed := _words.unreviewed(report):
        said.append(("warning", f"Not reviewed: {_words.listed(not_reviewed, 100, '; ')}"))
    if left_out:
        said.append(("warning", f"{_words.counted(left_out, 'result')} over GitHub's limit left out; the JSON report has all of them."))
    return [{"level": level, "message": {"text": line(text, 20_000)}} for level, text in said]
