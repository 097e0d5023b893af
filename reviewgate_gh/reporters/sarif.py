"""SARIF 2.1.0 (OASIS), within the limits of GitHub's code scanning."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from .. import __version__
from ..model.finding import CausingPlace, Confidence, Finding, FindingState, Priority
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus
from ..text.escape import uri_path
from ..text.safe import json_without_commands, safe_block, safe_data, safe_line
from . import _words
from ._links import remark, rule_page
from ._look import OutputStyle

_LEVELS = {Priority.P0: "error", Priority.P1: "error", Priority.P2: "warning", Priority.P3: "note"}
# Critical, high, medium, low at GitHub
_SEVERITY = {Priority.P0: "9.5", Priority.P1: "8.0", Priority.P2: "5.0", Priority.P3: "2.0"}
# https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning#reportingdescriptor-object
_MOST_DESCRIPTION = 1_024  # characters that GitHub takes
_SECURITY = ("security", "secret", "secrets")


def sarif_rules(findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """The rules by id, each described by its first and so most severe finding."""
    known: dict[str, dict[str, Any]] = {}
    for finding in findings:
        name = sarif_rule_id(finding)
        if name not in known:
            known[name] = _rule(name, finding)
    return known


def sarif_rule_id(finding: Finding) -> str:
    """The rule's name as SARIF shows it."""
    return safe_line(_words.rule_or_category(finding), 255)


def sarif_result(finding: Finding, places: Mapping[str, int]) -> dict[str, Any]:
    """One result; `places` maps a rule id to its index."""
    shown: dict[str, Any] = {
        "ruleId": sarif_rule_id(finding),
        "ruleIndex": places[sarif_rule_id(finding)],
        "level": _LEVELS[finding.priority],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {
            "reviewgateGh/v1": finding.former_fingerprint,
            "reviewgateGh/v2": finding.fingerprint,
        },
        "properties": _properties(finding),
    }
    if finding.cause:
        shown["relatedLocations"] = [_cause(finding.cause)]
    if fix := _fix(finding):
        shown["fixes"] = [fix]
    if finding.state is not FindingState.OPEN:
        shown["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": safe_line(finding.note or finding.state.value),
            }
        ]
    return shown


def _rule(name: str, finding: Finding) -> dict[str, Any]:
    category = safe_line(finding.category)
    properties: dict[str, Any] = {"tags": [category]}
    if finding.category in _SECURITY:
        properties = {
            "tags": list(dict.fromkeys([category, "security"])),
            "security-severity": _SEVERITY[finding.priority],
        }
    documented: dict[str, Any] = {}
    if url := rule_page(finding):
        told = remark(finding).strip() or finding.title
        documented = {
            "fullDescription": {"text": safe_line(told, _MOST_DESCRIPTION)},
            "helpUri": url,
        }
    return {
        "id": name,
        "shortDescription": {"text": f"{name} ({category})"},
        **documented,
        "defaultConfiguration": {"level": _LEVELS[finding.priority]},
        "properties": properties,
    }


def _fix(finding: Finding) -> dict[str, Any]:
    """Its suggestion in the place of its lines; nothing where a secret would be left out of it."""
    text = finding.suggestion
    located = finding.line_start > 0 and finding.side == "RIGHT" and finding.is_located
    if text is None or not located or safe_data(text) != text:
        return {}
    lines = {
        "startLine": finding.line_start,
        "startColumn": 1,
        "endLine": max(finding.line_end, finding.line_start) + 1,
        "endColumn": 1,
    }
    new = {"insertedContent": {"text": f"{text.removesuffix(chr(10))}\n" if text else ""}}
    change = {**_file(finding.path), "replacements": [{"deletedRegion": lines, **new}]}
    return {
        "description": {"text": safe_line(finding.title, 500)},
        "artifactChanges": [change],
    }


def _message(finding: Finding) -> str:
    # In a SARIF message [text](target) is a link, so brackets are escaped (section 3.11.6).
    # https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
    text = "\n\n".join(
        filter(None, [safe_line(finding.title, 500), safe_block(finding.body).strip()[:10_000]])
    )
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _cause(cause: CausingPlace) -> dict[str, Any]:
    """The place in the change that breaks it."""
    place = _file(cause.path)
    if cause.line > 0:
        place["region"] = {"startLine": cause.line, "endLine": cause.line}
    return {"physicalLocation": place, "message": {"text": "The change that breaks it."}}


def _file(path: str) -> dict[str, Any]:
    uri = uri_path(safe_data(path))
    return {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}


def _location(finding: Finding) -> dict[str, Any]:
    place = _file(finding.path)
    # Lines of the base are not lines of this revision
    if finding.line_start > 0 and finding.side == "RIGHT":
        place["region"] = _region(finding)
    return place


def _region(finding: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {
        "startLine": finding.line_start,
        "endLine": max(finding.line_end, finding.line_start),
    }
    start, end = _words.sure_columns(finding)
    if start and region["startLine"] == region["endLine"]:
        region |= {"startColumn": start, "endColumn": end}
    quoted = [
        row.text for row in finding.excerpt if finding.line_start <= row.number <= finding.line_end
    ]
    if quoted:
        region["snippet"] = {"text": safe_block("\n".join(quoted)) + "\n"}
    return region


def _properties(finding: Finding) -> dict[str, Any]:
    known: dict[str, Any] = {
        "priority": finding.priority.value,
        "sources": [safe_line(source) for source in finding.sources],
    }
    if finding.confidence is Confidence.LOW:
        known["confidence"] = "low"
    if finding.places:
        known["places"] = [safe_line(place) for place in finding.places[:100]]
    return known


# https://github.com/github/docs/issues/38085
MAX_RESULTS = 25_000  # results of a run, and so rules of a run, that GitHub takes
# https://docs.github.com/code-security/code-scanning/troubleshooting-sarif-uploads/file-too-large
MAX_BYTES = 10_000_000  # of a packed file, which GitHub takes
_SUPPRESSED = (FindingState.WAIVED, FindingState.DISMISSED)

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_NO_RESULTS = '"results": []'  # stands once in the log: inside a string its quotes would be escaped
_REPOSITORY = (
    "urn:git:repository"  # the schema demands an address, and a report knows object ids only
)


def render(report: Report, style: OutputStyle) -> str:
    """One run: a result for each open, waived or dismissed finding; the most severe ones when
    GitHub would take no more."""
    suppressed = sorted(
        (f for f in report.findings if f.state in _SUPPRESSED), key=lambda f: f.priority.value
    )
    findings = [*_words.confident_findings(report), *_words.uncertain_findings(report), *suppressed]
    most = min(MAX_RESULTS, len(findings))
    # The rules of the first findings are the first rules, so each result is drawn once
    places = {name: index for index, name in enumerate(sarif_rules(findings[:most]))}
    results = [json.dumps(sarif_result(finding, places)) for finding in findings[:most]]
    while True:
        text = _drawn(report, findings[:most], results[:most], len(findings) - most)
        # What is small as it is needs no packing; gzip adds a few bytes to what is packed here.
        size = (
            len(zlib.compress(text.encode("utf-8", "replace"))) + 100
            if len(text) > MAX_BYTES // 4
            else 0
        )
        if size <= MAX_BYTES or not most:
            return text
        most = most * MAX_BYTES // (size + 1)


def _drawn(report: Report, findings: list[Finding], results: list[str], left_out: int) -> str:
    known = sarif_rules(findings)
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, known, left_out)]}
    return (
        json_without_commands(json.dumps(log, indent=1).replace(_NO_RESULTS, _results(results)))
        + "\n"
    )


def _results(results: list[str]) -> str:
    """A result a line: json's own indenting takes seconds for all that GitHub takes."""
    lines = (f"    {result}" for result in results)
    return '"results": [\n' + ",\n".join(lines) + "\n   ]"


def _run(report: Report, known: dict[str, dict[str, Any]], left_out: int) -> dict[str, Any]:
    return {
        "tool": {
            "driver": {
                "name": _words.PROGRAM_NAME,
                "version": __version__,
                "rules": list(known.values()),
            }
        },
        "invocations": [_invocation(report, left_out)],
        "versionControlProvenance": [
            {
                "repositoryUri": _REPOSITORY,
                "revisionId": safe_line(report.change.head),
                "mappedTo": {"uriBaseId": "%SRCROOT%"},
            }
        ],
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The root of the repository."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": [],
        "properties": {
            "outcome": report.verdict.outcome.value,
            "setAside": _words.set_aside_text(report),
            "leftOut": left_out,
            "notReviewed": [
                {"path": safe_line(row.path, 4_096), "language": safe_line(row.language)}
                for row in report.coverage.missing[:MAX_RESULTS]
            ],
        },
    }


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    times = {"startTimeUtc": safe_line(report.started), "endTimeUtc": safe_line(report.finished)}
    return {
        "executionSuccessful": report.verdict.outcome is not Outcome.INCONCLUSIVE,
        **{name: value for name, value in times.items() if value},
        "toolExecutionNotifications": _notifications(report, left_out),
    }


def _notifications(report: Report, left_out: int) -> list[dict[str, Any]]:
    """What went wrong or was left out; a reviewer that was not asked is a note."""
    said = [
        (
            "note" if row.status is ReviewStatus.SKIPPED else "error",
            _words.review_end_texts([row])[0],
        )
        for row in _words.reviews_without_answer(report)
    ]
    if report.skipped:
        said.append(("warning", f"The gate was overridden: {report.skipped}"))
    if not_reviewed := _words.unreviewed_lines(report):
        said.append(("warning", f"Not reviewed: {_words.join_first(not_reviewed, 100, '; ')}"))
    if left_out:
        said.append(
            (
                "warning",
                (
                    f"{_words.count_noun(left_out, 'result')} over GitHub's limit left out; the "
                    "JSON "
                    "report has all of them."
                ),
            )
        )
    return [{"level": level, "message": {"text": safe_line(text, 20_000)}} for level, text in said]
