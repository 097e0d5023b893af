"""Accepted findings: marked with the reason, counted, and open again when the date has passed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..model.finding import Finding, State
from ..model.waiver import Waiver


def apply_waivers(
    findings: Iterable[Finding], waivers: Iterable[Waiver], today: str, former: Mapping[str, Sequence[str]] | None = None
) -> tuple[Finding, ...]:
    """Open findings that a waiver names become `waived`; the excess over its count stays open.

    `former` maps a path to its names before earlier renames: a waiver that was made under one of them still holds.
    """
    known = {waiver.fingerprint: waiver for waiver in waivers}
    used: Counter[str] = Counter()
    return tuple(_judge(_as_waived(finding, known, former or {}), known, used, today) for finding in findings)


def _as_waived(finding: Finding, known: Mapping[str, Waiver], former: Mapping[str, Sequence[str]]) -> Finding:
    """The finding under the path that a waiver knows it by; the same finding where none does."""
    if finding.state is not State.OPEN or base_fingerprint(finding.fingerprint) in known:
        return finding
    names = (replace(finding, origin=old) for old in former.get(finding.origin or finding.path, ()))
    return next((named for named in names if base_fingerprint(named.fingerprint) in known), finding)


def _judge(finding: Finding, known: Mapping[str, Waiver], used: Counter[str], today: str) -> Finding:
    waiver = known.get(base_fingerprint(finding.fingerprint))
    if waiver is None or finding.state is not State.OPEN:
        return finding
    if waiver.expired(today):
        return replace(finding, note=f"its waiver ran out on {waiver.expires}")
    used[waiver.fingerprint] += 1
    if used[waiver.fingerprint] > waiver.count:
        return replace(finding, note=f"its waiver covers {waiver.count}, this is one more")
    until = f" (until {waiver.expires})" if waiver.expires else ""
    return replace(finding, state=State.WAIVED, note=f"{waiver.reason}{until}")


def base_fingerprint(fingerprint: str) -> str:
    """Without the ordinal."""
    return fingerprint.partition("-")[0]


def used_waivers(findings: Iterable[Finding], waivers: Iterable[Waiver]) -> tuple[str, ...]:
    """Fingerprints of the waivers that accepted something."""
    waived = {base_fingerprint(f.fingerprint) for f in findings if f.state is State.WAIVED}
    return tuple(waiver.fingerprint for waiver in waivers if waiver.fingerprint in waived)
