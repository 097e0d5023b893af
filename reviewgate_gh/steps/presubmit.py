"""What `presubmit` reports of a pull request: the facts put together, and the report as plain JSON data."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..model.presubmit import Bucket, CiStatus, Comparison, Current, Existing, HeadDrift, Presubmit
from ..model.pull import Account, PullRequest, Thread
from ..model.values import dataclass
from ..text.redact import redact
from .ci import not_counted
from .comments import classify
from .downgrade import Facts, against_approve
from .drift import head_drift
from .markers import carried, unsigned
from .strict import one_line

SCHEMA_VERSION = 1
_EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Asked:
    """What GitHub answered about a pull request, and the commit that was reviewed. `viewer` is None where GitHub does not say."""

    pull: PullRequest
    reviewed: str
    viewer: Account | None
    ci: CiStatus
    threads: tuple[Thread, ...] = ()
    comparison: Comparison | None = None


def is_self(pull: PullRequest, viewer: Account | None) -> bool | None:
    """We are the author; None while it is not known who we are. An author whose account is gone is nobody."""
    return None if viewer is None or viewer.id == 0 else pull.author.same_as(viewer)


def presubmit(asked: Asked, current: Current | None, *, invalid: str = "", require_ci: bool = False) -> Presubmit:
    """The report. `current` are the new findings, None where there are none to compare with; `invalid` says why their file is no use."""
    found = current or Current()
    paths = {finding.path for finding in current.findings} if current else None
    drift = head_drift(asked.reviewed, asked.pull.head, asked.comparison, paths)
    own = is_self(asked.pull, asked.viewer)
    closed = "" if asked.pull.state == "open" else asked.pull.state
    facts = Facts(own, asked.ci, drift, asked.pull.draft, found.not_reviewed, invalid, require_ci=require_ci, closed=closed)
    return Presubmit(
        number=asked.pull.number,
        sha=asked.reviewed,
        repository=asked.pull.repository,
        is_self=bool(own),
        ci=asked.ci,
        existing=classify(asked.threads, asked.viewer, asked.reviewed, found),
        drift=drift,
        reasons=against_approve(facts),
        findings_file_invalid=bool(invalid),
        notes=tuple(_notes(asked)),
    )


def _notes(asked: Asked) -> Iterator[str]:
    """What people should know of how the facts came about."""
    yield from not_counted(asked.ci)
    yield from asked.ci.notes
    copies = sum(carried(thread.body) is not None and not thread.author.same_as(asked.viewer) for thread in asked.threads)
    if is_self(asked.pull, asked.viewer) is None:
        yield "GitHub did not identify the posting account, so no comment is treated as ours"
    elif copies:
        yield f"{copies} comment{'s' * (copies > 1)} by others with a marker like ours: ignored"
    if any(thread.resolved is None for thread in asked.threads):
        yield "GitHub did not say which threads are resolved, so only replies are considered"


def plain(report: Presubmit) -> dict[str, Any]:
    """The report as docs/presubmit.schema.json describes it. Foreign text in it is raw, but for excerpts, which are cut once redacted."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "prNumber": report.number,
        "commitSha": report.sha,
        "ownerRepo": report.repository,
        "isSelfPr": report.is_self,
        "ciStatus": _ci(report.ci),
        "existingComments": _comments(report),
        "downgradeApprove": bool(report.reasons),
        "downgradeRequestChanges": report.is_self,
        "downgradeReasons": list(report.reasons),
        "blockOnExistingComments": report.block_on_existing,
        "findingsFileInvalid": report.findings_file_invalid,
        "headDrift": _drift(report.drift),
    }


def _ci(ci: CiStatus) -> dict[str, Any]:
    return {
        "class": ci.cls.value,
        "failedCheckNames": list(ci.failed),
        "pendingCheckNames": list(ci.pending),
        "skippedCheckNames": list(ci.skipped),
        "unknownCheckNames": list(ci.unknown),
        "totalChecks": ci.total,
        **({"notCounted": [{"name": each.name, "app": each.app, "why": each.why} for each in ci.left_out]} if ci.left_out else {}),
    }


def _comments(report: Presubmit) -> dict[str, Any]:
    sorted_in = {bucket: report.bucket(bucket) for bucket in Bucket}
    return {
        "total": len(report.existing),
        "byBucket": {bucket.value: len(each) for bucket, each in sorted_in.items()},
        **{bucket.value: _rows(each) for bucket, each in sorted_in.items()},
    }


def _rows(existing: Iterable[Existing]) -> list[dict[str, Any]]:
    return [
        {
            "id": each.thread.id,
            "path": each.thread.path,
            "line": each.thread.line,
            "user": each.thread.author.login,
            "reviewedSha": each.reviewed,
            "fingerprint": each.fingerprint,
            "body": one_line(redact(unsigned(each.thread.body)), _EXCERPT),
            "note": each.note,
        }
        for each in existing
    ]


def _drift(drift: HeadDrift) -> dict[str, Any]:
    return {
        "reviewedSha": drift.reviewed,
        "liveHeadSha": drift.head,
        "drifted": drift.drifted,
        "compare": drift.compare,
        "anchorsAtRisk": drift.at_risk,
    }
