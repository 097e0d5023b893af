"""Findings as SARIF results, and the rules that they name."""

from collections.abc import Mapping
from typing import Any

from ..model.finding import Confidence, Finding, Priority, State
from . import _words
from ._doors import block, data, line

_LEVELS = {Priority.P0: "error", Priority.P1: "error", Priority.P2: "warning", Priority.P3: "note"}
_SEVERITY = {Priority.P0: "9.5", Priority.P1: "8.0", Priority.P2: "5.0", Priority.P3: "2.0"}  # critical, high, medium, low at GitHub
_SECURITY = ("security", "secret", "secrets")
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")  # RFC 3986 unreserved, and /


def rules(findings: list[Finding]) -> dict[str, dict[str, Any]]:
    """The rules by id, each described by its first and so most severe finding."""
    known: dict[str, dict[str, Any]] = {}
    for finding in findings:
        name = rule_id(finding)
        if name not in known:
            known[name] = _rule(name, finding)
    return known


def rule_id(finding: Finding) -> str:
    """The rule's name as SARIF shows it."""
    return line(_words.name_of(finding), 255)


def result(finding: Finding, places: Mapping[str, int]) -> dict[str, Any]:
    """One result; `places` maps a rule id to its index."""
    shown: dict[str, Any] = {
        "ruleId": rule_id(finding),
        "ruleIndex": places[rule_id(finding)],
        "level": _LEVELS[finding.priority],
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": _location(finding)}],
        "partialFingerprints": {"reviewgateGh/v1": finding.fingerprint},
        "properties": _properties(finding),
    }
    if finding.state is not State.OPEN:
        shown["suppressions"] = [{"kind": "external", "status": "accepted", "justification": line(finding.note or finding.state.value)}]
    return shown


def _rule(name: str, finding: Finding) -> dict[str, Any]:
    category = line(finding.category)
    properties: dict[str, Any] = {"tags": [category]}
    if finding.category in _SECURITY:
        properties = {"tags": list(dict.fromkeys([category, "security"])), "security-severity": _SEVERITY[finding.priority]}
    return {
        "id": name,
        "shortDescription": {"text": f"{name} ({category})"},
        "defaultConfiguration": {"level": _LEVELS[finding.priority]},
        "properties": properties,
    }


def _message(finding: Finding) -> str:
    # In a SARIF message [text](target) is a link, so brackets are escaped (section 3.11.6).
    text = "\n\n".join(filter(None, [line(finding.title, 500), block(finding.body).strip()[:10_000]]))
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _location(finding: Finding) -> dict[str, Any]:
    raw = data(finding.path).encode("utf-8", "surrogateescape")
    uri = "".join(chr(byte) if byte in _SAFE else f"%{byte:02X}" for byte in raw)
    place: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if finding.line_start > 0 and finding.side == "RIGHT":  # lines of the base are not lines of this revision
        place["region"] = _region(finding)
    return place


def _region(finding: Finding) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": finding.line_start, "endLine": max(finding.line_end, finding.line_start)}
    quoted = [row.text for row in finding.excerpt if finding.line_start <= row.number <= finding.line_end]
    if quoted:
        region["snippet"] = {"text": block("\n".join(quoted)) + "\n"}
    return region


def _properties(finding: Finding) -> dict[str, Any]:
    known: dict[str, Any] = {"priority": finding.priority.value, "sources": [line(source) for source in finding.sources]}
    if finding.confidence is Confidence.LOW:
        known["confidence"] = "low"
    if finding.places:
        known["places"] = [line(place) for place in finding.places[:100]]
    return known
