"""Which lines of a tree that use changed definitions a reviewer should see first."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import NamedTuple

from ..reviewers.checks._paths import is_tests
from ..reviewers.comparisons._definitions import is_definition
from ..reviewers.comparisons._sources import Place
from ..reviewers.python.roots import shared_folders
from ..text.patterns import lazy_pattern
from .symbols import SYMBOL_CHANGES, ChangedSymbol, family

MAX_LINES = 25  # of a symbol
_FIRST_LINES = 6  # of a symbol, before another one has had its turn
MAX_HITS = 400  # lines that hold a word; of a more common one those that name its module count
_TOGETHER = 2  # lines of one file
_WORD = lazy_pattern(r"[A-Za-z_$][\w$]*")
_IMPORT = lazy_pattern(r"^\s*(?:from|import|use|using|require|include|export)\b|\brequire\(")
_PROSE = ("#", "//", "/*", "*", "--", '"""', "'''")


class Use(NamedTuple):
    """A line that uses a changed definition."""

    symbol: ChangedSymbol
    hit: Place


def rank_uses(
    symbols: Sequence[ChangedSymbol], hits: Iterable[Place], is_changed: Callable[[str], bool]
) -> Iterator[Use]:
    """The uses, the most telling first: of what is removed, then of what has another signature,
    then of what behaves otherwise; of these the rarest word; in files that the change leaves alone;
    imports and calls; outside of tests. A symbol gets few lines before the next one's turn."""
    found = _by_symbol(symbols, hits)
    ordered = sorted(
        (each for each in symbols if 0 < len(found[each.word, each.language]) <= MAX_HITS),
        key=lambda each: (
            SYMBOL_CHANGES.index(each.change),
            len(found[each.word, each.language]),
        ),
    )
    ranked = {each: _ranked(each, found[each.word, each.language], is_changed) for each in ordered}
    for change in (("removed", "signature", "import"), ("body",)):
        now = [each for each in ordered if each.change in change]
        for part in (slice(0, _FIRST_LINES), slice(_FIRST_LINES, MAX_LINES)):
            for each in now:
                yield from (Use(each, hit) for hit in ranked[each][part])


def _by_symbol(
    symbols: Iterable[ChangedSymbol], hits: Iterable[Place]
) -> Mapping[tuple[str, str], list[Place]]:
    """By word and language."""
    wanted = {(each.word, each.language): each for each in symbols}
    found = defaultdict[tuple[str, str], list[Place]](list)
    for hit in hits:
        language = family(hit.path)
        for word in {*_WORD.findall(hit.text)}:
            symbol = wanted.get((word, language))
            if symbol and (symbol.change != "import" or symbol.module in hit.text):
                found[word, language].append(hit)
    for key, every in found.items():
        if len(every) > MAX_HITS:
            found[key] = [hit for hit in every if wanted[key].module in hit.text]
    return found


def _ranked(
    symbol: ChangedSymbol, hits: Sequence[Place], is_changed: Callable[[str], bool]
) -> list[Place]:
    """Its lines, without its own definition; of each file two before another file's third."""
    word, folder = re.escape(symbol.word), dirname(symbol.path)
    calls = re.compile(rf"\b{word}\s*\(|[@<({{,:]\s*{word}\b")
    found = list[tuple[tuple[object, ...], Place]]()
    for hit in hits:
        text = hit.text.strip()
        imports = _IMPORT.search(text) is not None
        defines = not imports and is_definition(hit.path, hit.text, symbol.word)
        if defines and hit.path == symbol.path:
            continue
        weak = defines or text.startswith(_PROSE)
        uses = imports or calls.search(text) is not None
        near = -shared_folders(folder, hit.path)
        weight = is_changed(hit.path), weak, not uses, is_tests(hit.path), near
        found.append(((*weight, hit.path, hit.number), hit))
    found.sort()
    seen = Counter[str]()
    ranked = list[tuple[tuple[object, ...], Place]]()
    for (changed, low, *rest), hit in found:
        seen[hit.path] += 1
        ranked.append(((changed, low, seen[hit.path] > _TOGETHER, *rest), hit))
    return [hit for _weight, hit in sorted(ranked)]
