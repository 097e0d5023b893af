"""Lines of places in a text."""

from bisect import bisect_left

from .patterns import lazy_pattern

_NEWLINE = lazy_pattern("\n")


class LineNumbers:
    """Numbers the lines of a text from 1. Who counts them anew for each of many places needs time
    by the square of the length."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in _NEWLINE.finditer(text)]

    def at(self, place: int) -> int:
        """The line of a character."""
        return bisect_left(self._ends, place) + 1
