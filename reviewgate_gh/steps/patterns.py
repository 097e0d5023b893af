"""One issue in many files is one finding that lists its places."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ..model.finding import Finding, State

_FILES = 3


def gather_patterns(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Open findings with equal rule and title in three or more files: the first keeps the places, the others are duplicates of it."""
    findings = tuple(findings)
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for at, finding in enumerate(findings):
        if finding.state is State.OPEN:
            groups[finding.rule, finding.title, finding.confidence].append(at)
    done = list(findings)
    for members in groups.values():
        if len({findings[at].path for at in members}) >= _FILES:
            _gather(done, members)
    return tuple(done)


def _gather(findings: list[Finding], members: list[int]) -> None:
    first, *rest = members
    head = findings[first]
    seconded = any(findings[at].seconded for at in members)
    findings[first] = replace(head, places=tuple(findings[at].location for at in members), seconded=seconded)
    for at in rest:
        findings[at] = replace(findings[at], state=State.DUPLICATE, note=f"the same issue as {head.location}")
