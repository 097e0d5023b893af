"""A change that one question does not hold: which files are read together, and what is told of all
of them to find what no part shows alone."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..findings.lines import FileText
from ..text.patterns import lazy_pattern
from .prompt import estimate_tokens

MAX_BATCHES = 10
_MOST_ROWS = 40  # of a file in the outline
# What other files can depend on: definitions, imports, names of settings
_TELLS = lazy_pattern(
    r"[+-] *\d+ \| (?:"
    r"\s*(?:export\s+|pub(?:\(\w+\))?\s+|public\s+|async\s+|static\s+|default\s+|abstract\s+)*"
    r"(?:def|class|func|function|fn|fun|type|interface|struct|enum|trait|const|module|package"
    r"|import|from|use|using|require|include|#include)\b"
    r"|[\w.\"'-]+\s*[:=])",
    re.ASCII,
)

_IMPORTS = lazy_pattern(
    r"[+-] *\d+ \|\s*(?:import|from|use|using|require|include|#include)\b", re.ASCII
)
_NAME = lazy_pattern(
    r"(?!(?:export|public|private|async|static|default|abstract|class|func|function|type|interface"
    r"|struct|enum|trait|const|module|package|self|this|return)\b)\b[A-Za-z_]\w{3,}"
)
_MOST_NAMES = 4  # of a line that defines something: what follows are its parameters
_FEW, _SOME = 3, 12  # files


class Batch(Struct, frozen=True):
    """Files that are read together: how a question about them begins, their paths, those of them
    that it shows whole, and what it tells of tools."""

    shared_prompt: str
    paths: frozenset[str]
    shown_paths: tuple[str, ...]
    known: tuple[str, ...] = ()

    def limited_to(self, paths: Collection[str]) -> "Batch":
        """The batch for a question that is about these files only: it reads no others."""
        return replace(self, shown_paths=tuple(each for each in self.shown_paths if each in paths))


def split_files(
    texts: Sequence[FileText], room: int, beside: int
) -> tuple[list[list[FileText]], tuple[str, ...]]:
    """The files in batches of at most `room` tokens, and those that none shows whole. Files that
    use what others of them define are read together, as far as there is room; else their order
    counts, so that folders stay together. Where one batch is not enough, each leaves as many tokens
    free as `beside` says."""
    sizes = [estimate_tokens(text.text) for text in texts]
    if sum(sizes) <= room:
        return [[*texts]], tuple(text.path for text in texts if text.cut)
    most = room - min(beside, room // 4)
    packing = _Packing(room, most)
    for group in _related(texts, sizes, most):
        packing.add([(at, sizes[at]) for at in group])
    batches = [[texts[at] for at in sorted(batch)] for batch in packing.batches]
    shown = {at for batch in packing.batches for at in batch}
    cut = tuple(text.path for at, text in enumerate(texts) if text.cut or at not in shown)
    return batches or [[]], cut


class _Packing:
    """Batches that are being filled with files by their numbers, of `most` tokens each; a file that
    is larger alone has `room`."""

    def __init__(self, room: int, most: int) -> None:
        self.batches: list[list[int]] = []
        self._room, self._most = room, most
        self._left: list[int] = []

    def add(self, group: Sequence[tuple[int, int]]) -> None:
        """Put files, with their sizes, into one batch where one has room for all, the last one
        first; else each where it fits."""
        size = sum(each for _at, each in group)
        if (place := self._place(size)) is not None:
            self.batches[place] += [at for at, _size in group]
            self._left[place] -= size
        elif len(group) > 1:
            for each in group:
                self.add([each])

    def _place(self, size: int) -> int | None:
        last = len(self.batches) - 1
        places = (last, *range(last)) if self.batches else ()
        found = next((place for place in places if size <= self._left[place]), None)
        if found is None and size <= self._room and len(self.batches) < MAX_BATCHES:
            self.batches.append([])
            self._left.append(max(self._most, size))
            found = last + 1
        return found


def _related(texts: Sequence[FileText], sizes: Sequence[int], most: int) -> list[list[int]]:
    """The files by their numbers, in groups that fit a batch: those with the most names in common
    are joined first."""
    groups = {at: [at] for at in range(len(texts))}
    group_of = [*range(len(texts))]
    for (one, other), _count in _links(texts).most_common():
        left, right = sorted((group_of[one], group_of[other]))
        if left == right:
            continue
        joined = groups[left] + groups[right]
        if sum(sizes[at] for at in joined) <= most:
            groups[left] = joined
            for at in groups.pop(right):
                group_of[at] = left
    return list(groups.values())


def _links(texts: Sequence[FileText]) -> Counter[tuple[int, int]]:
    """How many names one of two files defines and the other mentions, in their changed lines. What
    many files define or mention ties none of them together."""
    defined, mentioned = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    for at, text in enumerate(texts):
        rows = [row for row in text.text.split("\n") if row[:1] in ("+", "-")]
        for row in rows:
            names = _NAME.findall(row)
            for name in names:
                mentioned[name].add(at)
            if _TELLS.match(row) and not _IMPORTS.match(row):
                for name in names[:_MOST_NAMES]:
                    defined[name].add(at)
    links = Counter[tuple[int, int]]()
    for name, here in defined.items():
        users = mentioned[name] - here
        if len(here) <= _FEW and len(users) <= _SOME:
            links.update((min(a, b), max(a, b)) for a in sorted(here) for b in sorted(users))
    return links


def outline(texts: Iterable[FileText], tokens: int) -> str:
    """The changed lines on which other files may depend, of all files, within so many tokens; what
    does not fit is counted."""
    parts, left, gone = list[str](), 4 * tokens, 0
    for each in texts:
        text = "\n".join([*_outlined(each.text.split("\n")), ""])
        size = len(text.encode("utf-8", "surrogateescape"))
        if size <= left:
            parts.append(text)
            left -= size
        else:
            gone += 1
    return "\n".join([*parts, *([f"and {gone} more files"] if gone else [])])


def _outlined(rows: Sequence[str]) -> Iterator[str]:
    """The header and the telling rows, as the whole file shows them: what is a secret there is one
    here. What does not follow the last row is a hunk of its own."""
    yield rows[0]
    telling = [at for at, row in enumerate(rows) if _TELLS.match(row)]
    for before, at in pairwise([0, *telling[:_MOST_ROWS]]):
        if at > before + 1 or not before:
            yield "@@"
        yield rows[at]
