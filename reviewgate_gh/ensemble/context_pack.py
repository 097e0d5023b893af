"""The code that a reviewer of a change needs beside its hunks, from git's objects alone: uses of
what the change removes or changes, the definitions around its hunks, what its new lines call, and
the tests of its files."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, takewhile
from pathlib import PurePosixPath
from posixpath import dirname
from typing import TypeVar

from msgspec import Struct

from ..findings.causes import causing_line
from ..findings.source_text import SourceText
from ..git import Git
from ..git.grep import SearchLimits, search
from ..git.objects import list_paths, read_blobs, read_object_sizes, read_objects, read_sizes
from ..model.change import Change, FileDiff
from ..model.finding import CausingPlace
from ..reviewers.checks._paths import is_tests
from ..reviewers.comparisons._definitions import suffixes_of
from ..reviewers.comparisons._sources import Place
from ..reviewers.python.roots import shared_folders
from ..text.patterns import lazy_pattern
from .excerpts import ContextPack, ExcerptCollector, Section
from .symbols import ChangedCode, ChangedSymbol, changed_symbols, family, used_words
from .uses import MAX_HITS, rank_uses

_MOST_FILES = 300  # of a change; in a larger one nobody wrote each line
_MOST_BYTES = 3_000_000  # that are parsed: of both sides of its files, and of others
_LARGEST = 1_000_000  # bytes of a file of which lines are shown
_USES_TOKENS = 2000  # that uses may take before anything else has its turn
_MOST_WORDS = 60  # that new lines use
_MOST_TESTS = 3  # files
_MOST_TEST_LINES = 15
_MOST_HUNKS = 100  # of a file
_NEAR, _AROUND = 8, 40  # lines of a definition above and below a changed one
_HEADER_LINES = 8
_SHORT = 12  # lines of a definition that is shown whole
_AMBIGUOUS = 3  # definitions of one word: any may be meant
_LIMITS = SearchLimits()
_ADDED = "A"
_KEYWORDS = (
    "def|class|function|func|fn|fun|type|interface|struct|enum|trait|const|let|var|val|object"
    "|record|module"
)
_DEFINES = rf"({_KEYWORDS})[[:space:]]+(\([^)]*\)[[:space:]]*)?({{words}})"
_DEFINED = lazy_pattern(rf"\b(?:{_KEYWORDS})\s+(?:\([^)]*\)\s*)?([\w$]+)")
_TEST_NAME = lazy_pattern(r"tests?_(.+)|(.+?)(?:_tests?|_spec|Tests?|Spec)")
_TEST_SUFFIX = lazy_pattern(r"\.(?:test|spec)\.[^/]+\Z")
_WORD = lazy_pattern(r"[\w$]+")
_T = TypeVar("_T")
_CHANGES = {
    "removed": "removed from {path}",
    "import": "no longer imported by {path}",
    "signature": "signature changed at {place}",
    "body": "changed at {place}",
}


class PackSources(Struct, frozen=True):
    """What a pack is made of: `change` has the files that models may read; `hidden` are those of
    some paths of which they may read nothing."""

    git: Git
    change: Change
    hidden: Callable[[Collection[str]], Collection[str]] = lambda paths: ()


def build_pack(sources: PackSources, tokens: int) -> ContextPack:
    """The pack within so many tokens; empty for a whole tree, which has nothing around it."""
    if sources.change.whole_tree or not sources.change.files or tokens <= 0:
        return ContextPack()
    return _Packer(sources, tokens).pack()


class _Packer:
    """One pack in the making."""

    def __init__(self, sources: PackSources, tokens: int) -> None:
        self._sources, self._git = sources, sources.git
        self._head = sources.change.head
        self._code = _read_code(sources)
        self._diffs = {path: f for f in sources.change.files for path in (f.old_path, f.path)}
        shown = {
            file.path: frozenset(line for hunk in file.hunks for line, _text in hunk.head_lines())
            for file in sources.change.files
        }
        self._lines, self._text = cache(self._read_lines), cache(self._parse)
        self._left_to_parse = _MOST_BYTES
        self._cause = cache(self._find_cause)
        self._taken = ExcerptCollector(tokens, shown, self._lines)

    def pack(self) -> ContextPack:
        """Uses first, as far as a part of the room goes; they have the rest again in the end."""
        uses = [*self._uses()]
        kept = max(0, self._taken.room - 4 * _USES_TOKENS)
        for at, (section, about) in enumerate(uses):
            if self._taken.room <= kept:
                uses = uses[at:]
                break
            self._taken.add(section, about)
        else:
            uses = []
        for more in (self._around(_NEAR), self._called(), self._around(_AROUND), self._tests()):
            for section in more:
                self._taken.add(section)
        for section, about in uses:
            self._taken.add(section, about)
        return self._taken.pack()

    def _uses(self) -> Iterator[tuple[Section, str]]:
        """The lines that use changed definitions, the most telling first."""
        symbols = changed_symbols(self._code)
        changed = {code.diff.path for code in self._code}
        places = self._use_lines(symbols)
        for symbol, place in rank_uses(symbols, places, changed.__contains__):
            cause = self._cause(symbol)
            path = cause.path
            about = f"- {symbol.word}: {_CHANGES[symbol.change]}".format(
                path=path, place=cause.location
            )
            yield Section(place.path, f"uses {symbol.word}", (place.number,), cause), about

    def _use_lines(self, symbols: Sequence[ChangedSymbol]) -> Sequence[Place]:
        """The lines that hold their words. Where the limits ended the search, once more without
        the words that are everywhere, which hide what comes later."""
        paths = {each.path for each in symbols}
        words = dict.fromkeys(each.word for each in symbols)
        places, whole = self._search(words, paths)
        if not whole:
            often = Counter(word for each in places for word in _WORD.findall(each.text))
            places, _ = self._search([w for w in words if often[w] <= MAX_HITS], paths)
        return places

    def _find_cause(self, symbol: ChangedSymbol) -> CausingPlace:
        file = self._diffs[symbol.path]
        line = 0 if file.mode == "000000" else causing_line(file, symbol.old, symbol.new)
        return CausingPlace(file.path if file.mode != "000000" else symbol.path, line)

    def _around(self, reach: int) -> Iterator[Section]:
        """The headers of the definitions around each hunk, and what of the innermost one is
        near."""
        for code in self._code:
            if code.diff.status == _ADDED or not code.diff.is_text_file:
                continue
            for hunk in code.diff.hunks[:_MOST_HUNKS]:
                line = next((each.new for each in hunk.added_lines()), hunk.new_start)
                cause = CausingPlace(code.diff.path, line)
                unit = code.new.unit(line)
                if unit:
                    rows = _unit_rows(code.new, unit, line, hunk.new_count + reach)
                    yield Section(code.diff.path, f"encloses a hunk: {unit}", rows, cause)

    def _called(self) -> Iterator[Section]:
        """The definitions of what new lines call or name, where there is little doubt which."""
        users: dict[tuple[str, str], CausingPlace] = {}
        for code in self._code:
            for word, line in used_words(code).items():
                place = CausingPlace(code.diff.path, line)
                users.setdefault((word, family(code.diff.path)), place)
        wanted = dict([*users.items()][:_MOST_WORDS])
        for (word, language), places in self._definitions(wanted).items():
            cause = wanted[word, language]
            folder = dirname(cause.path)
            near = min(places, key=lambda each: -shared_folders(folder, each.path))
            text = self._text(near.path)
            for rows in (text.rows(near.number)[:_HEADER_LINES], _whole(text, near.number)):
                yield Section(near.path, f"defines {word}", rows, cause)

    def _definitions(
        self, wanted: Collection[tuple[str, str]]
    ) -> Mapping[tuple[str, str], Sequence[Place]]:
        """The few definitions of each word."""
        words = dict.fromkeys(word for word, _language in wanted)
        paths = {code.diff.path for code in self._code}
        found = defaultdict[tuple[str, str], list[Place]](list)
        for place in self._search(words, paths, _DEFINES)[0]:
            named = _DEFINED.search(place.text)
            if named and (key := (named[1], family(place.path))) in wanted:
                found[key].append(place)
        return {key: places for key, places in found.items() if len(places) <= _AMBIGUOUS}

    def _tests(self) -> Iterator[Section]:
        """The headers of the tests that are named after the changed files."""
        stems = {
            PurePosixPath(code.diff.path).stem: code.diff
            for code in self._code
            if not is_tests(code.diff.path) and code.diff.hunks
        }
        changed = {file.path for file in self._sources.change.files}
        named = (
            (path, stems[stem])
            for path in list_paths(self._git, self._head)
            if is_tests(path)
            and path not in changed
            and (stem := _tested(path)) in stems
            and family(path) == family(stems[stem].path)
        )
        for path, file in self._allowed(islice(named, _MOST_TESTS)):
            text = self._text(path)
            rows = [line for name, line in text.definitions.items() if "test" in name.lower()]
            line = next((each.new for each in file.added_lines()), 0)
            why, cause = f"tests {file.path}", CausingPlace(file.path, line)
            for row in rows[:_MOST_TEST_LINES]:
                yield Section(path, why, (row,), cause)

    def _search(
        self, words: Iterable[str], paths: Iterable[str], pattern: str = "({words})"
    ) -> tuple[list[Place], bool]:
        """Where these words stand in files of the same languages as these paths, and whether that
        is everywhere."""
        families = {family(path) for path in paths}
        every = {each for name in families for each in suffixes_of(name) or (name,)}
        suffixes = {each for each in every if each.isalnum()}
        asked = "|".join(re.escape(word) for word in words)
        if not asked or not suffixes:
            return [], True
        given = [pattern.format(words=asked)]
        hits, whole = search(self._git, self._head, given, suffixes, _LIMITS)
        allowed = self._allowed((hit.path, hit) for hit in hits)
        return [Place(*hit) for _path, hit in allowed], whole

    def _allowed(self, named: Iterable[tuple[str, _T]]) -> list[tuple[str, _T]]:
        """Those of a path that models may read."""
        every = [*named]
        hidden = self._sources.hidden({path for path, _each in every})
        return [(path, each) for path, each in every if path not in hidden]

    def _parse(self, path: str) -> SourceText:
        """A file at head; an empty one where those before it took all that is parsed."""
        data = b"\n".join(self._lines(path))
        self._left_to_parse -= len(data)
        return SourceText(path, data if self._left_to_parse >= 0 else b"")

    def _read_lines(self, path: str) -> Sequence[bytes]:
        """The lines of a file at head; none of one that is no text, or large."""
        name = f"{self._head}:{path}"
        if "\n" in path:
            return ()
        [size] = read_object_sizes(self._git, [name])
        if size is None or size.kind != "blob" or size.size > _LARGEST:
            return ()
        [found] = read_objects(self._git, [name])
        return found.data.split(b"\n") if found and b"\0" not in found.data else ()


def _read_code(sources: PackSources) -> list[ChangedCode]:
    """The changed text files with both sides, as far as they are small enough to be parsed."""
    text = [
        file
        for file in sources.change.files[:_MOST_FILES]
        if not file.binary and {file.old_mode[:3], file.mode[:3]} <= {"100", "000"}
    ]
    sizes = read_sizes(sources.git, (oid for file in text for oid in (file.old_oid, file.oid)))
    kept, left = list[FileDiff](), _MOST_BYTES
    for file in text:
        size = sizes.get(file.old_oid, 0) + sizes.get(file.oid, 0)
        if size <= min(left, _LARGEST):
            kept.append(file)
            left -= size
    blobs = read_blobs(sources.git, (oid for file in kept for oid in (file.old_oid, file.oid)))
    return [
        ChangedCode(file, blobs.get(file.old_oid, b""), blobs.get(file.oid, b"")) for file in kept
    ]


def _unit_rows(text: SourceText, unit: str, line: int, reach: int) -> list[int]:
    """The headers of a unit and of those around it, and its lines that are near."""
    parts = unit.split(".")
    names = (".".join(parts[: depth + 1]) for depth in range(len(parts)))
    lines = [text.definitions[name] for name in names if name in text.definitions]
    headers = [row for line in lines for row in text.rows(line)[:_HEADER_LINES]]
    first = max([1, line - reach, *lines[-1:]])
    return sorted({*headers, *range(first, line), *_inside(text, unit, range(line, line + reach))})


def _inside(text: SourceText, unit: str, lines: range) -> list[int]:
    """As many of these lines as belong to a unit, without the blank ones that follow it."""
    found = [*takewhile(lambda at: f"{text.unit(at)}.".startswith(f"{unit}."), lines)]
    while found and not text.line(found[-1]).strip():
        found.pop()
    return found


def _whole(text: SourceText, line: int) -> Sequence[int]:
    """The lines of a short definition that begins at this one; none of a longer one."""
    unit = text.unit(line)
    found = _inside(text, unit, range(line, line + _SHORT + 1)) if unit else []
    return found if len(found) <= _SHORT else ()


def _tested(path: str) -> str:
    """The stem of the file that a test is named after; "" where its name tells none."""
    stem = PurePosixPath(path).name.partition(".")[0]
    found = _TEST_NAME.fullmatch(stem)
    return found[1] or found[2] if found else stem if _TEST_SUFFIX.search(path) else ""
