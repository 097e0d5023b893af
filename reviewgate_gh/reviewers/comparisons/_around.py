"""Statements that a change leaves as they are, while it takes away what was around them."""

from collections import Counter
from collections.abc import Sequence

from ._sources import ComparedFile, Line, squeeze

_SHORTEST = 4  # characters of a statement that says something
_MOSTLY = 0.75


def guarded_rows(file: ComparedFile, line: Line) -> tuple[str, ...]:
    """What the line of the base was around: the statements indended below it, or where there are
    none, those that follow it in the same definition."""
    rows = file.base_rows
    depth = _depth(line.text)
    block = list[str]()
    for row in rows[line.number :]:
        if row.strip() and _depth(row) <= depth:
            break
        block.append(row)
    return _statements(block) or _statements(_rest_of_unit(file, line.number))


def are_kept(file: ComparedFile, line: Line, rows: Sequence[str]) -> bool:
    """Most of the statements are at head, in the definition that the line of the base is in."""
    unit = file.base_code.unit(line.number)
    if unit not in file.head_code.units:  # a call with a closure looks like a definition
        unit = unit.rpartition(".")[0]
    here = Counter(
        squeeze(row)
        for at, row in enumerate(file.head_rows, 1)
        if _is_inside(file.head_code.unit(at), unit)
    )
    gone = Counter(map(squeeze, rows)) - here
    return bool(rows) and gone.total() <= len(rows) * (1 - _MOSTLY)


def _is_inside(unit: str, around: str) -> bool:
    """The definition is the other one, or a part of it."""
    return not around or unit == around or unit.startswith(f"{around}.")


def _rest_of_unit(file: ComparedFile, number: int) -> Sequence[str]:
    unit = file.base_code.unit(number)
    rows = file.base_rows
    last = number
    while last < len(rows) and _is_inside(file.base_code.unit(last + 1), unit):
        last += 1
    return rows[number:last]


def _statements(rows: Sequence[str]) -> tuple[str, ...]:
    return tuple(row for row in rows if len(row.strip()) >= _SHORTEST)


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())
