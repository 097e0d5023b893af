"""`presubmit`: everything to know before a review is posted, as one JSON report. It only reads."""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..findings.markers import FINGERPRINT_PATTERN, last_marker, without_marker
from ..gate.deliver import write_report_file
from ..github.client import Client
from ..model.errors import Exit, UsageError
from ..model.finding import Confidence, Finding, FindingState, Priority
from ..model.pull_request import (
    Account,
    Bucket,
    CheckRow,
    CiStatus,
    Comparison,
    ExistingComment,
    HeadMovement,
    PresubmitReport,
    PullRequest,
    Thread,
)
from ..model.report import Report
from ..reporters._words import count_noun
from ..reporters.json import report_of
from ..system.environment import Environment
from ..text import strict
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from ..text.safe import safe_data, safe_line
from ..text.strict import one_line
from .comments import CurrentFindings, NewFinding, classify_comments
from .event import EventFacts, approval_obstacles, head_movement
from .snapshot import parse_pull_number, read_ci_status, read_pull_facts

PRESUBMIT_SCHEMA_VERSION = 1
_EXCERPT = 80
_MOST_CHECKS = 100  # lines for people; the report has all


class PresubmitFacts(Struct, frozen=True):
    """What GitHub answered about a pull request, and the commit that was reviewed.

    `viewer` is None where GitHub does not say.
    """

    pull: PullRequest
    reviewed: str
    viewer: Account | None
    ci: CiStatus
    threads: tuple[Thread, ...] = ()
    comparison: Comparison | None = None


def is_own_pull(pull: PullRequest, viewer: Account | None) -> bool | None:
    """We are the author; None while it is not known who we are.

    An author whose account is gone is nobody.
    """
    return None if viewer is None or viewer.id == 0 else pull.author.same_as(viewer)


def build_presubmit(
    asked: PresubmitFacts,
    current: CurrentFindings | None,
    *,
    invalid: str = "",
    require_ci: bool = False,
) -> PresubmitReport:
    """The report.

    `current` are the new findings, None where there are none to compare with; `invalid` says why
    their file is no use.
    """
    found = current or CurrentFindings()
    paths = {finding.path for finding in current.findings} if current else None
    drift = head_movement(asked.reviewed, asked.pull.head, asked.comparison, paths)
    own = is_own_pull(asked.pull, asked.viewer)
    closed = "" if asked.pull.state == "open" else asked.pull.state
    facts = EventFacts(
        own,
        asked.ci,
        drift,
        asked.pull.draft,
        found.not_reviewed,
        invalid,
        require_ci=require_ci,
        closed=closed,
    )
    return PresubmitReport(
        number=asked.pull.number,
        sha=asked.reviewed,
        repository=asked.pull.repository,
        is_self=bool(own),
        ci=asked.ci,
        existing=classify_comments(asked.threads, asked.viewer, asked.reviewed, found),
        head_movement=drift,
        reasons=approval_obstacles(facts),
        findings_file_invalid=bool(invalid),
        notes=tuple(_notes(asked)),
    )


def _notes(facts: PresubmitFacts) -> Iterator[str]:
    """What people should know of how the facts came about."""
    yield from facts.ci.notes
    copies = sum(
        last_marker(thread.body) is not None and not thread.author.same_as(facts.viewer)
        for thread in facts.threads
    )
    if is_own_pull(facts.pull, facts.viewer) is None:
        yield "GitHub did not identify the posting account, so no comment is treated as ours"
    elif copies:
        yield f"{copies} comment{'s' * (copies > 1)} by others with a marker like ours: ignored"
    if any(thread.resolved is None for thread in facts.threads):
        yield "GitHub did not say which threads are resolved, so only replies are considered"


def presubmit_data(report: PresubmitReport) -> dict[str, Any]:
    """The report as docs/presubmit.schema.json describes it.

    Foreign text in it is raw, but for excerpts, which are cut once redacted.
    """
    return {
        "schemaVersion": PRESUBMIT_SCHEMA_VERSION,
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
        "headDrift": _drift(report.head_movement),
    }


def _ci(ci: CiStatus) -> dict[str, Any]:
    return {
        "class": ci.ci_class.value,
        "failedCheckNames": list(ci.failed),
        "pendingCheckNames": list(ci.pending),
        "skippedCheckNames": list(ci.skipped),
        "unknownCheckNames": list(ci.unknown),
        "totalChecks": ci.total,
        "checks": [_check(each) for each in ci.checks],
        **(
            {
                "notCounted": [
                    {"name": each.name, "app": each.app, "why": each.reason} for each in ci.ignored
                ]
            }
            if ci.ignored
            else {}
        ),
    }


def _check(row: CheckRow) -> dict[str, str]:
    return {
        "name": row.name,
        "app": row.app,
        "kind": row.kind,
        "source": row.source,
        "result": row.result,
        "why": row.reason,
    }


def _comments(report: PresubmitReport) -> dict[str, Any]:
    sorted_in = {bucket: report.bucket(bucket) for bucket in Bucket}
    return {
        "total": len(report.existing),
        "byBucket": {bucket.value: len(each) for bucket, each in sorted_in.items()},
        **{bucket.value: _rows(each) for bucket, each in sorted_in.items()},
    }


def _rows(existing: Iterable[ExistingComment]) -> list[dict[str, Any]]:
    return [
        {
            "id": each.thread.id,
            "path": each.thread.path,
            "line": each.thread.line,
            "user": each.thread.author.login,
            "reviewedSha": each.reviewed,
            "fingerprint": each.fingerprint,
            "body": one_line(redact(without_marker(each.thread.body)), _EXCERPT),
            "note": each.note,
        }
        for each in existing
    ]


def _drift(drift: HeadMovement) -> dict[str, Any]:
    return {
        "reviewedSha": drift.reviewed,
        "liveHeadSha": drift.head,
        "drifted": drift.moved,
        "compare": drift.compare,
        "anchorsAtRisk": drift.at_risk,
    }


_WHAT = "a review report or a list of findings"
_KEYS = {"path", "line", "fingerprint"}
_STANDING = (FindingState.OPEN, FindingState.DUPLICATE)
_POSTED_FROM = Priority.P2


def read_current_findings(data: bytes, sha: str) -> CurrentFindings:
    """The findings in a file: our report of the commit `sha`, or a list of {path, line,
    fingerprint?}.

    Raises:
        ValueError: anything else; one line says what is wrong.
    """
    plain = strict.load_json(strict.decode(data, _WHAT), _WHAT, unique=True)
    if isinstance(plain, list):
        return CurrentFindings(tuple(_row(item, f"item {at}") for at, item in enumerate(plain, 1)))
    if not isinstance(plain, dict) or "schema_version" not in plain:
        raise ValueError(f"not {_WHAT}")
    report = report_of(plain)
    if report.change.head != sha:
        raise ValueError(f"the report is about {report.change.head:.12}, not about {sha:.12}")
    return current_findings_of(report)


def current_findings_of(report: Report) -> CurrentFindings:
    """What stands in the reviewed code; only what is certain, placed and P2 or more severe would be
    posted at its line."""
    standing = sorted(
        (finding for finding in report.findings if finding.state in _STANDING),
        key=lambda finding: finding.state is FindingState.DUPLICATE,
    )
    return CurrentFindings(
        tuple(_new(finding) for finding in standing),
        {finding.fingerprint: finding.priority for finding in standing},
        len(report.verdict.not_reviewed) + report.coverage.allowed,
        tuple(standing),
        frozenset(file.path for file in report.change.files),
    )


def _new(finding: Finding) -> NewFinding:
    inline = (
        finding.state is FindingState.OPEN
        and finding.confidence is Confidence.HIGH
        and (finding.placed or (finding.cause is not None and finding.cause.line > 0))
    )
    return NewFinding(
        finding.commented_path,
        finding.commented_line,
        finding.fingerprint,
        finding.side,
        inline and finding.priority.reaches(_POSTED_FROM),
    )


def _row(item: Any, where: str) -> NewFinding:
    row = strict.json_object(item, where)
    if unknown := sorted(set(row) - _KEYS):
        raise ValueError(f"{where}: unknown field {strict.one_line(unknown[0], 40)!r}")
    path = strict.tidy_path(strict.path_text(row.get("path"), f"{where}: path"))
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"{where}: the path must be inside the repository")
    fingerprint = strict.json_string(row.get("fingerprint", ""), f"{where}: fingerprint")
    if fingerprint and not FINGERPRINT_PATTERN.fullmatch(fingerprint):
        raise ValueError(f"{where}: {strict.one_line(fingerprint, 40)!r} is not a fingerprint")
    return NewFinding(path, strict.whole_number(row.get("line"), f"{where}: line"), fingerprint)


_SHA = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class PresubmitOptions(Struct, frozen=True):
    """What the command line asks for: the pull request, the reviewed commit, where the report goes,
    and the new findings' file."""

    number: str
    sha: str
    out: Path
    findings: Path | None = None
    require_ci: bool = False


def write_presubmit_report(
    options: PresubmitOptions, client: Client, environment: Environment
) -> int:
    """Write the report, and say on standard error what it comes to.

    Raises:
        UsageError: an argument is wrong, or the report cannot be written.
        UpstreamError: GitHub refuses or cannot be reached: then there is no report.
    """
    if not _SHA.fullmatch(options.sha):
        raise UsageError(
            f"{options.sha!r} is not a full commit id",
            "give the full id, as printed by: git rev-parse HEAD",
        )
    number = parse_pull_number(options.number)
    current, invalid = _new_findings(options)
    facts = read_pull_facts(client, number, options.sha)
    ci, _ = read_ci_status(client, facts, environment)
    asked = PresubmitFacts(
        facts.pull, options.sha, facts.viewer, ci, facts.threads, facts.comparison
    )
    report = build_presubmit(asked, current, invalid=invalid, require_ci=options.require_ci)
    write_report_file(options.out, json.dumps(_redacted(presubmit_data(report)), indent=2) + "\n")
    for text in (
        *_said(report),
        *report.notes,
        *([facts.note] if facts.note else []),
        count_noun(client.requests.total, "request"),
    ):
        print(f"reviewgate-gh: {safe_line(text, 600)}", file=sys.stderr)
    return Exit.OK


def _new_findings(options: PresubmitOptions) -> tuple[CurrentFindings | None, str]:
    """The findings, or why their file cannot be used: the report says so, and nothing is approved
    then."""
    if options.findings is None:
        return None, ""
    try:
        return read_current_findings(options.findings.read_bytes(), options.sha), ""
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    except ValueError as error:
        return None, str(error)


def _said(report: PresubmitReport) -> list[str]:
    """The log for people: CI, what was found of ours and set aside, and why nothing is approved."""
    buckets = {bucket: report.bucket(bucket) for bucket in Bucket}
    counts = ", ".join(f"{len(found)} {bucket.value}" for bucket, found in buckets.items() if found)
    rows = [
        f"{each.thread.path}:{each.thread.line} {bucket.value}: {each.note or each.fingerprint}"
        for bucket, found in buckets.items()
        for each in found
    ]
    return [
        f"CI: {report.ci.ci_class.value}",
        *(_check_text(each) for each in report.ci.checks[:_MOST_CHECKS]),
        *_left_out(len(report.ci.checks) - _MOST_CHECKS),
        f"our comments: {counts or 'none'}",
        *rows,
        *report.reasons,
    ]


def _check_text(row: CheckRow) -> str:
    """`build by github-actions (required): passed`."""
    app = f" by {row.app}" if row.app else ""
    why = f": {row.reason}" if row.reason else ""
    return f"  {row.name}{app} ({row.source}): {row.result}{why}"


def _left_out(number: int) -> list[str]:
    return [f"  and {count_noun(number, 'more check')}"] if number > 0 else []


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return safe_data(value)
    if isinstance(value, dict):
        return {key: _redacted(item) for key, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list) else value
