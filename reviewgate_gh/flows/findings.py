"""Findings as issues, on request: list, show and close them, and bring them up to date with a report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..model.config import Config
from ..model.errors import GateError, UpstreamError, UsageError
from ..model.tracked import Status, Tracked
from ..model.values import dataclass
from ..system.approvals import load_approvals
from ..system.git import Git
from ..system.own_files import of_commit
from ..system.settings import CONFIG_FILE
from ..system.site import Ledger, Site
from ..system.store import kept_reviews
from ..system.waiting import waiting
from ..system.world import World
from . import track
from .approval import may_run, require_approved
from .settings import config_at, is_floors_tracker

WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Row:
    """An issue as `findings` shows it; `status` is open, closed or waiting (for a tracker that takes it)."""

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


@dataclass(frozen=True, slots=True)
class Listed:
    """The issues that are known here; `failed` says why the tracker's own are not among them."""

    rows: tuple[Row, ...]
    failed: GateError | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the verb works: repository, surroundings and config."""

    site: Site
    config: Config


def desk(git: Git, world: World, policy: str, rules: str = "") -> Desk:
    """The desk with the config of a commit or tree; of HEAD if none is named or it no longer exists (after `--staged`).

    Raises:
        UsageError: the config says that there is no tracker.
    """
    known = rules if rules and git.exists(rules) else git.resolve("HEAD") or git.empty_tree
    config = config_at(git, known, world, policy)
    if config.tracker.type == "none":
        raise UsageError("tracker.type is none, so findings are not turned into issues", "set it to local, beads or github")
    if config.tracker.type != "local" and not is_floors_tracker(config, policy, world):
        data = of_commit(git, known, (CONFIG_FILE,)).get(CONFIG_FILE)
        require_approved(may_run(data, load_approvals(git), git, world), f"the tracker {config.tracker.type} is not used")
    return Desk(Site(git, world, []), config)


def listed(at: Desk, everything: bool) -> Listed:
    """The open issues, or all, most severe first; what waits for the tracker comes last, also while that fails."""
    issues, failed = [], None
    try:
        with _opened(at) as ledger:
            issues = sorted(ledger.find(None), key=lambda issue: (issue.priority.value, issue.path, issue.line))
    except GateError as error:
        failed = error
    held = {issue.fingerprint for issue in issues}
    left = [issue for issue in waiting(at.site.git.common).issues if issue.fingerprint not in held]
    shown = [_row(issue, issue.status.value) for issue in issues if everything or issue.status is Status.OPEN]
    return Listed((*shown, *(_row(issue, WAITING) for issue in left)), failed)


def one(at: Desk, name: str) -> Row:
    """The issue with this id or fingerprint.

    Raises:
        UsageError: there is none.
        GateError: the tracker fails, and it is not among those that wait for it.
    """
    known = listed(at, True)
    found = next((row for row in known.rows if name in (row.id, row.fingerprint)), None)
    if found is None and known.failed:
        raise known.failed
    return found or _none(name, "issue")


def close(at: Desk, name: str, reason: str) -> Row:
    """Close an open issue.

    Raises:
        UsageError: there is no open issue of that name.
    """
    with _opened(at) as ledger:
        found = [issue for issue in ledger.find(None) if name in (issue.id, issue.fingerprint) and issue.status is Status.OPEN]
        if not found:
            _none(name, "open issue")
        track.close(ledger, found[0], reason)
    return _row(found[0], Status.CLOSED.value)


def sync(path: Path | None, policy: str, trusted: bool, git: Git, world: World) -> tuple[tuple[str, ...], bool]:
    """Bring the tracker up to date with a report, by default the last one, and with the findings waiting from earlier runs.

    Returns the messages, and whether the tracker worked.

    Raises:
        UsageError: there is no report, or it is about commits of others.
    """
    left = waiting(git.common)
    if left.issues and path is None and not kept_reviews(git.common):
        at = desk(git, world, policy)
        return track.track_issues((), at.config, at.site, "sync", left), not at.site.failures
    from .publish_kept import read_report

    report = read_report(path, git)
    if not (report.change.trusted or report.change.own or trusted):
        raise UsageError(
            "the report is about commits that are not your own, so no issues were created", "to create them anyway, use --trusted"
        )
    at = desk(git, world, policy, report.change.rules)
    return track.track(report, at.config, at.site, asked=True), not at.site.failures


@contextmanager
def _opened(at: Desk) -> Iterator[Ledger]:
    try:
        with track.open_tracker(at.config, at.site) as ledger:
            yield ledger
    except OSError as error:
        said = error.strerror or str(error)
        raise UpstreamError(f"the tracker {at.config.tracker.type} failed: {said}", "make sure it is writable") from None


def _row(issue: Tracked, status: str) -> Row:
    return Row(
        issue.id, status, issue.priority.value, issue.fingerprint, issue.path, issue.line, issue.title, issue.labels, issue.notes,
        issue.body, issue.reason,
    )  # fmt: skip


def _none(name: str, what: str) -> Row:
    raise UsageError(f"no {what} {name!r} found", "to list all issues: reviewgate-gh findings list --all")
