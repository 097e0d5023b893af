"""What is to be done in a tracker: findings that are new, that have moved, that came back, and issues whose finding is gone."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..model.report import Outcome, Report
from ..model.review import Status as Answered
from ..model.tracked import Occasion, Status, Tracked
from ..model.values import dataclass
from . import issue_notes
from .tracking import UNMET, closed, place_of

_MOVING = ("Location", "Place", "Priority")  # what an update may say anew: the source stays that of who found it first


@dataclass(frozen=True, slots=True)
class Plan:
    """`change` holds each issue before and after; `left` are new ones beyond the cap, `known` says how many need nothing."""

    create: tuple[Tracked, ...] = ()
    change: tuple[tuple[Tracked, Tracked], ...] = ()
    left: tuple[Tracked, ...] = ()
    known: int = 0


def plan(wanted: Iterable[Tracked], stored: Iterable[Tracked], most: int) -> Plan:
    """One issue a fingerprint, and one a place: a finding that either of them names is known, whatever its title and line are now.

    A place speaks for an issue only while no finding has its fingerprint: else that one has moved, and another stands where it stood.
    """
    wanted, stored = tuple(wanted), tuple(stored)
    prints = _index(stored, lambda issue: issue.fingerprint)
    own = [next((prints[name] for name in (issue.fingerprint, *issue.known_as) if name in prints), None) for issue in wanted]
    moved = {before.id for before in own if before}
    places = _index((issue for issue in stored if issue.id not in moved), lambda issue: issue.place)
    new: dict[str, Tracked] = {}
    taken: set[str] = set()  # by new issues
    change: dict[str, tuple[Tracked, Tracked]] = {}
    known = 0
    for issue, mine in zip(wanted, own, strict=True):
        before = mine or places.get(issue.place)
        if before is None:
            if issue.fingerprint not in new and (not issue.place or issue.place not in taken):
                new[issue.fingerprint] = issue
                taken.add(issue.place)
        elif (after := _after(before, issue)) != before and before.id not in change:
            change[before.id] = (before, after)
        else:
            known += 1
    create = tuple(new.values())
    return Plan(create[:most], tuple(change.values()), create[most:], known)


def _index(stored: Iterable[Tracked], name: Callable[[Tracked], str]) -> dict[str, Tracked]:
    """By that name; an open issue goes before a closed one, an older before a younger."""
    index: dict[str, Tracked] = {}
    for issue in sorted(stored, key=lambda issue: issue.status is Status.CLOSED):
        if name(issue):
            index.setdefault(name(issue), issue)
    return index


def _after(before: Tracked, issue: Tracked) -> Tracked:
    """The stored issue as it should be: open again where we closed it ourselves, left alone where a person did.

    A person who closes what is missing of an epic says that it was done: where it is missing still, it is open again.
    """
    said, now = issue_notes.read(before.notes), issue_notes.read(issue.notes)
    if before.status is Status.CLOSED and not said.get("Gone") and now.get("Source") != UNMET:
        return before
    facts = {key: now.get(key, "") for key in _MOVING} | ({"Gone": ""} if said.get("Gone") else {})
    facts["Also at"] = _places(said.get("Also at", ""), now.get("Also at", ""))
    if before.path != issue.path:
        facts["Former path"] = before.origin or before.path
    if before.status is Status.OPEN and all(said.get(key, "") == value for key, value in facts.items()):
        return before
    notes = issue_notes.changed(before.notes, facts)
    return replace(
        before, priority=issue.priority, path=issue.path, line=issue.line, place=issue.place, notes=notes, status=Status.OPEN, reason=""
    )


def _places(before: str, now: str) -> str:
    """The other places, those in files that only an earlier review has read among them; of one file those of now."""
    files = _by_file(before) | _by_file(now)
    places = [place for found in files.values() for place in found]
    return before if sorted(places) == sorted(before.split(", ")) else ", ".join(places)


def _by_file(text: str) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {}
    for place in filter(None, text.split(", ")):
        files.setdefault(place.rpartition(":")[0] or place, []).append(place)
    return files


def gone(stored: Iterable[Tracked], report: Report, occasion: Occasion, covers: Callable[[str, str], bool]) -> Sequence[Tracked]:
    """Open issues whose finding this report would have, were it still there: the same reviewers answered about at least the same commits.

    `covers(base, head)` says whether the reviewed range holds that one. Of a pull request every later review does.
    """
    if report.verdict.outcome is Outcome.INCONCLUSIVE or report.skipped or report.late:
        return ()
    names = {finding.fingerprint for finding in report.findings} | {place_of(finding) for finding in report.findings}
    rows = [row for row in report.reviews if row.status is Answered.OK]
    answered = {name for row in rows for name in (row.name, row.part or row.reviewer)}
    unread = {entry.partition(": ")[0] for entry in report.verdict.not_reviewed}
    found = []
    for issue in stored:
        facts = issue_notes.read(issue.notes)
        sources = {name for name in facts.get("Found by", "").split(", ") if name}
        if issue.status is Status.CLOSED or {issue.fingerprint, issue.place} & names or issue.path in unread:
            continue
        base, _, head = facts.get("Baseline", "").partition("..")
        same = occasion.pull and facts.get("Pull request") == f"#{occasion.pull}"
        if sources and sources <= answered and head and (same or covers(base, head)):
            found.append(closed(issue, report.change.head))
    return found
