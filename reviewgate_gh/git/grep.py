"""Whole words in the text files of a tree, found by git itself."""

import os
from collections.abc import Collection
from typing import NamedTuple

from .client import Git

_MOST_PER_FILE = "50"
_MOST_HITS = 5000


class Hit(NamedTuple):
    """A line that holds one of the words: path, number from 1, and text."""

    path: str
    number: int
    text: str


def find_words(git: Git, tree: str, words: Collection[str]) -> list[Hit]:
    """The lines of a commit or tree that hold one of the words, up to a bound for each file and in
    all; binary files are left out."""
    if not words:
        return []
    # Each option that a setting could change is said: https://git-scm.com/docs/git-grep
    options = (
        "-n", "-z", "-w", "-F", "-I", "--full-name", "--no-color", "--no-column", "--no-heading",
        "--no-break", "--no-textconv", "--no-recurse-submodules", "--max-count", _MOST_PER_FILE,
    )  # fmt: skip
    asked = [part for word in sorted(words) for part in ("-e", word)]
    out = git.run("grep", *options, *asked, tree, "--", ok=(0, 1))
    found: list[Hit] = []
    prefix = f"{tree}:".encode()
    for row in out.split(b"\n"):
        path, _nul, rest = row.partition(b"\0")
        number, _nul, text = rest.partition(b"\0")
        if not number.isdigit():
            continue
        found.append(
            Hit(
                os.fsdecode(path.removeprefix(prefix)),
                int(number),
                text.decode("utf-8", "surrogateescape"),
            )
        )
        if len(found) >= _MOST_HITS:
            break
    return found
