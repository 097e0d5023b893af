"""Symbolic links that lead out of the tree or into git's own folder."""

import posixpath
import re
from collections.abc import Iterator

from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ...text.visible import show_hidden
from ._sources import CheckInput

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_DRIVE = lazy_pattern(r"[A-Za-z]:[\\/]|\\\\")
# https://github.com/git/git/blob/master/utf8.c
# HFS+ drops these from names
_UNSEEN = lazy_pattern("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_LONGEST = 4095
_BODY = (
    "A tool that follows it reads or writes outside the repository. Link to a file inside it "
    "with a relative path, or copy the file."
)


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a link with such a target."""
    for file in sources.change.files:
        if file.is_symlink and file.path in sources.contents:
            target = sources.contents[file.path].decode("utf-8", "surrogateescape")
            if why := _strays(file.path, target):
                body = f"It points to {show_hidden(target[:200])}. {_BODY}"
                yield Finding(
                    Priority.P1,
                    "hygiene",
                    "builtin/symlink-target",
                    file.path,
                    0,
                    0,
                    f"a symbolic link {why}",
                    body,
                )


def _strays(path: str, target: str) -> str:
    """What is wrong with a link at `path`; "" when it stays in the tree."""
    if len(target) > _LONGEST:
        return "whose target is not a path"
    if target.startswith("/") or _DRIVE.match(target):
        return "with an absolute target"
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if whole == ".." or whole.startswith("../"):
        return "that points outside the repository"
    parts = [_UNSEEN.sub("", part).casefold().rstrip(". ") for part in re.split(r"[/\\]", target)]
    return "that points into .git" if ".git" in parts or "git~1" in parts else ""
