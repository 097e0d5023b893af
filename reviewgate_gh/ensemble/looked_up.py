"""What a model has looked up, as code beside the change that its answer may quote, and what of the
change each line has to do with."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from ..findings.code_search import CodeIndex
from ..findings.scope import ChangedLines
from ..model.change import Change, FileDiff
from ..model.finding import CausingPlace
from ..model.question import ReadLines
from ..text.patterns import lazy_pattern
from .excerpts import ContextPack, ExcerptCollector, Section
from .symbols import is_keyword

_NAME = lazy_pattern(r"[^\W\d][\w$]{2,}")
_REACH = 10  # lines around one that names something of the change
_READ = 1000  # characters of a line
_WHY = "looked up by a model"
_ALL = 1 << 30  # tokens: what was looked up has been bounded already


def looked_up_pack(
    lines: Sequence[ReadLines], change: Change, read: Callable[[str], Sequence[bytes]]
) -> ContextPack:
    """The lines that name something which stands on a changed line, and those around them; `read`
    gives a file's lines at head. A line that has nothing to do with the change is left out: what
    is wrong there is no finding about it."""
    if not lines:
        return ContextPack()
    shown = {
        file.path: frozenset(number for hunk in file.hunks for number, _ in hunk.head_lines())
        for file in change.files
    }
    found, causes = ExcerptCollector(_ALL, shown, read), _ChangedNames(change.files)
    by_path = groupby(sorted(lines, key=lambda each: each.path), key=lambda each: each.path)
    for path, spans in by_path:
        texts = read(path)
        numbers = [at for each in spans for at in _rows(each, texts)]
        for section in _sections(path, numbers, texts, causes):
            found.add(section)
    return found.pack()


def looked_up_index(
    lines: Sequence[ReadLines], change: Change, read: Callable[[str], Sequence[bytes]]
) -> CodeIndex:
    """All of the lines, to be searched."""
    found = ExcerptCollector(_ALL, {}, read)
    for each in lines:
        rows = _rows(each, read(each.path))
        found.add(Section(each.path, _WHY, rows, CausingPlace(each.path, 0)))
    return CodeIndex(ChangedLines(replace(change, files=found.pack().files)))


def _rows(lines: ReadLines, texts: Sequence[bytes]) -> range:
    """Their numbers, those that the file has: a recording may say anything."""
    return range(max(1, lines.first), min(lines.last, len(texts)) + 1)


def _sections(
    path: str, numbers: Iterable[int], texts: Sequence[bytes], causes: "_ChangedNames"
) -> Iterator[Section]:
    """The lines, each with the cause of the nearest one that has one."""
    known = sorted(set(numbers))
    own = {number: cause for number in known if (cause := causes.of(texts[number - 1]))}
    caused = [*own]
    for number in known:
        at = bisect_left(caused, number)
        near = min(
            caused[max(0, at - 1) : at + 1], key=lambda other: abs(other - number), default=0
        )
        if near and abs(near - number) <= _REACH:
            yield Section(path, _WHY, (number,), own[near])


class _ChangedNames:
    """Where the change names something, at head; of what it removes, the line that took its
    place."""

    def __init__(self, files: Iterable[FileDiff]) -> None:
        self._count = Counter[str]()
        self._first: dict[str, CausingPlace] = {}
        for file in files:
            self._take(file)

    def of(self, line: bytes) -> CausingPlace | None:
        """The place of the rarest name that the line shares with changed lines."""
        names = [name for name in _names(line) if name in self._first]
        return self._first[min(names, key=lambda name: self._count[name])] if names else None

    def _take(self, file: FileDiff) -> None:
        gone = file.mode == "000000"
        for hunk in file.hunks:
            last = max(1, hunk.new_start)
            for line in hunk.lines():
                last = line.new or last
                if line.sign == " ":
                    continue
                place = CausingPlace(file.path, 0 if gone else last)
                for name in _names(line.text):
                    self._count[name] += 1
                    self._first.setdefault(name, place)


def _names(line: bytes) -> set[str]:
    found = _NAME.findall(line[:_READ].decode("utf-8", "replace"))
    return {name.casefold() for name in found if not is_keyword(name)}
