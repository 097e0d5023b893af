"""Comparisons that look for the rest of a class of losses: they speak where those that know more
about it say nothing."""

from collections.abc import Callable, Iterator, Sequence

from ....model.finding import Finding
from .._sources import ComparisonInput

Compare = Callable[[ComparisonInput], Iterator[Finding]]


def where_silent(
    sources: ComparisonInput, found: Sequence[Finding], others: Sequence[Compare]
) -> Iterator[Finding]:
    """The findings in files of which no other comparison says anything; the others are only asked
    where there are some."""
    told = {each.path for other in others if found for each in other(sources)}
    yield from (each for each in found if each.path not in told)
