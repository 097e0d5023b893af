"""The definitions that a change takes away from other files, read from git's objects."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property

from ...git import Git
from ...git.objects import TreeEntry, read_blobs, read_sizes
from ...model.change import Change, FileDiff
from .definitions import ChangedDefinition, Definition, find_changed, read_definitions
from .roots import SourceRoots, module_name, module_word
from .tree import PythonTree, is_python

_MOST_BYTES = 5_000_000  # of both sides: a parser reads as much in about two seconds
_Read = Callable[[str], Mapping[str, Definition] | None]


class ChangedPython:
    """The Python files that a change edits or removes, and what others lose by that."""

    def __init__(self, git: Git, change: Change) -> None:
        self._git, self.change = git, change
        losing = [file for file in change.files if loses_definitions(file)]
        sizes = read_sizes(git, (oid for file in losing for oid in (file.old_oid, file.oid)))
        self.files, self.left_out, total = list[FileDiff](), 0, 0
        for file in losing:
            total += sizes.get(file.old_oid, 0) + sizes.get(file.oid, 0)
            if total <= _MOST_BYTES:
                self.files.append(file)
            else:
                self.left_out += 1

    @cached_property
    def entries(self) -> tuple[TreeEntry, ...]:
        """The Python files at head."""
        return PythonTree.entries(self._git, self.change.head)

    @cached_property
    def roots(self) -> SourceRoots:
        """Where modules are imported from, before and after."""
        former = (file.old_path for file in self.files)
        return SourceRoots([*(entry.path for entry in self.entries), *former])

    @cached_property
    def definitions(self) -> Sequence[ChangedDefinition]:
        """What is gone or has another signature."""
        oids = {oid for file in self.files for oid in (file.old_oid, file.oid)}
        blobs = read_blobs(self._git, oids)

        @cache
        def read(oid: str) -> Mapping[str, Definition] | None:
            return read_definitions(blobs.get(oid, b""))

        return [each for file in self.files for each in self._of(file, read)]

    def file(self, cause: ChangedDefinition) -> FileDiff | None:
        """The changed file of a definition."""
        return next((f for f in self.files if cause.path in (f.path, f.old_path)), None)

    def _of(self, file: FileDiff, read: _Read) -> Iterator[ChangedDefinition]:
        stays = file.path == file.old_path and file.mode.startswith("100")
        head: tuple[str, str] | None = (file.path, file.oid) if stays else self._successor(file)
        if head is None:
            name = self._module(file.old_path)
            if word := module_word(file.old_path):
                yield ChangedDefinition(file.old_path, name or word, word, "module")
            return
        path, oid = head
        before, now = read(file.old_oid), read(oid)
        if before is not None and now is not None:
            yield from find_changed(path, before, now)

    def _successor(self, file: FileDiff) -> tuple[str, str] | None:
        """The file that has the module's name now, as where `a.py` becomes `a/__init__.py`."""
        name = self._module(file.old_path)
        changed = (f for f in self.change.files if f.mode.startswith("100") and is_python(f.path))
        return next(((f.path, f.oid) for f in changed if self._module(f.path) == name), None)

    def _module(self, path: str) -> str:
        return module_name(path, self.roots.root(path))


def loses_definitions(file: FileDiff) -> bool:
    """It was a Python file before, and may define less now."""
    return (
        file.status != "A"
        and file.old_mode.startswith("100")
        and (file.oid, file.path) != (file.old_oid, file.old_path)
        and is_python(file.old_path)
    )
