"""Findings as issues, on request: list, show and close them, and bring them up to date with a
report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from ..git import Git
from ..git.tree_files import read_own_files_at
from ..issues import sync
from ..issues.sync import read_waiting
from ..issues.tracked import IssueStatus, IssueStore, TrackedIssue, Workspace
from ..model.config import Config
from ..model.errors import GateError, UpstreamError, UsageError
from ..pull_request.publish_kept import read_stored_report
from ..settings.settings import is_tracker_of_floor, read_config_at
from ..system.environment import Environment
from ..system.files import stored_reviews
from ..system.plugins import names
from ..text.config_file import CONFIG_FILE
from ..trust.approvals import load_approvals
from ..trust.may_run import may_execute, require_approved

WAITING_STATUS = "waiting"


class IssueRow(Struct, frozen=True):
    """An issue as `findings` shows it; `status` is open, closed or waiting (for a tracker that
    takes it)."""

    id: str
    status: str
    priority: str
    fingerprint: str
    path: str
    line: int
    title: str
    labels: tuple[str, ...]
    notes: str
    body: str
    reason: str


class IssueList(Struct, frozen=True):
    """The issues that are known here; `failed` says why the tracker's own are not among them."""

    rows: tuple[IssueRow, ...]
    failed: GateError | None = None


class FindingsContext(Struct, frozen=True):
    """Where the verb works: repository, surroundings and config."""

    workspace: Workspace
    config: Config


def open_findings_context(
    git: Git, environment: Environment, policy: str, rules: str = ""
) -> FindingsContext:
    """The context with the config of a commit or tree; of HEAD if none is named or it no longer
    exists (after `--staged`).

    Raises:
        UsageError: the config says that there is no tracker.
    """
    known = rules if rules and git.exists(rules) else git.resolve("HEAD") or git.empty_tree
    config = read_config_at(git, known, environment, policy)
    if config.tracker.type == "none":
        raise UsageError(
            "tracker.type is none, so findings are not turned into issues",
            f"set it to one of: {', '.join(names('trackers'))}",
        )
    if config.tracker.type != "local" and not is_tracker_of_floor(config, policy, environment):
        data = read_own_files_at(git, known, (CONFIG_FILE,)).get(CONFIG_FILE)
        require_approved(
            may_execute(data, load_approvals(git), git, environment),
            f"the tracker {config.tracker.type} is not used",
        )
    return FindingsContext(Workspace(git, environment, []), config)


def list_issues(at: FindingsContext, everything: bool) -> IssueList:
    """The open issues, or all, most severe first; what waits for the tracker comes last, also while
    that fails."""
    issues, failed = [], None
    try:
        with _opened(at) as ledger:
            issues = sorted(
                ledger.find(None), key=lambda issue: (issue.priority.value, issue.path, issue.line)
            )
    except GateError as error:
        failed = error
    held = {issue.fingerprint for issue in issues}
    left = [
        issue
        for issue in read_waiting(at.workspace.git.common).issues
        if issue.fingerprint not in held
    ]
    shown = [
        _row(issue, issue.status.value)
        for issue in issues
        if everything or issue.status is IssueStatus.OPEN
    ]
    return IssueList((*shown, *(_row(issue, WAITING_STATUS) for issue in left)), failed)


def find_issue_row(at: FindingsContext, name: str) -> IssueRow:
    """The issue with this id or fingerprint.

    Raises:
        UsageError: there is none.
        GateError: the tracker fails, and it is not among those that wait for it.
    """
    known = list_issues(at, True)
    found = next((row for row in known.rows if name in (row.id, row.fingerprint)), None)
    if found is None and known.failed:
        raise known.failed
    return found or _none(name, "issue")


def close_issue(at: FindingsContext, name: str, reason: str) -> IssueRow:
    """Close an open issue.

    Raises:
        UsageError: there is no open issue of that name.
    """
    with _opened(at) as ledger:
        found = [
            issue
            for issue in ledger.find(None)
            if name in (issue.id, issue.fingerprint) and issue.status is IssueStatus.OPEN
        ]
        if not found:
            _none(name, "open issue")
        sync.close_tracked_issue(ledger, found[0], reason)
    return _row(found[0], IssueStatus.CLOSED.value)


def sync_findings(
    path: Path | None, policy: str, trusted: bool, git: Git, environment: Environment
) -> tuple[tuple[str, ...], bool]:
    """Bring the tracker up to date with a report, by default the last one, and with the findings
    waiting from earlier runs.

    Returns the messages, and whether the tracker worked.

    Raises:
        UsageError: there is no report, or it is about commits of others.
    """
    left = read_waiting(git.common)
    if left.issues and path is None and not stored_reviews(git.common):
        at = open_findings_context(git, environment, policy)
        return sync.track_issues(
            (), at.config, at.workspace, "sync", left
        ), not at.workspace.failures
    report = read_stored_report(path, git)
    if not (report.change.trusted or report.change.own or trusted):
        raise UsageError(
            "the report is about commits that are not your own, so no issues were created",
            "to create them anyway, use --trusted",
        )
    at = open_findings_context(git, environment, policy, report.change.rules)
    return sync.track_report(report, at.config, at.workspace, asked=True), not at.workspace.failures


@contextmanager
def _opened(at: FindingsContext) -> Iterator[IssueStore]:
    try:
        with sync.open_tracker(at.config, at.workspace) as ledger:
            yield ledger
    except OSError as error:
        said = error.strerror or str(error)
        raise UpstreamError(
            f"the tracker {at.config.tracker.type} failed: {said}", "make sure it is writable"
        ) from None


def _row(issue: TrackedIssue, status: str) -> IssueRow:
    return IssueRow(
        issue.id, status, issue.priority.value, issue.fingerprint, issue.path, issue.line,
        issue.title, issue.labels, issue.notes,
        issue.body, issue.reason,
    )  # fmt: skip


def _none(name: str, what: str) -> IssueRow:
    raise UsageError(
        f"no {what} {name!r} found", "to list all issues: reviewgate-gh findings list --all"
    )
