"""The same remark from several reviewers becomes one; equal remarks at one place are told apart; patterns are gathered.

Identity: exactly equal path, lines and title always merge. Across reviewers, findings whose lines overlap and whose titles
mean the same merge too. Findings of one reviewer never merge with each other on meaning: a tool that reports twice means two.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ..model.finding import Finding, Priority, State

_ALIKE = 0.5
_SAME_ISSUE_IN = 4
_WORD = re.compile(r"[a-z0-9_]+")
_ORDER = list(Priority)


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each remark, sorted by path and line; duplicates stay, marked, and name nothing twice."""
    kept: dict[str, list[Finding]] = defaultdict(list)
    duplicates = []
    for finding in sorted(findings, key=_sort_key):
        same = next((i for i, other in enumerate(kept[finding.path]) if _same(other, finding)), None)
        if same is None:
            kept[finding.path].append(finding)
        else:
            kept[finding.path][same] = _joined(kept[finding.path][same], finding)
            duplicates.append(replace(finding, state=State.DUPLICATE, note=f"same as {kept[finding.path][same].rule}"))
    return _numbered([finding for group in kept.values() for finding in group] + duplicates)


def _sort_key(finding: Finding) -> tuple[str, int, int, int, str, str]:
    return (finding.path, finding.line_start, _ORDER.index(finding.priority), finding.line_end, finding.rule, finding.title)


def _same(one: Finding, other: Finding) -> bool:
    if one.state is not other.state or one.side != other.side:
        return False
    if (one.line_start, one.line_end, one.title) == (other.line_start, other.line_end, other.title):
        return True
    if set(one.sources) & set(other.sources) or not _overlap(one, other):
        return False
    return similarity(one.title, other.title) >= _ALIKE


def _overlap(one: Finding, other: Finding) -> bool:
    return one.line_start <= max(other.line_start, other.line_end) and other.line_start <= max(one.line_start, one.line_end)


def similarity(one: str, other: str) -> float:
    """Shared words over all words of two titles, 0 to 1."""
    left, right = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(left & right) / len(left | right) if left | right else 1.0


def _joined(one: Finding, other: Finding) -> Finding:
    priority = min(one.priority, other.priority, key=_ORDER.index)
    return replace(
        one, priority=priority, sources=tuple(dict.fromkeys((*one.sources, *other.sources))), suggestion=one.suggestion or other.suggestion
    )


def _numbered(findings: list[Finding]) -> tuple[Finding, ...]:
    """Findings that would share a fingerprint get ordinals, in the order of their lines."""
    seen: dict[str, int] = defaultdict(int)
    done = []
    for finding in findings:
        if finding.state is State.DUPLICATE:
            done.append(finding)
            continue
        seen[finding.fingerprint] += 1
        count = seen[finding.fingerprint]
        done.append(finding if count == 1 else replace(finding, ordinal=count))
    return tuple(done)
