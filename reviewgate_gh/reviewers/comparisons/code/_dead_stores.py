"""Assignments whose value nobody reads: what they took was looked at by no one."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....text.patterns import lazy_pattern
from .._guards import code_of
from .._sources import ComparedFile, Line, has_word

# A plain variable; what is behind a pointer, or a member, others read
_STORES = lazy_pattern(
    r"^\s*(?:(?:const\s+)?(?:[A-Za-z_][\w:]*\s+){1,4}\*?)?(?P<name>[A-Za-z_]\w*)\s*:?=(?!=)"
)
_GOES_BACK = lazy_pattern(r"^\s*(?:\}\s*)?(?:for|while|do)\b|\bgoto\b")
_LONGEST = 500  # lines of a definition


@lru_cache(256)  # asked for each new line that drops a result
def is_never_read(file: ComparedFile, line: Line) -> bool:
    """Of the base: a variable of the definition's own gets the value, and either another one before
    anything reads it, or nothing does up to the end."""
    found = _STORES.match(code_of(line.text))
    unit = file.base_code.unit(line.number)
    if found is None or not unit:
        return False
    first = file.base_code.definitions.get(unit, 0)
    if not first or file.base_code.unit(first + _LONGEST) == unit:
        return False
    name, header = found["name"], file.base_code.rows(first)
    rows = [*_rows_of(file, unit, header.start)]
    if not _is_own(file, [text for _at, text in rows], header, name):
        return False
    below = [text for at, text in rows if at >= file.base_code.rows(line.number).stop]
    if any(map(_GOES_BACK.search, (text for _at, text in rows))):
        stores = re.compile(rf"^\s*{name}\s*=(?!=)(?!.*\b{name}\b)")
        inside = (text for at, text in rows if at >= header.stop and at != line.number)
        return not any(has_word(text, name) for text in inside if not stores.match(text))
    return not _is_read(below, name, _indent(line.text))


def _rows_of(file: ComparedFile, unit: str, first: int) -> Iterator[tuple[int, str]]:
    for at in range(first, min(first + _LONGEST, len(file.base_rows) + 1)):
        if file.base_code.unit(at) == unit:
            yield at, code_of(file.base_rows[at - 1])


def _is_own(file: ComparedFile, rows: Sequence[str], header: range, name: str) -> bool:
    """A variable or a parameter that is no reference; Go gives the results that a header names to
    the caller."""
    declares = re.compile(rf"[\w>\]]\s+\*?{name}\s*[,;=)\[]|\b{name}\b[^=()]*:=|\bvar\s+{name}\b")
    head = " ".join(file.base_rows[at - 1] for at in header)
    if re.search(rf"&\s*{name}\b", "\n".join(rows)) or (
        file.path.endswith(".go") and has_word(head, name)
    ):
        return False
    return declares.search(head) is not None or any(map(declares.search, rows))


def _is_read(rows: Sequence[str], name: str, depth: int) -> bool:
    """Before another value takes its place, on every way there."""
    stores = re.compile(rf"^\s*{name}\s*=(?!=)(?P<value>.*)")
    lowest = depth
    for text in rows:
        if not text.strip():
            continue
        found = stores.match(text)
        if found is None and has_word(text, name):
            return True
        if found is not None:
            if has_word(found["value"], name):
                return True
            if _indent(text) <= lowest:
                return False
        lowest = min(lowest, _indent(text))
    return False


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
