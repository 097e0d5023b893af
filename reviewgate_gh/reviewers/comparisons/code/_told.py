"""Findings of which another comparison does not tell already."""

from collections.abc import Callable, Iterable, Iterator

from ....model.finding import Finding
from .._sources import ComparisonInput

Compare = Callable[[ComparisonInput], Iterator[Finding]]


def without_told(
    sources: ComparisonInput, found: Iterable[Finding], *others: Compare
) -> Iterator[Finding]:
    """Those about another line, with some place that none of the others names; these are asked only
    where there is something to say."""
    kept = [*found]
    told = [each for other in others for each in other(sources)] if kept else []
    lines = {(each.path, each.line_start) for each in told}
    places = {place for each in told for place in each.places}
    for each in kept:
        if (each.path, each.line_start) not in lines and not (
            each.places and places.issuperset(each.places)
        ):
            yield each
