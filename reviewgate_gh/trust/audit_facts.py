"""What the audit log says of reports, dismissals, waivers and approvals: pure values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..model.change import Approvals
from ..model.finding import Finding, FindingState
from ..model.report import Report
from ..model.waiver import Waiver
from .audit_chain import AuditLog

AuditFact = tuple[str, Mapping[str, Any]]
_MOST = 500  # of what an entry lists
_LONGEST = 1_000  # characters of a text of others


def report_fact(report: Report, digest: str) -> AuditFact:
    """A review that was made, or that somebody skipped; `digest` is that of its JSON."""
    what = {
        "review": report.review_id,
        "base": report.change.base,
        "head": report.change.head,
        "commits": _shortened(report.change.commits),
        "outcome": report.verdict.outcome.value,
        "mode": report.mode,
        "approved": report.change.trusted,
        "counts": dict(report.verdict.counts),
        "config": report.config_digest,
        "sha256": digest,
    }
    if report.skipped:
        return "skip", {**what, "reason": report.skipped}
    accepted = [each for each in report.findings if each.state in _ACCEPTED]
    return "report", {**what, "accepted": _shortened(map(_accepted, accepted))}


_ACCEPTED = (FindingState.WAIVED, FindingState.DISMISSED, FindingState.REFUTED)


def _accepted(finding: Finding) -> Mapping[str, str]:
    return {**_named(finding), "state": finding.state.value, "why": finding.note[:_LONGEST]}


def _named(finding: Finding) -> dict[str, str]:
    return {
        "fingerprint": finding.fingerprint,
        "priority": finding.priority.value,
        "place": finding.location[:_LONGEST],
        "title": finding.title[:_LONGEST],
    }


def publication_facts(pull: str, report: Report, log: AuditLog) -> Iterator[AuditFact]:
    """What people dismissed on a pull request, or took back, since the log knows of it; and that
    the report is posted there."""
    known = dict[str, str]()
    for entry in log.entries:
        if entry.kind in ("dismissal", "undismissal") and entry.what.get("pull") == pull:
            why = str(entry.what.get("why")) if entry.kind == "dismissal" else ""
            known[str(entry.what.get("fingerprint"))] = why
    for finding in report.findings:
        why = finding.note[:_LONGEST]
        what = {"pull": pull, "head": report.change.head, **_named(finding), "why": why}
        before = known.get(finding.fingerprint, "")
        if finding.state is FindingState.DISMISSED and why != before:
            yield "dismissal", what
        elif finding.state is FindingState.OPEN and before:
            yield "undismissal", what
    yield (
        "publication",
        {
            "pull": pull,
            "review": report.review_id,
            "head": report.change.head,
            "outcome": report.verdict.outcome.value,
        },
    )


def waiver_facts(
    added: Iterable[Waiver], updated: Iterable[Waiver | None], removed: Iterable[Waiver]
) -> Iterator[AuditFact]:
    """What was done to entries of the waivers file."""
    for done, waivers in (("added", added), ("updated", updated), ("removed", removed)):
        for waiver in waivers:
            if waiver is not None:
                yield "waiver", {"done": done, **_waiver(waiver)}


def _waiver(waiver: Waiver) -> Mapping[str, Any]:
    return {
        "fingerprint": waiver.fingerprint,
        "title": waiver.title,
        "path": waiver.path,
        "reason": waiver.reason,
        "expires": waiver.expires,
    }


def approval_fact(before: Approvals, after: Approvals, digest: str) -> AuditFact:
    """What was approved, and what was revoked; `digest` is that of the file of approvals."""
    what: dict[str, Any] = {"sha256": digest}
    for name in ("files", "trees", "waivers"):
        old, new = getattr(before, name), getattr(after, name)
        for done, rows in (("approved", new - old), ("revoked", old - new)):
            if rows:
                what.setdefault(done, {})[name] = _shortened(
                    list(row) if isinstance(row, tuple) else row for row in sorted(rows)
                )
    if before.branch != after.branch:
        what["branch"] = after.branch
    return "trust", what


def _shortened(rows: Iterable[Any]) -> Sequence[Any]:
    """A list for an entry; of a long one the first, and how many there are."""
    found = list(rows)
    more = len(found) - _MOST
    return found if more <= 0 else [*found[:_MOST], f"and {more} more"]
