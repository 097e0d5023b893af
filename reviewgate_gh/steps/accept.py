"""From a report's findings to waivers: what somebody accepts by naming fingerprints."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from ..model.errors import UsageError
from ..model.finding import Finding, State
from ..model.values import dataclass
from ..model.waiver import Waiver
from ..text.redact import redact
from .acceptance import names_its_defect
from .waivers import base_fingerprint

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


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
    """One waiver for each defect: a base fingerprint, of a model's finding with its title. Of a pattern all places are accepted.

    `known` are the waivers there are: a fingerprint that only they know keeps what it says.

    Raises:
        UsageError: a fingerprint that nobody knows, or terms that a waiver cannot have.
    """
    by_name = {finding.fingerprint: finding for finding in reversed(findings)}
    earlier = _grouped(known, lambda waiver: waiver.fingerprint)
    unknown = [name for name in wanted if name not in by_name and name not in earlier]
    if unknown:
        raise UsageError(f"no saved report contains the finding {', '.join(unknown)}", "list the fingerprints with: reviewgate-gh review")
    places = _grouped((f for f in findings if f.state is State.DUPLICATE), lambda f: (f.note, f.rule, f.title))
    equals = _grouped(findings, lambda f: (base_fingerprint(f.fingerprint), f.title))
    made: dict[tuple[str, str], Waiver] = {}
    for name in wanted:
        head = by_name.get(name)
        group = (
            [head, *(places.get((f"the same issue as {head.location}", head.rule, head.title), ()) if head.places else ())] if head else []
        )
        new = [_waiver(f, terms, equals[base_fingerprint(f.fingerprint), f.title]) for f in group]
        for waiver in new or [_renewed(old, terms) for old in earlier[name]]:
            made[identity(waiver)] = _both(made.get(identity(waiver)), waiver)
    return tuple(made.values())


def identity(waiver: Waiver) -> tuple[str, str]:
    """What makes an entry another one: where no rule says what is wrong, several things can be accepted under one fingerprint."""
    return waiver.fingerprint, "" if "/" in waiver.rule else waiver.title


def _of_pattern(head: Finding) -> tuple[str, str, str]:
    """Note, rule and title of a pattern's other places."""
    return f"the same issue as {head.location}", head.rule, head.title


def _grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def _both(one: Waiver | None, other: Waiver) -> Waiver:
    """The entry that covers what either of them does."""
    if one is None:
        return other
    wider = other if other.count > one.count else one
    severe = min(filter(None, (one.priority, other.priority)), default=None)
    return replace(wider, priority=severe)


def _waiver(finding: Finding, terms: Terms, equals: Iterable[Finding]) -> Waiver:
    """`equals` have its fingerprint, but for the ordinal, and its title. Of what no rule tells apart, only these are equal ones."""
    count = finding.ordinal
    if not names_its_defect(finding):
        count = len({each.ordinal for each in equals if each.ordinal <= finding.ordinal})
    named = Waiver(
        fingerprint=base_fingerprint(finding.fingerprint),
        reason="-",
        count=count,
        rule=finding.rule,
        path=_writable(finding.origin or finding.path),  # it is there for people and for renames
        title=_writable(redact(finding.title)),
        priority=finding.priority,
    )
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

    An entry that is there keeps its greater count and, while it has not passed, its date, unless the terms name others. One without a
    title takes that of the first new one with its fingerprint.
    """
    at = {identity(waiver): position for position, waiver in enumerate(before)}
    changed, added = {}, []
    for waiver in new:
        position = at.get(identity(waiver))
        if position is None and (position := at.pop((waiver.fingerprint, ""), None)) is None:
            added.append(waiver)
            continue
        old = before[position]
        count = waiver.count if terms.count is not None else max(waiver.count, old.count)
        expires = waiver.expires or (None if old.expired(today) else old.expires)
        changed[position] = replace(waiver, count=count, expires=expires)
    return changed, tuple(added)


def _writable(text: str) -> str:
    """No file of text can hold bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
