"""The parts of a text in which secrets can lie, so that the rest is not searched for each kind."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from ..patterns import lazy_pattern

# The beginnings of most kinds lie in such runs; they are a tenth of usual text, so that looking for
# hundreds of words costs little.
# Where none follows the match ends with the text: one that fails would be tried from each place.
_RUN = lazy_pattern(
    r"(?:[A-Za-z0-9_\-.+/=]{0,15}+[^A-Za-z0-9_\-.+/=]++)*+([A-Za-z0-9_\-.+/=]{16,}+|)"
)
_NAME_ALONE = lazy_pattern(r"[a-z_.\-+/=]*")  # no key is without digits and capitals


class Runs:
    """The long runs of a text's letters, digits and `_-.+/=`, and where each stood.

    Most secrets lie in such, and they are a tenth of usual text, so that looking there for hundreds
    of words costs little.
    """

    def __init__(self, text: str) -> None:
        found = [m for m in _RUN.finditer(text) if not _NAME_ALONE.fullmatch(m[1])]
        self._starts = [m.start(1) for m in found]
        rows = [m[1] for m in found]
        self._text = "\n".join(rows)
        self._places = [0, *accumulate(len(row) + 1 for row in rows)]
        self._different = "\n".join(set(rows))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def __contains__(self, word: str) -> bool:
        return word in self._different

    def find(self, word: str) -> Iterator[int]:
        """Where the word stands in the whole text."""
        at = self._text.find(word)
        while at >= 0:
            run = bisect_right(self._places, at) - 1
            yield self._starts[run] + at - self._places[run]
            at = self._text.find(word, at + len(word))


def places(word: str, text: str) -> Iterator[int]:
    """Where the word stands."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))
