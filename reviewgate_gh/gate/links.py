"""Symbolic links that give changed files another name: a link `a.py` to `notes.txt` makes Python of
text that nobody reads as such."""

import os
import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property

from msgspec import Struct

from ..git import Git
from ..git.objects import read_blobs, read_sizes
from ..model.change import Change, FileDiff
from ..model.language_table import EXECUTABLE
from ..model.languages import detect_language, needs_content
from ..text.patterns import lazy_pattern
from ..text.visible import show_hidden
from .exclusion import excluded_by_name

_ROW = lazy_pattern(rb"(\d{6}) (?:blob|commit) ([0-9a-f]+)\t([^\0]+)\0")
_LINK = "120000"
# Linux follows no more: https://man7.org/linux/man-pages/man7/path_resolution.7.html
_MOST_FOLLOWED = 40
_LONGEST = 4095  # bytes of a target
_MOST_COMPARED = 20_000  # names of all changed paths: a second
_IS_LINK = "it is a symbolic link to {target}, which nobody read as {language}"
_IS_EXCLUDED = "it is a symbolic link to {target}, which is not subject to review"
_HAS_LINK = "the symbolic link {link} gives it a name of {language}, as which nobody read it"
_TOO_MANY = "symbolic links give this change more names than are checked: remove some of them"


class HiddenCode(Struct, frozen=True):
    """What runs where a changed path does not show it: its language, and why nobody read it."""

    language: str
    why: str


class _File(Struct, frozen=True):
    mode: str
    oid: str


def find_linked_code(
    change: Change, git: Git, excluded: Sequence[str], most: int
) -> Mapping[str, HiddenCode]:
    """By path of a changed file or link: what runs under a name by which no reviewer knows it.

    `excluded` are the patterns of what is not subject to review; content larger than `most` bytes
    tells no language.
    """
    listed = git.run("ls-tree", "-r", "-z", "--full-tree", change.head)
    if _LINK.encode() not in listed:
        return {}
    return _Links(listed, git, excluded, most).code_in(change)


class _Links:
    """The links of a tree, and what they lead to."""

    def __init__(self, listed: bytes, git: Git, excluded: Sequence[str], most: int) -> None:
        self._git, self._most = git, most
        rows = [(mode.decode(), oid.decode(), path) for mode, oid, path in _ROW.findall(listed)]
        self._files = {os.fsdecode(path): _File(mode, oid) for mode, oid, path in rows}
        self._left = _MOST_COMPARED
        self._is_excluded = cache(lambda path: bool(excluded_by_name([path], excluded)))
        self._own_language = cache(lambda path: self._language(path, self._files[path]))

    def code_in(self, change: Change) -> Mapping[str, HiddenCode]:
        """By path of a changed file or link."""
        found: dict[str, HiddenCode] = {}
        for file in change.files:
            if code := self._code_of(file):
                found[file.path] = code
        return found

    def _code_of(self, file: FileDiff) -> HiddenCode | None:
        names = self._behind(file.path) if file.is_symlink else self._names_of(file.path)
        for alias, path in names:
            self._left -= 1
            if self._left < 0:
                return HiddenCode(EXECUTABLE, _TOO_MANY)
            if code := self._compare(alias, path, file.path):
                return code
        return None

    def _names_of(self, path: str) -> Iterator[tuple[str, str]]:
        """The names that links give to a file, each with the file."""
        at, rest = path, ""
        while at:
            for link in self._leading_to.get(at, ()):
                yield link + rest, path
            at = at.rpartition("/")[0]
            rest = path[len(at) :]

    def _behind(self, link: str) -> Iterator[tuple[str, str]]:
        """The names of the files behind a link, each with the file."""
        target = self._ends.get(link)
        if target is None:
            return
        if target in self._files:
            yield link, target
            return
        folder = f"{target}/" if target else ""
        paths = self._paths
        for at in range(bisect_left(paths, folder), len(paths)):
            if not paths[at].startswith(folder):
                return
            yield f"{link}/{paths[at][len(folder) :]}", paths[at]

    def _compare(self, alias: str, path: str, changed: str) -> HiddenCode | None:
        """What the alias makes of the file, where its own name makes something else of it."""
        file = self._files.get(path)
        if file is None or not file.mode.startswith("100") or self._is_excluded(alias):
            return None
        language, left_out = self._language(alias, file), self._is_excluded(path)
        if not language or (not left_out and language == self._own_language(path)):
            return None
        why = _HAS_LINK if changed == path else _IS_EXCLUDED if left_out else _IS_LINK
        told = why.format(target=show_hidden(path), link=show_hidden(alias), language=language)
        return HiddenCode(language, told)

    def _language(self, path: str, file: _File) -> str:
        """Of this file under that name."""
        asked = needs_content(path, file.mode)
        small = asked and read_sizes(self._git, [file.oid]).get(file.oid, 0) <= self._most
        data = read_blobs(self._git, [file.oid]).get(file.oid, b"") if small else b""
        return detect_language(path, file.mode, data)

    @cached_property
    def _paths(self) -> Sequence[str]:
        return sorted(self._files)

    @cached_property
    def _targets(self) -> Mapping[str, str]:
        """By link, the path in the tree that it names; none of those that lead out of it."""
        links = {path: file.oid for path, file in self._files.items() if file.mode == _LINK}
        sizes = read_sizes(self._git, links.values())
        small = {path: oid for path, oid in links.items() if sizes.get(oid, 0) <= _LONGEST}
        blobs = read_blobs(self._git, small.values())
        found: dict[str, str] = {}
        for path, oid in small.items():
            target = os.fsdecode(blobs.get(oid, b"/"))
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if not target.startswith("/") and whole != ".." and not whole.startswith("../"):
                found[path] = "" if whole == "." else whole
        return found

    @cached_property
    def _ends(self) -> Mapping[str, str]:
        """By link, where one arrives who follows it, and all links on the way."""
        return {link: end for link in self._targets if (end := self._follow(link)) is not None}

    @cached_property
    def _leading_to(self) -> Mapping[str, Collection[str]]:
        found = defaultdict[str, list[str]](list)
        for link, end in self._ends.items():
            found[end].append(link)
        return found

    def _follow(self, path: str) -> str | None:
        for _ in range(_MOST_FOLLOWED):
            link = self._link_in(path)
            if link is None:
                return path
            target = self._targets.get(link)
            if target is None:
                return None
            path = (
                posixpath.normpath(target + path[len(link) :]) if target else path[len(link) + 1 :]
            )
        return None

    def _link_in(self, path: str) -> str | None:
        """The first part of the path that is a link."""
        at = -1
        while (at := path.find("/", at + 1)) >= 0:
            if self._is_link(path[:at]):
                return path[:at]
        return path if self._is_link(path) else None

    def _is_link(self, path: str) -> bool:
        file = self._files.get(path)
        return file is not None and file.mode == _LINK
