"""Lines of the head that use something: which the change wrote itself, and how they are named."""

from collections.abc import Sequence

from ._sources import ComparisonInput, Place


def is_new_line(sources: ComparisonInput, place: Place) -> bool:
    """The change itself writes this line: it knows what it does."""
    return any(
        file.path == place.path and any(line.number == place.number for line in file.added)
        for file in sources.files
    )


def where(uses: Sequence[Place]) -> str:
    """The first place, and in how many more files there are others."""
    files = list(dict.fromkeys(use.path for use in uses))
    more = f" and {len(files) - 1} more file{'s' * (len(files) > 2)}" if len(files) > 1 else ""
    return f"{files[0]}:{uses[0].number}{more}"
