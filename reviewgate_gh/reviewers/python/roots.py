"""Where a tree's Python code is imported from: the folders that its own imports tell."""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import dirname

from ...text.patterns import lazy_pattern

_INIT = ("__init__.py", "__init__.pyi")
_MOST = 20
_IMPORT = lazy_pattern(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.M
)


# What is never closed ends with its line, and a long list is cut: no file takes long
_FROM = lazy_pattern(
    rb"^[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(?:\(([^)]{0,4000})\)|([^\n]*))", re.M
)
_NAME = lazy_pattern(r"\w+")


def module_name(path: str, root: str) -> str:
    """The dotted name under which the file is imported from a root ("" is the top)."""
    below = path[len(root) + 1 :] if root else path
    stem = below.rpartition(".")[0]
    return stem.removesuffix("/__init__").replace("/", ".") if stem != "__init__" else ""


def module_word(path: str) -> str:
    """The last part of the name that the file is imported by."""
    *_above, folder, name = ("", *path.split("/"))
    stem = name.rpartition(".")[0]
    return folder if stem == "__init__" else stem


class SourceRoots:
    """The Python files of a tree, by what can be imported."""

    def __init__(self, paths: Iterable[str]) -> None:
        files = [*paths]
        self._packages = {dirname(path) for path in files if path.rpartition("/")[2] in _INIT}
        self._folders = {folder for path in files for folder in _above(path)}
        self._files = defaultdict[str, list[str]](list)
        for path in files:
            self._files[path.rpartition(".")[0]].append(path)
        self._parents = defaultdict[str, set[str]](set)
        for each in self._folders | self._files.keys():
            folder, _slash, name = each.rpartition("/")
            self._parents[name].add(folder)

    def root(self, path: str) -> str:
        """The folder above the outermost package that holds the file; of a script its own folder,
        which Python puts first itself."""
        folder = dirname(path)
        while folder and folder in self._packages:
            folder = dirname(folder)
        return folder

    def choose(self, changed: Sequence[str], contents: Mapping[str, bytes]) -> Sequence[str]:
        """The roots for a check of these files: those that their imports come from, the one of a
        changed file before others, and those of packages that these do not reach."""
        votes = Counter(
            root
            for path, data in contents.items()
            for name in _imports(data)
            if (root := self._origin(name, path)) is not None
        )
        own = {root for path in changed for root in votes if _reaches(root, self.root(path))}
        told = sorted(votes, key=lambda root: (root not in own, -votes[root], root))[:_MOST]
        kept = list(dict.fromkeys([*told, ""]))
        for path in changed:
            root = self.root(path)
            if not any(_reaches(each, root) for each in kept):
                kept.append(root)
        return tuple(kept[: _MOST + 1])

    def means_other(self, user: str, changed: str) -> bool:
        """A file that imports a changed one's name means another folder's: one that is nearer to
        it has a top package of the same name."""
        root = self.root(changed)
        name = (changed[len(root) + 1 :] if root else changed).partition("/")[0]
        tops = [each for each in self._parents[name] if self._is_top(f"{each}/{name}".lstrip("/"))]
        if root not in tops:
            return False
        nearest = max(tops, key=lambda each: (shared_folders(each, user), each == root))
        return nearest != root

    def imported_files(self, path: str, data: bytes, roots: Sequence[str]) -> set[str]:
        """The files that a file with this content may import: modules, and the packages that hold
        them. Too many rather than too few."""
        here = dirname(path)
        found = self._packages_of(here)
        for dots, name, members in _statements(data):
            above = here
            for _ in range(dots - 1):
                above = dirname(above)
            for start in (above,) if dots else {*roots, here}:
                place = "/".join(filter(None, (start, name.replace(".", "/"))))
                for each in (place, *(f"{place}/{member}".lstrip("/") for member in members)):
                    found.update(self._files.get(each, ()))
                    if each in self._folders:
                        found |= self._packages_of(each)
                found |= self._packages_of(dirname(place))
        return found

    def _packages_of(self, folder: str) -> set[str]:
        """What makes packages of a folder and of those above."""
        return {
            path
            for each in (folder, *_above(folder))
            for path in self._files.get(f"{each}/__init__".lstrip("/"), ())
        }

    def _is_top(self, folder: str) -> bool:
        return folder in self._packages and dirname(folder) not in self._packages

    def _origin(self, name: str, importer: str) -> str | None:
        """The root from which a file imports this; None where it is not of this tree."""
        top, dot, _rest = name.partition(".")
        if top in sys.stdlib_module_names:
            return None
        here = dirname(importer)
        beside = ("",) if here in self._packages else ("", here)
        found = [
            root
            for root in self._parents.get(top, ())
            if self._is_there(f"{root}/{name.replace('.', '/')}".lstrip("/"))
            and (dot or root in beside or self._is_top(f"{root}/{top}".lstrip("/")))
        ]
        return max(found, key=lambda root: (shared_folders(root, importer), root), default=None)

    def _is_there(self, place: str) -> bool:
        return place in self._files or place in self._folders


def _imports(data: bytes) -> Iterator[str]:
    """The absolute names that a file imports."""
    for found in _IMPORT.finditer(data):
        for name in (found[1] or found[2]).split(b","):
            words = name.split()
            if words and not words[0].startswith(b"."):
                yield words[0].decode("utf-8", "replace").strip(".")


def _statements(data: bytes) -> Iterator[tuple[int, str, list[str]]]:
    """Of each import: the dots before the module's name, the name, and what is taken from it."""
    for found in _FROM.finditer(data):
        members = _NAME.findall((found[3] or found[4] or b"").decode("utf-8", "replace"))
        yield len(found[1]), found[2].decode("utf-8", "replace").strip("."), members
    for name in _imports(data):
        yield 0, name, []


def _above(path: str) -> Iterator[str]:
    folder = dirname(path)
    while folder:
        yield folder
        folder = dirname(folder)


def _reaches(root: str, folder: str) -> bool:
    """What lies in the folder can be imported from the root: all between are names of packages."""
    if root and folder != root and not folder.startswith(f"{root}/"):
        return False
    between = folder[len(root) :].strip("/")
    return all(part.isidentifier() for part in between.split("/") if part)


def shared_folders(root: str, path: str) -> int:
    """How many folders a root has in common with a path, from the top."""
    number = 0
    for left, right in zip(root.split("/"), dirname(path).split("/"), strict=False):
        if not left or left != right:
            break
        number += 1
    return number
