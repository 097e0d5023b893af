"""New paths that meet another one on file systems that ignore letter case (macOS, Windows)."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.visible import show_hidden
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_NEW = ("A", "R", "C")


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a new path that another file at head, or a folder that a file's name equals,
    collides with."""
    new = [file.path for file in sources.change.files if file.status in _NEW]
    if not new or not sources.head_paths:
        return
    spelled = _spellings(
        sources.head_paths, {name for path in new for name in map(_fold, _prefixes(path))}
    )
    files = set(sources.head_paths)
    for path in new:
        other = next(
            (
                o
                for p in _prefixes(path)
                for o in sorted(spelled[_fold(p)] - {p})
                if p in files or o in files
            ),
            None,
        )
        if other is not None:
            yield _finding(path, other)


def _spellings(paths: tuple[str, ...], wanted: set[str]) -> dict[str, set[str]]:
    """How the wanted names, folded, are spelled at head; folders count."""
    spelled: dict[str, set[str]] = defaultdict(set)
    seen: set[str] = set()
    for path in paths:
        name = path
        while name and name not in seen:
            seen.add(name)
            if (folded := _fold(name)) in wanted:
                spelled[folded].add(name)
            name = name.rpartition("/")[0]
    return spelled


def _prefixes(path: str) -> Iterator[str]:
    """The path and the folders above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _fold(path: str) -> str:
    return path.lower() if path.isascii() else unicodedata.normalize("NFC", path.casefold())


def _finding(path: str, other: str) -> Finding:
    body = (
        f"It collides with {show_hidden(other)}: on a case-insensitive file system, a checkout "
        "keeps only one of the two. Rename one."
    )
    return Finding(
        Priority.P1,
        "hygiene",
        "builtin/case-collision",
        path,
        0,
        0,
        "two paths differ only in letter case",
        body,
    )
