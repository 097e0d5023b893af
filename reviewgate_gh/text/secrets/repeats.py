"""Text that repeats itself: what a pattern finds at one place it finds where the same stands around
another one. A hostile text has a place every four bytes."""


class RepeatedPlaces:
    """The last place that was looked at, with `before` and `behind` characters around it, which
    are all that decide."""

    def __init__(self, text: str, before: int, behind: int) -> None:
        self._text, self._before, self._behind = text, before, behind
        self._last: tuple[int, str] = (-1, "")

    def repeats(self, at: int) -> bool:
        """The same stands around the last place that was none; else this one is the last now."""
        start = max(0, at - self._before)
        here = (at - start, self._text[start : at + self._behind])
        if here == self._last:
            return True
        self._last = here
        return False
