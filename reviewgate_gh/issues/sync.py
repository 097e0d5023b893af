"""Writing findings to the tracker under one lock; what a failing tracker does not take is kept on
disk until it does."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from ..git import Git
from ..git.history import is_ancestor
from ..git.renames import former_names
from ..model.config import Config, TrackerConfig
from ..model.errors import GateError, UpstreamError
from ..model.report import Report
from ..reporters._words import count_noun
from ..system import plugins
from ..system.files import (
    STATE_FOLDER,
    file_lock,
    remove_partial_files,
    set_damaged_aside,
    write_atomic,
)
from ..text.config_file import validate_settings
from .plan import (
    TrackerPlan,
    fixed_issues,
    issues_of_report,
    plan_issues,
    summary_issue,
    with_former_names,
    without_dismissed,
)
from .tracked import IssueOrigin, IssueStatus, IssueStore, TrackedIssue, Workspace

# Before a number: a run that posts on that pull request takes what waits there, and no other
_HELD = "pull-"


class WaitingIssues(Struct, frozen=True):
    """What waits: the issues, the files that hold them, and the files that could not be read,
    damaged ones set aside."""

    issues: tuple[TrackedIssue, ...] = ()
    files: tuple[Path, ...] = ()
    damaged: tuple[Path, ...] = ()


def _folder(common: Path) -> Path:
    return common / STATE_FOLDER / "outbox" / "tracker"


def held_name(pull: int) -> str:
    """The name under which findings wait for the next run that posts on this pull request, and for
    no other."""
    return f"{_HELD}{pull}"


def read_waiting(common: Path, pull: int | None = None) -> WaitingIssues:
    """All that waits, the oldest first; for a run that posts on `pull` (0: on none) without what is
    held for others."""
    issues, files, damaged = list[TrackedIssue](), list[Path](), list[Path]()
    remove_partial_files(_folder(common))
    for path in sorted(_folder(common).glob("*.json")):
        if pull is not None and path.stem.startswith(_HELD) and path.stem != held_name(pull):
            continue
        try:
            issues += convert(json.loads(path.read_bytes()), tuple[TrackedIssue, ...])
            files.append(path)
        except FileNotFoundError:
            continue  # another run has just delivered it
        except (ValueError, RecursionError):
            damaged.append(set_damaged_aside(path))
        except OSError:
            damaged.append(path)  # the disk may give it another time
    return WaitingIssues(tuple(issues), tuple(files), tuple(damaged))


def save_waiting(
    common: Path, name: str, issues: Iterable[TrackedIssue], beside: Iterable[TrackedIssue] = ()
) -> None:
    """Let these wait under this name, in place of what waits there; of `beside` whatever they do
    not hold.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    every = {issue.fingerprint: issue for issue in (*beside, *issues)}
    write_atomic(
        _folder(common) / f"{name}.json", json.dumps(to_builtins(tuple(every.values()))).encode()
    )


def read_waiting_under(common: Path, name: str) -> tuple[TrackedIssue, ...]:
    """What waits under this name; nothing where its file is damaged, which `waiting` sets aside."""
    with suppress(OSError, ValueError, RecursionError):
        return convert(
            json.loads((_folder(common) / f"{name}.json").read_bytes()), tuple[TrackedIssue, ...]
        )
    return ()


def remove_waiting(files: Iterable[Path]) -> None:
    """These need not wait any longer."""
    for path in files:
        with suppress(OSError):
            path.unlink()


_RETRY = "saved for the next run; to retry now: reviewgate-gh findings sync"
_UNREAD = "no issues were created: the dismissals on the pull request could not be read"
_MANUAL, _NONE = IssueOrigin("findings_sync"), WaitingIssues()


class TrackerBusy(UpstreamError):
    """Another run holds the tracker's lock, or it cannot be taken."""


class _Tally(Struct, frozen=True):
    made: int = 0
    changed: int = 0
    closed: int = 0
    left: Sequence[TrackedIssue] = ()


def track_report(
    report: Report,
    config: Config,
    workspace: Workspace,
    origin: IssueOrigin = _MANUAL,
    *,
    asked: bool = False,
) -> tuple[str, ...]:
    """Bring the tracker up to the report; what was done or could not be, for people. The caller has
    seen to it that the author is trusted.

    `asked` says that a person wants this now: then it is done even where the clone will be thrown
    away.
    """
    settings = config.tracker
    if report.skipped:
        return ()
    fresh = issues_of_report(report, origin, settings.issues_from)
    if settings.type == "none":
        workspace.undelivered.extend(fresh)
        return ()
    module = plugins.load("trackers", settings.type)
    if module.IN_CLONE and workspace.environment.in_ci and not asked:
        workspace.undelivered.extend(fresh)
        return ()
    left = read_waiting(workspace.git.common, None if asked else origin.pull)
    workspace.messages.extend(
        f"could not read the findings waiting for a tracker: {path}" for path in left.damaged
    )
    try:
        with _ledger(settings, module, workspace) as ledger:
            every = (*fresh, *without_dismissed(left.issues, report, origin))
            planned = _planned(ledger, every, report, settings, workspace.git)
            tally = _make(ledger, planned, _link(ledger, origin) if planned.create else "")
            if settings.close_fixed:
                tally = replace(tally, closed=_close_fixed(ledger, report, origin, workspace.git))
    except (GateError, OSError) as error:
        return (*workspace.messages, _kept(error, fresh, settings, workspace, report.review_id))
    return (*workspace.messages, *_settled(tally, left, settings, workspace, report.review_id))


def hold_issues(
    report: Report, config: Config, workspace: Workspace, origin: IssueOrigin
) -> tuple[str, ...]:
    """Let a pull request's findings wait until it is known which of them people have dismissed;
    what to say of it."""
    fresh, name = (
        issues_of_report(report, origin, config.tracker.issues_from),
        held_name(origin.pull),
    )
    return (
        (_wait(fresh, _UNREAD, workspace, name, read_waiting_under(workspace.git.common, name))[1],)
        if fresh
        else ()
    )


def track_issues(
    issues: Sequence[TrackedIssue],
    config: Config,
    workspace: Workspace,
    name: str,
    left: WaitingIssues = _NONE,
) -> tuple[str, ...]:
    """Bring issues that no report holds into the tracker, with those that are `left`; what it does
    not take waits under this name.

    What was done and could not be, for people.
    """
    settings = config.tracker
    if settings.type == "none":
        return ()
    try:
        with open_tracker(config, workspace) as ledger:
            every = (*issues, *left.issues)
            stored = ledger.find(
                {name for each in every for name in (each.fingerprint, each.place)}
            )
            tally = _make(ledger, plan_issues(every, stored, settings.max_new))
    except (GateError, OSError) as error:
        return (*workspace.messages, _kept(error, issues, settings, workspace, name))
    return (*workspace.messages, *_settled(tally, left, settings, workspace, name))


@contextmanager
def open_tracker(config: Config, workspace: Workspace) -> Iterator[IssueStore]:
    """The configured tracker, alone; what was changed is safe when this ends well.

    Raises:
        TrackerBusy: another run holds it for too long.
        GateError, OSError: the tracker fails.
    """
    with _ledger(
        config.tracker, plugins.load("trackers", config.tracker.type), workspace
    ) as ledger:
        yield ledger


@contextmanager
def _ledger(settings: TrackerConfig, module: Any, workspace: Workspace) -> Iterator[IssueStore]:
    options = (
        validate_settings(dict(settings.options), module.Options, "tracker.options")
        if settings.options
        else module.Options()
    )
    with tracker_lock(workspace), module.opened(options, workspace) as ledger:
        yield ledger


@contextmanager
def tracker_lock(workspace: Workspace) -> Iterator[None]:
    """The tracker for this run alone.

    Raises:
        TrackerBusy: another run holds it, or the lock cannot be taken.
    """
    lock, seconds = workspace.git.common / STATE_FOLDER / "tracker.lock", workspace.lock_seconds
    with file_lock(lock, seconds) as ours:
        if not ours:
            why = (
                f"the tracker is locked: another run has held it for {seconds:.0f} s, or "
                f"{lock} cannot be written"
            )
            raise TrackerBusy(why, "try again later, or make the lock file writable")
        yield


def _close_fixed(ledger: IssueStore, report: Report, origin: IssueOrigin, git: Git) -> int:
    fixed = _gone(ledger, report, origin, git)
    for after in fixed:
        ledger.change(replace(after, status=IssueStatus.OPEN, reason=""), after)
    return len(fixed)


def _make(issues: IssueStore, planned: TrackerPlan, link: str = "") -> _Tally:
    for issue in planned.create:
        issues.add(replace(issue, link=issue.link or link))
    for before, after in planned.change:
        issues.change(before, after)
    return _Tally(len(planned.create), len(planned.change), left=planned.beyond_limit)


def _planned(
    ledger: IssueStore,
    issues: tuple[TrackedIssue, ...],
    report: Report,
    settings: TrackerConfig,
    git: Git,
) -> TrackerPlan:
    """The plan; before anything is made, findings of files that were renamed are looked for under
    the former names."""
    names = {name for i in issues for name in (i.fingerprint, i.place, *i.known_as)}
    first = plan_issues(issues, ledger.find(names), settings.max_new)
    if not first.create:
        return first
    stored = ledger.find(None)
    head = git.resolve(report.change.head)
    # A file may have been renamed again since an issue took its second name
    paths = {path for issue in stored for path in (issue.origin, issue.path) if path}
    former = former_names(git, head, paths) if head and paths else {}
    return plan_issues(with_former_names(issues, report, former), stored, settings.max_new)


def _link(issues: IssueStore, origin: IssueOrigin) -> str:
    """The issue that new ones hang on: the one under review, the epic, or one summary of the
    run."""
    if origin.link or not origin.run:
        return origin.link
    summary = summary_issue(origin)
    there = issues.find({summary.fingerprint})
    return there[0].id if there else issues.add(summary)


def _gone(
    issues: IssueStore, report: Report, origin: IssueOrigin, git: Git
) -> Sequence[TrackedIssue]:
    def covers(base: str, head: str) -> bool:
        return within(report.change.base, base) and within(head, report.change.head)

    def within(older: str, younger: str) -> bool:
        # The same one may be missing here
        return older[:12] == younger[:12] or is_ancestor(git, older, younger)

    return fixed_issues(issues.find(None), report, origin, covers)


def _settled(
    tally: _Tally, left: WaitingIssues, settings: TrackerConfig, workspace: Workspace, name: str
) -> list[str]:
    """What is over goes, what is beyond the cap waits."""
    kept, told = True, []
    if tally.left:
        kept, text = _wait(
            tally.left, f"{len(tally.left)} over the limit tracker.max_new", workspace, name
        )
        told.append(text)
    if kept:  # else they are all that older runs have left
        remove_waiting(path for path in left.files if not tally.left or path.stem != name)
    counts = {"new": tally.made, "changed": tally.changed, "closed": tally.closed}
    done = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    return [*([f"issues ({settings.type}): {done}"] if done else []), *told]


def _kept(
    error: GateError | OSError,
    fresh: Sequence[TrackedIssue],
    settings: TrackerConfig,
    workspace: Workspace,
    name: str,
) -> str:
    workspace.failures.append(error)
    said = error.message if isinstance(error, GateError) else f"{error.strerror or error}"
    hint = f" ({error.hint})" if isinstance(error, GateError) and error.hint else ""
    if not fresh:
        return f"the tracker {settings.type} failed: {said}{hint}"
    return _wait(
        fresh,
        f"the tracker {settings.type} failed: {said}{hint}",
        workspace,
        name,
        read_waiting_under(workspace.git.common, name),
    )[1]


def _wait(
    issues: Sequence[TrackedIssue],
    why: str,
    workspace: Workspace,
    name: str,
    beside: Sequence[TrackedIssue] = (),
) -> tuple[bool, str]:
    """Whether they are kept, and what to say. `beside` waits under the same name, from an earlier
    try."""
    said = f"{why}; {count_noun(len(issues), 'finding')}"
    alone = f"{'is' if len(issues) == 1 else 'are'} only in the report"
    if workspace.temporary:
        workspace.undelivered.extend(issues)
        return False, f"{said} {alone}"
    try:
        save_waiting(workspace.git.common, name or str(os.getpid()), issues, beside)
    except OSError as error:
        workspace.undelivered.extend(issues)
        return False, f"{said} could not be saved and {alone}: {error.strerror}"
    return True, f"{said} {_RETRY}"


def close_tracked_issue(issues: IssueStore, issue: TrackedIssue, reason: str) -> None:
    """Close an issue at a person's word; it stays closed when its finding is found again."""
    issues.change(issue, replace(issue, status=IssueStatus.CLOSED, reason=reason))
