"""Words in the text files of a tree, found by git itself."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .client import Git

_MOST_PER_FILE = "50"
_MOST_HITS = 5000
_MOST_FOUND = "1000"  # in a file, of a search that has limits of its own
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
    if not words:
        return []
    asked = [part for word in sorted(words) for part in ("-e", word)]
    argv = ("grep", "-F", *_OPTIONS, "--max-count", _MOST_PER_FILE, *asked, tree, "--")
    out = git.run(*argv, ok=(0, 1))
    return [*islice(_hits(out, tree, len(out)), _MOST_HITS)]


def search(
    git: Git, tree: str, patterns: Sequence[str], suffixes: Collection[str], limits: SearchLimits
) -> tuple[list[Hit], bool]:
    """The lines of files with these suffixes in which an extended regular expression fits whole
    words, and whether these are all: the limits may end it. The end of a long line is cut."""
    if not patterns or not suffixes:
        return [], True
    files = [f"*.{suffix}" for suffix in sorted(suffixes)]
    given = "\n".join(patterns).encode()
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
