"""Comparisons that look for the rest of a class of losses: they speak where those that know more
about it say nothing."""

from collections.abc import Callable, Iterator, Sequence

from ....model.finding import Finding
from .._sources import ComparisonInput

Compare = Callable[[ComparisonInput], Iterator[Finding]]


def where_silent(
    sources: ComparisonInput, found: Sequence[Finding], others: Sequence[Compare]
) -> Iterator[Finding]:
    """The findings in definitions of which no other comparison says anything; the others are only
    asked where there are some. A finding about one place takes no other one along."""
    files = {file.path: file for file in sources.files}

    def place(each: Finding) -> tuple[str, str]:
        file = files[each.path]
        code = file.base_code if each.side == "LEFT" else file.head_code
        return each.path, code.unit(each.line_start)

    told = {place(each) for other in others if found for each in other(sources)}
    yield from (each for each in found if place(each) not in told)
