"""A report in the words of the `review-gate` contract: one JSON object that its two known dialects
both read, and the exit code."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..ensemble.consensus import (
    GATE_REVIEWER,
    VOTES_BY_SEVERITY,
    ReviewerVote,
    collect_votes,
    consensus_verdict,
    decisive_findings,
    gave_no_answer,
    reviewers_of_finding,
)
from ..gate.policy import verdict_messages
from ..model.errors import Exit
from ..model.finding import Finding
from ..model.report import Outcome, Report, ReviewRow, group_by_end
from ..model.review import Review, ReviewStatus

_WORDS = {
    Outcome.PASS: "PASS",
    Outcome.CONCERNS: "NEEDS_WORK",
    Outcome.BLOCK: "FAIL",
    Outcome.INCONCLUSIVE: "ERROR",
}
_BY_VERDICT = {
    "PASS": Exit.OK,
    "ERROR": Exit.INCONCLUSIVE,
    "NEEDS_WORK": Exit.BLOCK,
    "FAIL": Exit.BLOCK,
}
_BY_STATUS = {"timeout": Exit.DEADLINE, "no_reviewers": Exit.NO_REVIEWERS}
_CODES = {ReviewStatus.UNPARSABLE: "invalid_output", ReviewStatus.UNAVAILABLE: "missing_dependency"}
ReviewerError = tuple[str, str, str]


def contract_answer(report: Report, rule: str = "all") -> dict[str, Any]:
    """The resolved answer.

    `rule` says how many reviewers must pass; whatever is missing or open never becomes a pass under
    "all".
    """
    heard, stray = collect_votes(report.reviews, report.findings)
    votes = [vote for voice in heard if (vote := voice.vote(report.threshold))]
    verdict: str | None = _verdict(report, votes, "all" if stray else rule)
    late = report.late and verdict == "ERROR"
    return answer_object(
        "timeout" if late else "resolved",
        None if late else verdict,
        {voice.name: _entry(voice, report.threshold) for voice in heard},
        [
            _item(finding, reviewers_of_finding(finding, report.reviews)[0])
            for finding in decisive_findings(report.findings)
        ],
        list(_troubles(report)),
    )


def failed_answer(status: str, message: str = "") -> dict[str, Any]:
    """The answer without a report: status "timeout", "error" or "no_reviewers", and what
    happened."""
    verdict = "no_reviewers" if status == "no_reviewers" else None
    return answer_object(
        status,
        verdict,
        {},
        [],
        [(GATE_REVIEWER, status if verdict else "internal_error", message)] if message else [],
    )


def answer_exit_code(said: Mapping[str, Any]) -> Exit:
    """The exit code that belongs to an answer; one that contradicts itself is an internal error."""
    consensus, verdict = said.get("consensus"), said.get("consensus_verdict")
    if not isinstance(consensus, Mapping) or consensus.get("verdict") != verdict:
        return Exit.INTERNAL
    if said.get("status") == "resolved":
        return _BY_VERDICT.get(str(verdict), Exit.INTERNAL)
    return _BY_STATUS.get(str(said.get("status")), Exit.INTERNAL)


def answer_object(
    status: str,
    verdict: str | None,
    reviewers: dict[str, Any],
    issues: list[dict[str, Any]],
    troubles: Sequence[ReviewerError],
) -> dict[str, Any]:
    """An answer in the words of both dialects."""
    return {
        "status": status,
        "consensus": {"verdict": verdict, "iteration": 1},
        "consensus_verdict": verdict,
        "reviewers": reviewers,
        "issues": issues,
        "aggregated_findings": issues,
        "parse_errors": [f"{who}: {message}" for who, _code, message in troubles],
        "parse_error_details": [
            {"reviewer": who, "error": code, "details": message} for who, code, message in troubles
        ],
    }


def _verdict(report: Report, votes: Sequence[str], rule: str) -> str:
    outcome = _WORDS[report.verdict.outcome]
    if (
        rule != "all"
        and not report.verdict.not_reviewed
        and consensus_verdict(votes, rule) == "PASS"
    ):
        return "PASS"
    return max([*votes, outcome], key=VOTES_BY_SEVERITY.index)


def _entry(voice: ReviewerVote, threshold: str) -> dict[str, Any]:
    """A reviewer's part of the answer."""
    heard = ", ".join(
        row.part or row.reviewer for row in voice.rows if row.status is ReviewStatus.OK
    )
    items = [_item(finding, voice.name) for finding in voice.findings]
    unheard = "; ".join(_ended(row) for row in voice.rows if row.status is not ReviewStatus.OK)
    return {
        "verdict": voice.vote(threshold),
        "summary": f"{len(items) or 'no'} finding{'s' * (len(items) != 1)}, reviewed by {heard}"
        if heard or items
        else "no answer",
        "issues": items,
        "findings": items,
        "error": unheard or None,
    }


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


def _ended(row: Review | ReviewRow) -> str:
    return " ".join(f"{row.part} {row.status.value}: {row.error or 'no reason given'}".split())


def _troubles(report: Report) -> Iterable[ReviewerError]:
    """Who gave no answer, what code nobody reviewed and, where there is no verdict, every other
    reason for that."""
    mute = [row for row in report.reviews if gave_no_answer(row)]
    yield from (
        (row.reviewer, _CODES.get(row.status, "reviewer_failed"), _ended(row)) for row in mute
    )
    if report.verdict.outcome is Outcome.INCONCLUSIVE:
        said = tuple(f"{name} gave no answer " for name, _row in group_by_end(mute))
        yield from (
            (GATE_REVIEWER, "incomplete", why)
            for why in verdict_messages(report.verdict)
            if not why.startswith(said)
        )
    elif report.coverage.reason:
        yield GATE_REVIEWER, "incomplete", report.coverage.reason
