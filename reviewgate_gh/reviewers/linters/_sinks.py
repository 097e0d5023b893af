"""Calls that do harm only with input: what follows input says which of a linter's remarks on them
are about a constant, or about what was made safe."""

from collections.abc import Callable

from msgspec.structs import replace

from ...findings.defects import defect_of
from ...model.finding import Finding, Priority

# Not of input: what is hashed and with what decides, and where a random number is stored
_OTHERS = ("weak-hash", "weak-random")


def weigh_sink(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """The finding with the priority that its call deserves: P2 where nobody can tell, less where
    nothing harmful comes there. What input reaches, the check `taint` reports too."""
    defect = defect_of(finding.rule)
    if not defect or defect in _OTHERS or finding.priority is Priority.P3:
        return finding
    priority = Priority.P3 if _is_harmless(finding, defect, read()) else Priority.P2
    return replace(finding, priority=priority)


def _is_harmless(finding: Finding, defect: str, data: bytes) -> bool:
    from ..taint.engine import judge_sinks  # most changes have nothing for it

    there = [
        sink.harmless
        for sink in judge_sinks(data)
        if sink.defect == defect
        and sink.first <= finding.line_end
        and finding.line_start <= sink.last
    ]
    return bool(there) and all(there)
