"""Calls that do harm only with input: what follows input says which of a linter's remarks on them
are about a constant, or about what was made safe."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from ...findings.defects import defect_of
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern

# Not of input: what is hashed and with what decides, and where a random number is stored
_FIELD = lazy_pattern(r"\{[^{}]*\}")
_BEFORE_TABLE = lazy_pattern(
    r"\b(?:FROM|INTO|UPDATE|JOIN|TABLE"
    r"|EXISTS)\s+(?:[\"`\[\\]{0,2}\{[^{}]*\}[\"`\]\\]{0,2}\.)?[\"`\[\\]{0,2}\Z",
    re.IGNORECASE,
)
_OTHER_MAKER = lazy_pattern(r"\.format\(|[\"']\s*%|\s\+\s|\.join\(")
_OTHERS = ("weak-hash", "weak-random")


def weigh_sink(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """The finding with the priority that its call deserves: P2 where nobody can tell, less where
    nothing harmful comes there. What input reaches, the check `taint` reports too."""
    defect = defect_of(finding.rule)
    if not defect or defect in _OTHERS or finding.priority is Priority.P3:
        return finding
    data = read()
    harmless = _is_harmless(finding, defect, data) or (
        defect == "sql-injection" and _names_tables(finding, data)
    )
    return replace(finding, priority=Priority.P3 if harmless else Priority.P2)


def _names_tables(finding: Finding, data: bytes) -> bool:
    """All that an f-string puts into the statement are names of tables: no parameter can hold
    those, so that the rule fires however they were chosen."""
    rows = data.decode("utf-8", "replace").split("\n")
    text = " ".join(rows[finding.line_start - 1 : finding.line_end])
    fields = [*_FIELD.finditer(text)]
    named = all(_BEFORE_TABLE.search(text[: field.start()]) for field in fields)
    return bool(fields) and named and not _OTHER_MAKER.search(text)


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
