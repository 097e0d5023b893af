"""New lines of a change that may do what is gone from a definition: a definition that is new, and
has nothing to do with it, replaces nothing there."""

from collections.abc import Iterator

from ...text.patterns import lazy_pattern
from ._guards import code_of
from ._sources import ComparedFile, ComparisonInput, Line

_WORD = lazy_pattern(r"[A-Za-z_]\w*")
_MOST_STEPS = 4  # from one new definition to the next
_ABOVE = 3  # lines with decorators


def replacing_lines(
    sources: ComparisonInput, file: ComparedFile, line: Line
) -> Iterator[tuple[ComparedFile, Line]]:
    """The added lines of product code, but for those of new definitions that neither the definition
    of the line calls, nor call it."""
    related = _related(sources, file, line)
    for other in sources.files:
        for each in other.added if other.is_product else ():
            unit = other.head_code.unit(each.number)
            if unit in other.base_code.units or not unit or (other.path, unit) in related:
                yield other, each


def _related(
    sources: ComparisonInput, file: ComparedFile, line: Line
) -> frozenset[tuple[str, str]]:
    """New definitions that the definition of the line names, or that name it, from one to the
    next."""
    unit = file.base_code.unit(line.number)
    first = file.head_code.definitions.get(unit, 0)
    rows = [row for n, row in enumerate(file.head_rows, 1) if file.head_code.unit(n) == unit]
    above = file.head_rows[max(0, first - 1 - _ABOVE) : first] if first else file.head_rows
    said = {*_WORD.findall("\n".join(map(code_of, (*above, *rows))))}
    own = unit.rpartition(".")[2]
    bodies = sources.new_definitions
    found = set[tuple[str, str]]()
    for _step in range(_MOST_STEPS):
        came = [
            (key, words)
            for key, words in bodies.items()
            if key not in found and (said & _names(key[1]) or (len(own) > 1 and own in words))
        ]
        if not came:
            break
        for key, words in came:
            found.add(key)
            said |= words
    return frozenset(found)


def _names(unit: str) -> set[str]:
    """The definition and what it belongs to."""
    return {*unit.split(".")}
