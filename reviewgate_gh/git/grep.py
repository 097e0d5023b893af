"""Words in the text files of a tree, found by git itself."""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .client import Git

_MOST_PER_FILE = "50"
_MOST_HITS = 5000
_MOST_FOUND = "1000"  # in a file, of a search that has limits of its own
_MOST_IN_ONE = 200  # words in one pattern
_MOST_BYTES = 32_000_000  # of what a search for several words finds
_SECONDS = 600  # whoever asks has a deadline of his own
_WORD = lazy_pattern(r"\w+")
_PLAIN = lazy_pattern(r"\w+", re.ASCII)
_SPECIAL = lazy_pattern(r"[\\.^$*+?{}\[\]|()]")  # in an extended regular expression
# Each option that a setting could change is said: https://git-scm.com/docs/git-grep
_OPTIONS = (
    "-n", "-z", "-w", "-I", "--full-name", "--no-color", "--no-column", "--no-heading",
    "--no-break", "--no-textconv", "--no-recurse-submodules",
)  # fmt: skip


class Hit(NamedTuple):
    """A line that holds one of the words: path, number from 1, and text."""

    path: str
    number: int
    text: str


class SearchLimits(NamedTuple):
    """What a search may take: seconds, bytes of output, and characters of a line that are kept."""

    seconds: float = 15
    bytes: int = 32_000_000
    line: int = 300


def is_cut(hits: Sequence[Hit]) -> bool:
    """A bound may have left out further lines, with other words than those that were found."""
    per_file = Counter(hit.path for hit in hits)
    return len(hits) >= _MOST_HITS or any(n >= int(_MOST_PER_FILE) for n in per_file.values())


def find_words(git: Git, tree: str, words: Collection[str]) -> list[Hit]:
    """The lines of a commit or tree that hold one of the words, up to a bound for each file and in
    all; binary files are left out."""
    if not (patterns := [*_patterns(words)]):
        return []
    argv = ("grep", "-E", *_OPTIONS, "--max-count", _MOST_PER_FILE, "-f", "-", tree, "--")
    out = git.run(*argv, stdin=_lines(patterns), ok=(0, 1))
    return [*islice(_hits(out, tree, len(out)), _MOST_HITS)]


def find_each_word(
    git: Git, tree: str, words: Collection[str], line: int, most: int = _MOST_BYTES
) -> Mapping[str, Sequence[Hit]]:
    """The lines of each word, up to the same bounds for each; of a longer line than so many
    characters its beginning. `most` bytes of what git finds are read; words that are all over the
    tree hide no others."""
    found: dict[str, list[Hit]] = {word: [] for word in words}
    bound = ("--max-count", _MOST_PER_FILE) if len(found) == 1 else ()
    if not (patterns := [*_patterns(words)]):
        return found
    argv = ("grep", "-E", *_OPTIONS, *bound, "-f", "-", tree, "--")
    out, whole = git.run_within(*argv, stdin=_lines(patterns), limits=(_SECONDS, most), ok=(0, 1))
    words_of = _word_reader(found)
    often = Counter[str]()
    in_file = Counter[tuple[str, str]]()
    for hit in _hits(out[: out.rfind(b"\n") + 1], tree, line):
        for word in words_of(hit.text):
            often[word] += 1
            in_file[word, hit.path] += 1
            if in_file[word, hit.path] <= int(_MOST_PER_FILE) and len(found[word]) < _MOST_HITS:
                found[word].append(hit)
    if whole or len(found) == 1:
        return found
    top = max(often.values(), default=0)
    common = {word for word in found if often[word] * 2 >= top}
    alone = {word: find_each_word(git, tree, [word], line, most)[word] for word in sorted(common)}
    return {**find_each_word(git, tree, found.keys() - common, line, most), **alone}


def _word_reader(words: Collection[str]) -> Callable[[str], Iterable[str]]:
    """Gives those of the words that stand in a text with no letter, digit or underscore beside
    them."""
    plain = {word for word in words if _WORD.fullmatch(word)}
    others = [
        (word, re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")) for word in {*words} - plain if word
    ]

    def read(text: str) -> Iterable[str]:
        yield from plain.intersection(_WORD.findall(text))
        yield from (word for word, pattern in others if pattern.search(text))

    return read


def _patterns(words: Collection[str]) -> Iterator[str]:
    """Few patterns for many words: git tries each pattern on each line, so that nineteen words took
    22 seconds in the tree of argo-cd, and .5 in one pattern.

    Only plain words share one. Of those that fit at one place git takes the longest, and where that
    is no whole word, a plain one that is shorter is none either.
    """
    asked = sorted(word for word in words if word and not {*word} & {"\n", "\0"})
    plain = [word for word in asked if _PLAIN.fullmatch(word)]
    for at in range(0, len(plain), _MOST_IN_ONE):
        yield "|".join(plain[at : at + _MOST_IN_ONE])
    for word in asked:
        if not _PLAIN.fullmatch(word):
            yield _SPECIAL.sub(r"\\\g<0>", word)


def _lines(patterns: Iterable[str]) -> bytes:
    return "\n".join(patterns).encode("utf-8", "surrogateescape")


def search(
    git: Git, tree: str, patterns: Sequence[str], suffixes: Collection[str], limits: SearchLimits
) -> tuple[list[Hit], bool]:
    """The lines of files with these suffixes in which an extended regular expression fits whole
    words, and whether these are all: the limits may end it. The end of a long line is cut."""
    if not patterns or not suffixes:
        return [], True
    files = [f"*.{suffix}" for suffix in sorted(suffixes)]
    given = _lines(patterns)
    argv = ("grep", "-E", *_OPTIONS, "--max-count", _MOST_FOUND, "-f", "-", tree, "--", *files)
    out, whole = git.run_within(*argv, stdin=given, limits=limits[:2], ok=(0, 1))
    return [*_hits(out[: out.rfind(b"\n") + 1], tree, limits.line)], whole


def _hits(out: bytes, tree: str, most: int) -> Iterator[Hit]:
    prefix = f"{tree}:".encode()
    for row in out.split(b"\n"):
        path, _nul, rest = row.partition(b"\0")
        number, _nul, text = rest.partition(b"\0")
        # What lacks the prefix is the rest of a name with a line break
        if number.isdigit() and path.startswith(prefix):
            name = os.fsdecode(path.removeprefix(prefix))
            yield Hit(name, int(number), text[:most].decode("utf-8", "surrogateescape"))
