"""A report in the words of the `review-gate` contract: one JSON object that its two known dialects both read, and the exit code."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.exits import Exit
from ..model.finding import Confidence, Finding, State
from ..model.report import Outcome, Report, ReviewRow
from ..model.review import Status

GATE = "review-gate"
RULES = ("all", "majority", "any")
_WORDS = {Outcome.PASS: "PASS", Outcome.CONCERNS: "NEEDS_WORK", Outcome.BLOCK: "FAIL", Outcome.INCONCLUSIVE: "ERROR"}
_ASCENDING = ("PASS", "ERROR", "NEEDS_WORK", "FAIL")
_BY_VERDICT = {"PASS": Exit.OK, "ERROR": Exit.INCONCLUSIVE, "NEEDS_WORK": Exit.BLOCK, "FAIL": Exit.BLOCK}
_BY_STATUS = {"timeout": Exit.DEADLINE, "no_reviewers": Exit.NO_REVIEWERS}
_CODES = {Status.UNPARSABLE: "invalid_output", Status.UNAVAILABLE: "missing_dependency"}
Trouble = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Voice:
    """One reviewer: its reviews and the findings that count against the change."""

    name: str
    rows: tuple[ReviewRow, ...]
    findings: tuple[Finding, ...]

    def vote(self, threshold: str) -> str | None:
        """Its verdict from its own findings; None where it had nothing to say (skipped, or not needed and not there)."""
        if any(f.placed and f.priority.reaches(threshold) for f in self.findings):
            return "FAIL"
        if self.findings:
            return "NEEDS_WORK"
        if any(map(_silent, self.rows)):
            return "ERROR"
        return "PASS" if any(row.status is Status.OK for row in self.rows) else None

    def plain(self, threshold: str) -> dict[str, Any]:
        """Its entry of the answer."""
        heard = ", ".join(row.part or row.reviewer for row in self.rows if row.status is Status.OK)
        items = [_item(finding, self.name) for finding in self.findings]
        unheard = "; ".join(_ended(row) for row in self.rows if row.status is not Status.OK)
        return {
            "verdict": self.vote(threshold),
            "summary": f"{len(items) or 'no'} finding{'s' * (len(items) != 1)}, read by {heard}" if heard or items else "no answer",
            "issues": items,
            "findings": items,
            "error": unheard or None,
        }


def answer(report: Report, rule: str = "all") -> dict[str, Any]:
    """The resolved answer. `rule` says how many reviewers must pass; whatever is missing or open never becomes a pass under "all"."""
    voices, stray = _voices(report)
    votes = [vote for voice in voices if (vote := voice.vote(report.threshold))]
    verdict: str | None = _verdict(report, votes, "all" if stray else rule)
    late = report.late and verdict == "ERROR"
    return _whole(
        "timeout" if late else "resolved",
        None if late else verdict,
        {voice.name: voice.plain(report.threshold) for voice in voices},
        [_item(finding, _owners(finding, report)[0]) for finding in _decisive(report)],
        list(_troubles(report)),
    )


def failed(status: str, message: str = "") -> dict[str, Any]:
    """The answer without a report: status "timeout", "error" or "no_reviewers", and what happened."""
    verdict = "no_reviewers" if status == "no_reviewers" else None
    return _whole(status, verdict, {}, [], [(GATE, status if verdict else "internal_error", message)] if message else [])


def exit_code(said: Mapping[str, Any]) -> Exit:
    """The exit code that belongs to an answer; one that contradicts itself is an internal error."""
    consensus, verdict = said.get("consensus"), said.get("consensus_verdict")
    if not isinstance(consensus, Mapping) or consensus.get("verdict") != verdict:
        return Exit.INTERNAL
    if said.get("status") == "resolved":
        return _BY_VERDICT.get(str(verdict), Exit.INTERNAL)
    return _BY_STATUS.get(str(said.get("status")), Exit.INTERNAL)


def _whole(
    status: str, verdict: str | None, reviewers: dict[str, Any], issues: list[dict[str, Any]], troubles: Sequence[Trouble]
) -> dict[str, Any]:
    return {
        "status": status,
        "consensus": {"verdict": verdict, "iteration": 1},
        "consensus_verdict": verdict,
        "reviewers": reviewers,
        "issues": issues,
        "aggregated_findings": issues,
        "parse_errors": [f"{who}: {message}" for who, _code, message in troubles],
        "parse_error_details": [{"reviewer": who, "error": code, "details": message} for who, code, message in troubles],
    }


def _verdict(report: Report, votes: Sequence[str], rule: str) -> str:
    worst = max([*votes, _WORDS[report.verdict.outcome]], key=_ASCENDING.index)
    if rule == "all" or report.verdict.not_reviewed:
        return worst
    passed = votes.count("PASS")
    enough = passed * 2 > len(votes) if rule == "majority" else passed > 0
    return "PASS" if enough else worst


def _decisive(report: Report) -> list[Finding]:
    found = (f for f in report.findings if f.state is State.OPEN and f.confidence is Confidence.HIGH)
    return sorted(found, key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal))


def _owners(finding: Finding, report: Report) -> list[str]:
    """The reviewers that a finding's sources belong to; a source that none of them is known by stands for itself."""
    known = {row.part: row.reviewer for row in report.reviews if row.part}
    known |= {name: row.reviewer for row in report.reviews for name in (row.name, row.reviewer)}
    return list(dict.fromkeys(known.get(source, source) for source in finding.sources)) or [GATE]


def _voices(report: Report) -> tuple[list[_Voice], bool]:
    """Everyone who speaks in a report, and whether a finding could be laid to none of the reviewers that were asked."""
    asked = dict.fromkeys(row.reviewer for row in report.reviews)
    said: dict[str, list[Finding]] = {name: [] for name in asked}
    for finding in _decisive(report):
        for name in _owners(finding, report):
            said.setdefault(name, []).append(finding)
    rows = {name: tuple(row for row in report.reviews if row.reviewer == name) for name in said}
    return [_Voice(name, rows[name], tuple(found)) for name, found in said.items()], len(said) > len(asked)


def _item(finding: Finding, reviewer: str) -> dict[str, Any]:
    return {
        "reviewer": reviewer,
        "file": finding.path,
        "file_path": finding.path,
        "line_start": finding.line_start,
        "line_end": max(finding.line_start, finding.line_end),
        "priority": int(finding.priority.value[1:]),
        "title": finding.title,
        "body": "\n\n".join(_body(finding)),
    }


def _body(finding: Finding) -> Iterable[str]:
    if finding.body:
        yield finding.body
    if finding.suggestion:
        yield f"Suggestion: {finding.suggestion}"
    if finding.places:
        yield f"Also at: {', '.join(finding.places)}"
    yield f"Rule: {finding.rule or finding.category}"


def _silent(row: ReviewRow) -> bool:
    """It was needed and gave no answer."""
    return row.status.broken or (row.required and row.status is Status.UNAVAILABLE)


def _ended(row: ReviewRow) -> str:
    return " ".join(f"{row.part} {row.status.value}: {row.error or 'no reason given'}".split())


def _troubles(report: Report) -> Iterable[Trouble]:
    """Who gave no answer and, where there is no verdict, every other reason for that."""
    silent = [row for row in report.reviews if _silent(row)]
    yield from ((row.reviewer, _CODES.get(row.status, "reviewer_failed"), _ended(row)) for row in silent)
    if report.verdict.outcome is Outcome.INCONCLUSIVE:
        yield from ((GATE, "incomplete", why) for why in report.verdict.reasons if not any(row.name in why for row in silent))
