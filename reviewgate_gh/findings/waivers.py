"""Waivers: which findings they cover. A waiver covers one defect, and opens again for another or a
higher priority."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ..model.finding import Finding, FindingState, Priority
from ..model.waiver import Waiver
from ..text.redact import redact
from .identity import FormerNames, base_fingerprint, base_names, comparable_title
from .similarity import is_same_claim


class AcceptedFinding(NamedTuple):
    """The finding as it was when it was accepted; "" and None where that was not written down."""

    title: str = ""
    priority: Priority | None = None


def why_not_covered(accepted: AcceptedFinding, finding: Finding) -> str:
    """Why the finding is not the one that was accepted; "" where it is."""
    # P0 is the most severe, and the first in order
    if accepted.priority and finding.priority < accepted.priority:
        return (
            f"it is {finding.priority.value}, but the accepted finding was "
            f"{accepted.priority.value}"
        )
    if finding.has_specific_rule:
        return ""
    if not accepted.title:
        return (
            "the accepted finding has no title, and a reviewer without rules can report "
            "several problems on one line"
        )
    same = comparable_title(accepted.title) == comparable_title(finding.title) or is_same_claim(
        accepted.title, redact(finding.title)
    )
    return "" if same else f"the accepted finding is {accepted.title!r}"


_MOST_TOLD = 3  # waivers in one note
_MOST_COMPARED = (
    100  # waivers of one fingerprint with one finding; what none of them covers stays open
)


def apply_waivers(
    findings: Iterable[Finding],
    waivers: Iterable[Waiver],
    today: str,
    former: FormerNames | None = None,
) -> tuple[Finding, ...]:
    """Open findings that a waiver covers become `waived`; the excess over its count stays open.

    `former` maps a path to its names before earlier renames: a waiver that was made under one of
    them still holds, and so does one of the first format.
    """
    book = _Book(waivers, today, former or {})
    judged = tuple(findings)
    # Equal titles first: else a remark that is only like it would use up what is meant for another
    # one.
    for titled in (True, False):
        judged = tuple(
            book.judge(finding, titled) if finding.state is FindingState.OPEN else finding
            for finding in judged
        )
    return tuple(book.with_near_miss(finding) for finding in judged)


class _Book:
    """The waivers by fingerprint, and how often each was used."""

    def __init__(self, waivers: Iterable[Waiver], today: str, former: FormerNames) -> None:
        self._entries: dict[str, list[tuple[int, Waiver]]] = defaultdict(list)
        self._titled: dict[tuple[str, str], list[tuple[int, Waiver]]] = defaultdict(list)
        self._units: dict[tuple[str, str, str], list[tuple[int, Waiver]]] = defaultdict(list)
        for entry in enumerate(waivers):
            waiver = entry[1]
            self._entries[waiver.fingerprint].append(entry)
            self._titled[waiver.fingerprint, comparable_title(waiver.title)].append(entry)
            self._units[waiver.rule, waiver.path, waiver.unit].append(entry)
        self._used: Counter[int] = Counter()
        self._today, self._former = today, former

    def judge(self, finding: Finding, titled: bool) -> Finding:
        """The finding as it stands after those waivers that have its very title, or after all."""
        if not self._entries:
            return finding
        why = []
        for number, waiver in self._of(finding, titled):
            against = self._against(number, waiver, finding)
            if not against:
                self._used[number] += 1
                until = f" (until {waiver.expires})" if waiver.expires else ""
                return replace(
                    finding,
                    state=FindingState.WAIVED,
                    note=f"{waiver.reason}{until}",
                    waiver=waiver.fingerprint,
                )
            why.append(against)
        if titled or not why:
            return finding
        left = len(why) - _MOST_TOLD
        more = (
            [f"{left} more waiver{'s do' if left > 1 else ' does'} not cover it"]
            if left > 0
            else []
        )
        return replace(
            finding, note="; ".join(filter(None, [finding.note, *why[:_MOST_TOLD], *more]))
        )

    def with_near_miss(self, finding: Finding) -> Finding:
        """An open finding whose statement has changed since it was accepted names that waiver."""
        if finding.state is not FindingState.OPEN or not self._entries or not finding.unit:
            return finding
        mine = set(base_names(finding, self._former))
        paths = dict.fromkeys((finding.path, *self._former.get(finding.path, ())))
        for path in paths:
            for number, waiver in self._units.get((finding.rule, path, finding.unit), ()):
                same = comparable_title(waiver.title) == comparable_title(finding.title)
                if same and not self._used[number] and waiver.fingerprint not in mine:
                    why = f"its waiver {waiver.fingerprint} does not cover it: the code has changed"
                    return replace(finding, note="; ".join(filter(None, [finding.note, why])))
        return finding

    def _against(self, number: int, waiver: Waiver, finding: Finding) -> str:
        """Why the waiver does not hold for it, "" where it does."""
        if other := why_not_covered(AcceptedFinding(waiver.title, waiver.priority), finding):
            return f"its waiver {waiver.fingerprint} does not cover it: {other}"
        if waiver.is_expired(self._today):
            return f"its waiver expired on {waiver.expires}"
        return (
            f"its waiver has count {waiver.count}, and this is one more"
            if self._used[number] + finding.older >= waiver.count
            else ""
        )

    def _of(self, finding: Finding, titled: bool) -> Iterator[tuple[int, Waiver]]:
        """The waivers under each of its names, those of now first."""
        title = comparable_title(finding.title)
        for name in base_names(finding, self._former):
            if titled:
                yield from self._titled.get((name, title), ())
            else:
                yield from self._entries.get(name, ())[:_MOST_COMPARED]


def former_waivers(findings: Iterable[Finding]) -> str:
    """A sentence about waivers that hold under names which later versions will not know; "" where
    there are none."""
    former = {
        f.waiver
        for f in findings
        if f.state is FindingState.WAIVED
        and f.waiver
        and f.waiver != base_fingerprint(f.fingerprint)
    }
    if not former:
        return ""
    one = len(former) == 1
    return (
        f"{len(former)} waiver{'' if one else 's'} {'has an' if one else 'have'} old "
        f"fingerprint{'' if one else 's'}: update with reviewgate-gh waive migrate"
    )


def used_waivers(findings: Iterable[Finding], waivers: Iterable[Waiver]) -> tuple[str, ...]:
    """Fingerprints of the waivers that accepted something."""
    waived = {f.waiver for f in findings if f.state is FindingState.WAIVED}
    return tuple(
        dict.fromkeys(waiver.fingerprint for waiver in waivers if waiver.fingerprint in waived)
    )
