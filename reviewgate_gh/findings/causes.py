"""A change that breaks code elsewhere is reported once: where the code breaks, or where the change
is."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..model.change import FileDiff
from ..model.finding import Finding, FindingState

Spans = tuple[tuple[int, int], ...]  # first and last lines

_NAME = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"\w+")


def merge_with_broken_uses(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Remarks at a changed definition that name its uses become duplicates, where a finding stands
    in each file that they name, about the same name, and names the changed file as its cause."""
    known = _broken_uses(findings)
    return tuple(_marked(finding, known) for finding in findings) if known else tuple(findings)


def _broken_uses(findings: Iterable[Finding]) -> dict[tuple[str, str], set[str]]:
    """By changed file and name, the files that break."""
    found = defaultdict[tuple[str, str], set[str]](set)
    for finding in findings:
        if finding.cause and finding.state is FindingState.OPEN:
            for name in _NAME.findall(finding.title)[:1]:
                found[finding.cause.path, name.rpartition(".")[2]].add(finding.path)
    return found


def _marked(finding: Finding, known: dict[tuple[str, str], set[str]]) -> Finding:
    named = {place.rpartition(":")[0] for place in finding.places if place != finding.location}
    if finding.cause or not named or finding.state is not FindingState.OPEN:
        return finding
    words = _WORD.findall(finding.title)
    if any(named <= known.get((finding.path, word), set()) for word in words):
        note = "the same is reported where the code breaks"
        return replace(finding, state=FindingState.DUPLICATE, note=note)
    return finding


def causing_line(file: FileDiff, old: Spans, new: Spans) -> int:
    """The line at head, shown by the diff, where a definition changes: an added one of its new
    lines, or the one that follows its old ones. 0 where the diff shows none."""
    after_removed = 0
    for hunk in file.hunks:
        previous, waiting = 0, False
        for row in hunk.lines():
            if row.sign == "+" and _within(row.new, new):
                return row.new
            waiting = waiting or (row.sign == "-" and _within(row.old, old))
            if row.new:
                if waiting and not after_removed:
                    after_removed = row.new
                previous = row.new
        if waiting and not after_removed:
            after_removed = previous
    return after_removed


def _within(line: int, spans: Spans) -> bool:
    return any(first <= line <= last for first, last in spans)
