"""Where quoted lines stand in the code that a change shows, at head or before it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import accumulate
from typing import NamedTuple

from ..model.change import HunkLine
from ..text.patterns import lazy_pattern
from ..text.visible import show_hidden
from .lines import LONGEST_SHOWN, prompt_text
from .scope import ChangedLines

_LEAST_PART = 6  # characters without spaces, of a part of lines
_LEAST_PROOF = 10
_FLOOR = 0.75
_CLEARLY = 0.05
_MOST_LINES = 30  # of a quote that is compared with all lines
# Pairs of lines in one answer: whoever quotes so much that is nowhere has no place for the rest
_MOST_COMPARED = 200_000
_MOST_LOOKS = 2_000_000  # rows that quotes of one answer are held against, for the same reason
_LONGEST = 400  # characters of a line that is compared
_GUTTER = lazy_pattern(r"([ +-])?\s*\d+ \| ?")  # sign and number, as questions show them
_COMMENT = lazy_pattern(r"\s*(?:#|//|/?\*|--|<!--|;|%|\"\"\")")
_SAYS = lazy_pattern(r"[^\W\d_]{3}")
_SIGNS = {"RIGHT": " +", "LEFT": " -", "BOTH": " +-"}
_PREFIXES = ("./", "a/", "b/")


class CodePlace(NamedTuple):
    """Lines of a changed file: first and last number at head ("RIGHT") or at base ("LEFT").

    `whole`: these are the quoted lines, apart from spaces; otherwise they hold the quote, or are
    the most alike.
    """

    side: str
    start: int
    end: int
    whole: bool = True


class _Row(NamedTuple):
    """A shown line: its sign and numbers, as it may be quoted (with secrets and without), and both
    without spaces."""

    sign: str
    old: int
    new: int
    texts: tuple[str, ...]
    bare: tuple[str, ...]


_Fits = Callable[[str, _Row], bool]
_At = tuple[int, int]  # a hunk, and a row of it


def _same(said: str, row: _Row) -> bool:
    return said in row.texts


def _same_bare(said: str, row: _Row) -> bool:
    return said in row.bare


def _part(said: str, row: _Row) -> bool:
    return any(said in text for text in row.bare)


class _Text:
    """All lines of a side without spaces, one after another: to see at once that a quote is not
    there, or in which rows it is."""

    def __init__(self, hunks: Sequence[Sequence[_Row]]) -> None:
        placed = [
            ((hunk, at), "\n".join(row.bare))
            for hunk, rows in enumerate(hunks)
            for at, row in enumerate(rows)
        ]
        self.text = "\n".join(text for _, text in placed)
        self._rows = [at for at, _ in placed]
        self._starts = [*accumulate((len(text) + 1 for _, text in placed), initial=0)]

    def holding(self, part: str) -> Iterator[_At]:
        """The rows that hold it, in order."""
        found = self.text.find(part)
        while found >= 0:
            row = bisect_right(self._starts, found) - 1
            yield self._rows[row]
            found = self.text.find(part, self._starts[row + 1])


class CodeIndex:
    """The lines that a change shows, to be searched; made once a run, since files are read on
    demand and kept."""

    def __init__(self, changed_lines: ChangedLines) -> None:
        self._scope = changed_lines
        self._rows: dict[str, list[list[_Row]]] = {}
        self._seen: dict[tuple[str, str, bool], list[list[_Row]]] = {}
        self._texts: dict[tuple[str, str], _Text] = {}
        self._indexes: dict[tuple[str, str, _Fits], dict[str, list[_At]]] = {}
        self._looks = _MOST_LOOKS
        self._left = _MOST_COMPARED

    @property
    def changed_lines(self) -> ChangedLines:
        """The lines that it searches."""
        return self._scope

    def file(self, said: str) -> str | None:
        """The path of the changed file that is meant, or None; prefixes of diffs, and names from
        before a rename, are understood."""
        files = self._scope.files
        for name in _names(said):
            if name in files:
                return name
        written = {prompt_text(path): path for path in files} | {
            file.old_path: path for path, file in files.items() if file.status == "R"
        }
        return next((written[name] for name in _names(said) if name in written), None)

    def find(self, path: str, quote: str, near: int) -> CodePlace | None:
        """The one place of the quote in a changed file; among equal ones the nearest to line `near`
        (0: not known, then none of them).

        In this order: the same lines, the same but for spaces, lines that hold it, the one place
        that is clearly the most alike.
        """
        readings = _readings(quote)
        for fits in (_same, _same_bare, _part):
            for lines, sides in readings:
                for side in sides:
                    # A line may be shown twice, by two hunks
                    spans = [*dict.fromkeys(self._spans(path, side, lines, fits))]
                    if self._looks < 0:
                        return None
                    if spans:
                        return _nearest(spans, near)
        return next(
            (
                place
                for lines, sides in readings
                for side in sides
                if (place := self._most_alike(path, side, lines))
            ),
            None,
        )

    def contains(self, said: str, quote: str) -> bool:
        """The quote is code that is there at head, in that file or, where none is named, in any.

        Too little code proves nothing, nor do comments: they say what somebody wants to be
        believed.
        """
        code = "".join(
            "".join(line.split()) for line in quote.split("\n") if not _COMMENT.match(line)
        )
        if len(code) < _LEAST_PROOF or not _SAYS.search(code):
            return False
        path = self.file(said)
        paths = [path] if path else [] if said.strip() else [*self._scope.files]
        readings = [
            (lines, side) for lines, sides in _readings(quote) for side in sides if side == "RIGHT"
        ]
        return any(
            next(self._spans(path, side, lines, fits), None)
            for path in paths
            for lines, side in readings
            for fits in (_same_bare, _part)
        )

    def _spans(
        self, path: str, side: str, lines: Sequence[str], fits: _Fits
    ) -> Iterator[CodePlace]:
        """Every run of lines of that side of a hunk which the quoted lines fit, one by one."""
        if not all(line in self._text(path, side).text for line in _without_spaces(lines)):
            return
        if fits is not _same:
            lines = _without_spaces(lines)
        if not lines or (fits is _part and sum(map(len, lines)) < _LEAST_PART):
            return
        pivot, places = self._rarest(path, side, lines, fits)
        hunks = self._sides(path, side, blank=fits is _same)
        for hunk, row in places:
            self._looks -= 1
            rows, at = hunks[hunk], row - pivot
            if self._looks < 0:
                return
            if 0 <= at <= len(rows) - len(lines) and all(
                fits(line, rows[at + more]) for more, line in enumerate(lines)
            ):
                yield _place(rows[at : at + len(lines)], side, fits is not _part)

    def _rarest(
        self, path: str, side: str, lines: Sequence[str], fits: _Fits
    ) -> tuple[int, Iterable[_At]]:
        """The quoted line that the fewest rows can be, and those rows in order: no quote is held
        against every row."""
        if fits is _part:
            longest = max(range(len(lines)), key=lambda at: len(lines[at]))
            return longest, self._text(path, side).holding(lines[longest])
        index = self._index(path, side, fits)
        rarest = min(range(len(lines)), key=lambda at: len(index.get(lines[at], ())))
        return rarest, index.get(lines[rarest], ())

    def _index(self, path: str, side: str, fits: _Fits) -> dict[str, list[_At]]:
        """Where rows stand, by what they are quoted as."""
        if (path, side, fits) not in self._indexes:
            index: dict[str, list[_At]] = {}
            for hunk, rows in enumerate(self._sides(path, side, blank=fits is _same)):
                for at, row in enumerate(rows):
                    for text in dict.fromkeys(row.texts if fits is _same else row.bare):
                        index.setdefault(text, []).append((hunk, at))
            self._indexes[path, side, fits] = index
        return self._indexes[path, side, fits]

    def _most_alike(self, path: str, side: str, lines: Sequence[str]) -> CodePlace | None:
        """The run of lines that is clearly more alike to the quote than any other, and alike
        enough."""
        bare = _without_spaces(lines)
        if not bare or len(bare) > _MOST_LINES:
            return None
        weights = [len(line) / sum(map(len, bare)) for line in bare]
        found: dict[CodePlace, float] = {}
        for rows in self._sides(path, side, blank=False):
            self._left -= len(rows) * len(bare)
            if self._left < 0:
                return None
            for at in range(len(rows) - len(bare) + 1):
                alike = sum(
                    weight * _alike(line, rows[at + more])
                    for more, (line, weight) in enumerate(zip(bare, weights, strict=True))
                )
                found[_place(rows[at : at + len(bare)], side, False)] = alike
        best = nlargest(2, found, key=lambda each: found[each])
        if not best or found[best[0]] < _FLOOR:
            return None
        is_clear = all(found[best[0]] - found[other] >= _CLEARLY for other in best[1:])
        return best[0] if is_clear else None

    def _sides(self, path: str, side: str, blank: bool) -> list[list[_Row]]:
        """The rows of each hunk that are there on a side, with blank ones or without."""
        key = path, side, blank
        if key not in self._seen:
            self._seen[key] = [
                [row for row in hunk if row.sign in _SIGNS[side] and (blank or row.bare[0])]
                for hunk in self._of(path)
            ]
        return self._seen[key]

    def _text(self, path: str, side: str) -> "_Text":
        if (path, side) not in self._texts:
            self._texts[path, side] = _Text(self._sides(path, side, blank=False))
        return self._texts[path, side]

    def _of(self, path: str) -> list[list[_Row]]:
        if path not in self._rows:
            file = self._scope.files[path]
            self._rows[path] = [
                [self._row(path, line) for line in hunk.lines()] for hunk in file.hunks
            ]
        return self._rows[path]

    def _row(self, path: str, line: HunkLine) -> _Row:
        side, number = ("RIGHT", line.new) if line.new else ("LEFT", line.old)
        lines = self._scope.diff_lines(path, side)
        redacted = (lines.text(number) if lines else None) or ""
        raw = line.text.decode("utf-8", "surrogateescape").rstrip("\r")
        texts = tuple(
            dict.fromkeys(
                (
                    show_hidden(raw),
                    show_hidden(redacted),
                    prompt_text(line.text[: 8 * LONGEST_SHOWN])[:LONGEST_SHOWN],
                )
            )
        )
        return _Row(
            line.sign, line.old, line.new, texts, tuple("".join(text.split()) for text in texts)
        )


def _place(rows: Sequence[_Row], side: str, whole: bool) -> CodePlace:
    """Where rows stand that follow one another; of both sides, what is there at head counts."""
    new = [] if side == "LEFT" else [row.new for row in rows if row.new]
    numbers = new or [row.old for row in rows]
    return CodePlace("RIGHT" if new else "LEFT", numbers[0], numbers[-1], whole)


def _nearest(places: Sequence[CodePlace], near: int) -> CodePlace | None:
    if len(places) == 1:
        return places[0]
    return min(places, key=lambda place: (abs(place.start - near), place.start)) if near else None


def _names(said: str) -> list[str]:
    """The names that a path may be meant to say, the likeliest first."""
    name = said.strip()
    return [
        said,
        name,
        *(name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)),
    ]


def _readings(quote: str) -> list[tuple[list[str], tuple[str, ...]]]:
    """The lines that a quote may mean, and the sides to look at: as they are, and without the signs
    of a diff."""
    lines = _trimmed([show_hidden(line.rstrip("\r")) for line in quote.split("\n")])
    read: list[tuple[list[str], tuple[str, ...]]] = [(lines, ("RIGHT", "LEFT", "BOTH"))]
    gutters = [_GUTTER.match(line) for line in lines if line.strip()]
    if gutters and all(gutters):
        lines = [_GUTTER.sub(r"\1", line, count=1) for line in lines]
        read.append(([line.removeprefix(" ") for line in lines], ("RIGHT", "LEFT", "BOTH")))
    signs = {line[0] for line in lines if line.strip()}
    if signs <= set(" +-") and signs != {" "}:
        side = "RIGHT" if "+" in signs else "LEFT"
        read.append((_trimmed([line[1:] for line in lines if line[:1] in _SIGNS[side]]), (side,)))
    return [(kept, sides) for kept, sides in read if kept]


def _trimmed(lines: list[str]) -> list[str]:
    """Without blank lines at both ends."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _without_spaces(lines: Sequence[str]) -> list[str]:
    return [bare for line in lines if (bare := "".join(line.split()))]


def _alike(said: str, row: _Row) -> float:
    """How much two lines have in common, 0 to 1: groups of three characters."""
    left = _threes(said)
    return max(2 * len(left & right) / (len(left) + len(right)) for right in map(_threes, row.bare))


@lru_cache(maxsize=20_000)
def _threes(text: str) -> frozenset[str]:
    text = text[:_LONGEST]
    return frozenset(text[at : at + 3] for at in range(max(1, len(text) - 2)))
