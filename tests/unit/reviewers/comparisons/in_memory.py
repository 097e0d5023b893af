"""Comparisons without git: both sides of some files, and the others of the tree."""

import difflib
from collections.abc import Collection, Mapping, Sequence

from reviewgate_gh.model.change import Change, FileDiff, Hunk
from reviewgate_gh.reviewers.comparisons._sources import (
    ComparedFile,
    ComparisonInput,
    Place,
    has_word,
)

ABSENT, FILE = "000000", "100644"


def compared(path: str, base: str, head: str) -> ComparedFile:
    """A file with both its texts; an empty one is absent."""
    status = "A" if not base else "D" if not head else "M"
    modes = (FILE if base else ABSENT, FILE if head else ABSENT)
    diff = FileDiff(path, path, status, *modes, "base", "head", hunks=_hunks(base, head))
    return ComparedFile(diff, lambda oid: base if oid == "base" else head)


def _hunks(base: str, head: str) -> tuple[Hunk, ...]:
    old, new = base.split("\n")[:-1], head.split("\n")[:-1]
    found = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            rows = [*(f"-{row}" for row in old[a:b]), *(f"+{row}" for row in new[c:d])]
            body = "".join(f"{row}\n" for row in rows).encode("utf-8", "surrogatepass")
            found.append(Hunk(a + (b > a), b - a, c + (d > c), d - c, b"", body))
    return tuple(found)


def comparison(
    files: Mapping[str, tuple[str, str]], beside: Mapping[str, str] | None = None
) -> ComparisonInput:
    """A change of these files, by path their text at base and at head, in a tree that has others
    `beside` them."""
    made = tuple(compared(path, *sides) for path, sides in files.items())
    heads = {path: head for path, (_base, head) in files.items() if head} | dict(beside or {})

    def find(words: Collection[str]) -> dict[str, Sequence[Place]]:
        return {
            word: [
                Place(path, number, row)
                for path, text in sorted(heads.items())
                if word in text
                for number, row in enumerate(text.split("\n"), 1)
                if has_word(row, word)
            ]
            for word in words
        }

    def read(paths: Collection[str]) -> dict[str, str]:
        return {path: heads[path] for path in paths if path in heads}

    change = Change("", "a" * 40, "b" * 40, True, "b" * 40, files=tuple(f.diff for f in made))
    return ComparisonInput(change, made, find, lambda: frozenset(heads), read)
