"""From a report's findings to waivers: what somebody accepts by naming fingerprints."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..model.errors import UsageError
from ..model.finding import Finding, State
from ..model.values import dataclass
from ..model.waiver import Waiver
from .waivers import base_fingerprint


@dataclass(frozen=True, slots=True)
class Terms:
    """Why findings are accepted, until when (YYYY-MM-DD), and how many equal ones (None: as many as there are)."""

    reason: str
    expires: str | None = None
    count: int | None = None


def open_fingerprints(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The fingerprints of everything that stands open."""
    return tuple(finding.fingerprint for finding in findings if finding.state is State.OPEN)


def accepted(findings: Sequence[Finding], wanted: Sequence[str], known: Sequence[Waiver], terms: Terms) -> tuple[Waiver, ...]:
    """One waiver for each base fingerprint; of a pattern over many files, all its places are accepted.

    `known` are the waivers there are: a fingerprint that only they know keeps its rule and path.

    Raises:
        UsageError: a fingerprint that nobody knows, or terms that a waiver cannot have.
    """
    by_name = {finding.fingerprint: finding for finding in reversed(findings)}
    earlier = {waiver.fingerprint: waiver for waiver in known}
    unknown = [name for name in wanted if name not in by_name and name not in earlier]
    if unknown:
        raise UsageError(f"no kept report has the finding {', '.join(unknown)}", "see the fingerprints with: reviewgate-gh review")
    made: dict[str, Waiver] = {}
    for name in wanted:
        group = [by_name[name], *_places(by_name[name], findings)] if name in by_name else []
        for waiver in [_waiver(finding, terms) for finding in group] or [_renewed(earlier[name], terms)]:
            other = made.get(waiver.fingerprint)
            made[waiver.fingerprint] = waiver if other is None or waiver.count > other.count else other
    return tuple(made.values())


def _places(head: Finding, findings: Iterable[Finding]) -> list[Finding]:
    """The other places of a pattern."""
    if not head.places:
        return []
    note = f"the same issue as {head.location}"
    return [f for f in findings if f.state is State.DUPLICATE and f.note == note and (f.rule, f.title) == (head.rule, head.title)]


def _waiver(finding: Finding, terms: Terms) -> Waiver:
    path = _writable(finding.origin or finding.path)  # it is there for people and for renames
    named = Waiver(fingerprint=base_fingerprint(finding.fingerprint), reason="-", count=finding.ordinal, rule=finding.rule, path=path)
    return _renewed(named, terms)


def _renewed(waiver: Waiver, terms: Terms) -> Waiver:
    try:
        reason = " ".join(_writable(terms.reason).split())
        count = waiver.count if terms.count is None else terms.count
        return replace(waiver, reason=reason, expires=terms.expires, count=count)
    except ValueError as error:
        raise UsageError(str(error), "see reviewgate-gh waive add --help") from None


def merged(before: Sequence[Waiver], new: Iterable[Waiver], terms: Terms, today: str) -> tuple[dict[int, Waiver], tuple[Waiver, ...]]:
    """What changes in a file: entries by position, and additions.

    A fingerprint that is there keeps its greater count and, while it has not passed, its date, unless the terms name others.
    """
    at = {waiver.fingerprint: position for position, waiver in enumerate(before)}
    changed, added = {}, []
    for waiver in new:
        if waiver.fingerprint not in at:
            added.append(waiver)
            continue
        old = before[at[waiver.fingerprint]]
        count = waiver.count if terms.count is not None else max(waiver.count, old.count)
        expires = waiver.expires or (None if old.expired(today) else old.expires)
        changed[at[waiver.fingerprint]] = replace(waiver, count=count, expires=expires)
    return changed, tuple(added)


def _writable(text: str) -> str:
    """No file of text can hold bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
