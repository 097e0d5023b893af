"""Waivers: which findings they cover. A waiver covers one defect, and opens again for another or a
higher priority."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..model.finding import Finding, FindingState, Priority
from ..model.waiver import Waiver
from ..text.redact import redact
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
    if has_specific_rule(finding):
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


def has_specific_rule(finding: Finding) -> bool:
    """Its rule says what is wrong.

    A model's finding has no rule, and a tool that is named alone can mean anything.
    """
    return bool(finding.rule) and finding.rule not in finding.sources


def comparable_title(title: str) -> str:
    """A title as it is compared: without secrets, as reports show it, and however it is spaced."""
    return " ".join(redact(title).split())


_MOST_TOLD = 3  # waivers in one note
_MOST_COMPARED = (
    100  # waivers of one fingerprint with one finding; what none of them covers stays open
)


def apply_waivers(
    findings: Iterable[Finding],
    waivers: Iterable[Waiver],
    today: str,
    former: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Finding, ...]:
    """Open findings that a waiver covers become `waived`; the excess over its count stays open.

    `former` maps a path to its names before earlier renames: a waiver that was made under one of
    them still holds.
    """
    book = _Book(waivers, today)
    judged = [
        book.known(finding, former or {}) if finding.state is FindingState.OPEN else finding
        for finding in findings
    ]
    # Equal titles first: else a remark that is only like it would use up what is meant for another
    # one.
    for titled in (True, False):
        judged = [
            book.judge(finding, titled) if finding.state is FindingState.OPEN else finding
            for finding in judged
        ]
    return tuple(judged)


class _Book:
    """The waivers by fingerprint, and how often each was used."""

    def __init__(self, waivers: Iterable[Waiver], today: str) -> None:
        self._entries: dict[str, list[tuple[int, Waiver]]] = defaultdict(list)
        self._titled: dict[tuple[str, str], list[tuple[int, Waiver]]] = defaultdict(list)
        for entry in enumerate(waivers):
            self._entries[entry[1].fingerprint].append(entry)
            self._titled[entry[1].fingerprint, comparable_title(entry[1].title)].append(entry)
        self._used: Counter[int] = Counter()
        self._today = today

    def known(self, finding: Finding, former: Mapping[str, Sequence[str]]) -> Finding:
        """The finding under the path that a waiver knows it by; the same finding where none
        does."""
        if self._of(finding):
            return finding
        names = (
            replace(finding, origin=old) for old in former.get(finding.origin or finding.path, ())
        )
        return next((named for named in names if self._of(named)), finding)

    def judge(self, finding: Finding, titled: bool) -> Finding:
        """The finding as it stands after those waivers that have its very title, or after all."""
        why = []
        for number, waiver in (
            self._with_its_title(finding) if titled else self._of(finding)[:_MOST_COMPARED]
        ):
            against = self._against(number, waiver, finding)
            if not against:
                self._used[number] += 1
                until = f" (until {waiver.expires})" if waiver.expires else ""
                return replace(finding, state=FindingState.WAIVED, note=f"{waiver.reason}{until}")
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

    def _against(self, number: int, waiver: Waiver, finding: Finding) -> str:
        """Why the waiver does not hold for it, "" where it does."""
        if other := why_not_covered(AcceptedFinding(waiver.title, waiver.priority), finding):
            return f"its waiver {waiver.fingerprint} does not cover it: {other}"
        if waiver.is_expired(self._today):
            return f"its waiver expired on {waiver.expires}"
        return (
            f"its waiver has count {waiver.count}, and this is one more"
            if self._used[number] >= waiver.count
            else ""
        )

    def _with_its_title(self, finding: Finding) -> Sequence[tuple[int, Waiver]]:
        return self._titled.get(
            (base_fingerprint(finding.fingerprint), comparable_title(finding.title)), ()
        )

    def _of(self, finding: Finding) -> Sequence[tuple[int, Waiver]]:
        return self._entries.get(base_fingerprint(finding.fingerprint), ())


def base_fingerprint(fingerprint: str) -> str:
    """Without the ordinal."""
    return fingerprint.partition("-")[0]


def used_waivers(findings: Iterable[Finding], waivers: Iterable[Waiver]) -> tuple[str, ...]:
    """Fingerprints of the waivers that accepted something."""
    waived = {base_fingerprint(f.fingerprint) for f in findings if f.state is FindingState.WAIVED}
    return tuple(
        dict.fromkeys(waiver.fingerprint for waiver in waivers if waiver.fingerprint in waived)
    )
