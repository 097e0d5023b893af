"""A report's findings become issues: looked for first, then made, under one lock; a tracker that fails loses none of them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..model.config import Config, Tracker
from ..model.errors import GateError, UpstreamError
from ..model.report import Report
from ..model.tracked import Occasion, Status, Tracked
from ..model.values import dataclass
from ..reporters._words import counted
from ..steps.tracking import renamed, summary_issue, undismissed, wanted
from ..steps.tracking_plan import Plan, gone, plan
from ..system import plugins
from ..system.git import Git
from ..system.git.baselines import is_ancestor
from ..system.git.renames import former_names
from ..system.locks import locked
from ..system.settings import validate
from ..system.site import Ledger, Site
from ..system.store import HOME
from ..system.waiting import Waiting, delivered, held, keep, waiting, waiting_under

PATIENCE = 30.0  # seconds that a run waits for another one's turn
_RETRY = "saved for the next run; to retry now: reviewgate-gh findings sync"
_UNREAD = "no issues were created: the dismissals on the pull request could not be read"
_MANUAL, _NONE = Occasion("findings_sync"), Waiting()


class Busy(UpstreamError):
    """Another run holds the tracker's lock, or it cannot be taken."""


@dataclass(frozen=True, slots=True)
class _Tally:
    made: int = 0
    changed: int = 0
    closed: int = 0
    left: Sequence[Tracked] = ()


def track(
    report: Report, config: Config, site: Site, occasion: Occasion = _MANUAL, *, asked: bool = False, patience: float = PATIENCE
) -> tuple[str, ...]:
    """Bring the tracker up to the report; what was done or could not be, for people. The caller has seen to it that the author is trusted.

    `asked` says that a person wants this now: then it is done even where the clone will be thrown away. `patience` is for
    another run's turn, in seconds.
    """
    settings = config.tracker
    if report.skipped:
        return ()
    fresh = wanted(report, occasion, settings.issues_from)
    if settings.type == "none":
        site.lost.extend(fresh)
        return ()
    module = plugins.load("trackers", settings.type)
    if module.IN_CLONE and site.world.in_ci and not asked:
        site.lost.extend(fresh)
        return ()
    left = waiting(site.git.common, None if asked else occasion.pull)
    site.told.extend(f"could not read the findings waiting for a tracker: {path}" for path in left.damaged)
    try:
        with _ledger(settings, module, site, patience) as ledger:
            tally = _bring(ledger, (*fresh, *undismissed(left.issues, report, occasion)), report, settings, occasion, site)
    except (GateError, OSError) as error:
        return (*site.told, _kept(error, fresh, settings, site, report.review_id))
    return (*site.told, *_settled(tally, left, settings, site, report.review_id))


def hold(report: Report, config: Config, site: Site, occasion: Occasion) -> tuple[str, ...]:
    """Let a pull request's findings wait until it is known which of them people have dismissed; what to say of it."""
    fresh, name = wanted(report, occasion, config.tracker.issues_from), held(occasion.pull)
    return (_wait(fresh, _UNREAD, site, name, waiting_under(site.git.common, name))[1],) if fresh else ()


def track_issues(issues: Sequence[Tracked], config: Config, site: Site, name: str, left: Waiting = _NONE) -> tuple[str, ...]:
    """Bring issues that no report holds into the tracker, with those that are `left`; what it does not take waits under this name.

    What was done and could not be, for people.
    """
    settings = config.tracker
    if settings.type == "none":
        return ()
    try:
        with open_tracker(config, site) as ledger:
            every = (*issues, *left.issues)
            stored = ledger.find({name for each in every for name in (each.fingerprint, each.place)})
            tally = _make(ledger, plan(every, stored, settings.max_new))
    except (GateError, OSError) as error:
        return (*site.told, _kept(error, issues, settings, site, name))
    return (*site.told, *_settled(tally, left, settings, site, name))


@contextmanager
def open_tracker(config: Config, site: Site) -> Iterator[Ledger]:
    """The configured tracker, alone; what was changed is safe when this ends well.

    Raises:
        Busy: another run holds it for too long.
        GateError, OSError: the tracker fails.
    """
    with _ledger(config.tracker, plugins.load("trackers", config.tracker.type), site) as ledger:
        yield ledger


@contextmanager
def _ledger(settings: Tracker, module: Any, site: Site, patience: float = PATIENCE) -> Iterator[Ledger]:
    options = validate(dict(settings.options), module.Options, "tracker.options") if settings.options else module.Options()
    with locked(lock := site.git.common / HOME / "tracker.lock", patience) as ours:
        if not ours:
            why = f"the tracker is locked: another run has held it for {patience:.0f} s, or {lock} cannot be written"
            raise Busy(why, "try again later, or make the lock file writable")
        with module.opened(options, site) as ledger:
            yield ledger


def _bring(ledger: Ledger, issues: Iterable[Tracked], report: Report, settings: Tracker, occasion: Occasion, site: Site) -> _Tally:
    planned = _planned(ledger, tuple(issues), report, settings, site.git)
    tally = _make(ledger, planned, _link(ledger, occasion) if planned.create else "")
    fixed = _gone(ledger, report, occasion, site.git) if settings.close_fixed else ()
    for after in fixed:
        ledger.change(replace(after, status=Status.OPEN, reason=""), after)
    return replace(tally, closed=len(fixed))


def _make(ledger: Ledger, planned: Plan, link: str = "") -> _Tally:
    for issue in planned.create:
        ledger.add(replace(issue, link=issue.link or link))
    for before, after in planned.change:
        ledger.change(before, after)
    return _Tally(len(planned.create), len(planned.change), left=planned.left)


def _planned(ledger: Ledger, issues: tuple[Tracked, ...], report: Report, settings: Tracker, git: Git) -> Plan:
    """The plan; before anything is made, findings of files that were renamed are looked for under the former names."""
    names = {name for issue in issues for name in (issue.fingerprint, issue.place)}
    first = plan(issues, ledger.find(names), settings.max_new)
    if not first.create:
        return first
    stored = ledger.find(None)
    head = git.resolve(report.change.head)
    former = former_names(git, head, {issue.origin for issue in stored if issue.origin}) if head and stored else {}
    return plan(renamed(issues, report, former), stored, settings.max_new) if former else first


def _link(ledger: Ledger, occasion: Occasion) -> str:
    """The issue that new ones hang on: the one under review, the epic, or one summary of the run."""
    if occasion.link or not occasion.run:
        return occasion.link
    summary = summary_issue(occasion)
    there = ledger.find({summary.fingerprint})
    return there[0].id if there else ledger.add(summary)


def _gone(ledger: Ledger, report: Report, occasion: Occasion, git: Git) -> Sequence[Tracked]:
    def covers(base: str, head: str) -> bool:
        return within(report.change.base, base) and within(head, report.change.head)

    def within(older: str, younger: str) -> bool:
        return older[:12] == younger[:12] or is_ancestor(git, older, younger)  # the same one may be missing here

    return gone(ledger.find(None), report, occasion, covers)


def _settled(tally: _Tally, left: Waiting, settings: Tracker, site: Site, name: str) -> list[str]:
    """What is over goes, what is beyond the cap waits."""
    kept, told = True, []
    if tally.left:
        kept, text = _wait(tally.left, f"{len(tally.left)} over the limit tracker.max_new", site, name)
        told.append(text)
    if kept:  # else they are all that older runs have left
        delivered(path for path in left.files if not tally.left or path.stem != name)
    counts = {"new": tally.made, "changed": tally.changed, "closed": tally.closed}
    done = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
    return [*([f"issues ({settings.type}): {done}"] if done else []), *told]


def _kept(error: GateError | OSError, fresh: Sequence[Tracked], settings: Tracker, site: Site, name: str) -> str:
    site.failures.append(error)
    said = error.message if isinstance(error, GateError) else f"{error.strerror or error}"
    hint = f" ({error.hint})" if isinstance(error, GateError) and error.hint else ""
    if not fresh:
        return f"the tracker {settings.type} failed: {said}{hint}"
    return _wait(fresh, f"the tracker {settings.type} failed: {said}{hint}", site, name, waiting_under(site.git.common, name))[1]


def _wait(issues: Sequence[Tracked], why: str, site: Site, name: str, beside: Sequence[Tracked] = ()) -> tuple[bool, str]:
    """Whether they are kept, and what to say. `beside` waits under the same name, from an earlier try."""
    said = f"{why}; {counted(len(issues), 'finding')}"
    alone = f"{'is' if len(issues) == 1 else 'are'} only in the report"
    if site.borrowed:
        site.lost.extend(issues)
        return False, f"{said} {alone}"
    try:
        keep(site.git.common, name or str(os.getpid()), issues, beside)
    except OSError as error:
        site.lost.extend(issues)
        return False, f"{said} could not be saved and {alone}: {error.strerror}"
    return True, f"{said} {_RETRY}"


def close(ledger: Ledger, issue: Tracked, reason: str) -> None:
    """Close an issue at a person's word; it stays closed when its finding is found again."""
    ledger.change(issue, replace(issue, status=Status.CLOSED, reason=reason))
