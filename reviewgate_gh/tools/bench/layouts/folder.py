"""One's own cases: a folder for each, with `case.yaml` in it, and the change beside that: a patch,
two folders of files, or named commits (docs/bench.md)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....git.tree_files import read_existing
from ....model.errors import ConfigError
from ....model.finding import Priority
from ....model.limits import ConfigSection
from ....text.config_file import parse_settings
from ....text.patterns import lazy_pattern
from ..case import (
    Case,
    CommitSource,
    ExpectedFinding,
    ExpectedPlace,
    Files,
    PatchSource,
    Source,
    TreeSource,
    check_commit,
    check_path,
)

FILE = "case.yaml"
_PATCH, _BASE, _HEAD = "change.patch", "base", "head"
_LINES = lazy_pattern(r"([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?")


class Expected(ConfigSection, frozen=True, kw_only=True):
    """One finding that is expected. Without `text` any remark on these lines is right."""

    path: str = ""
    lines: int | str = ""
    priority: Priority | None = None
    text: str = ""

    def __post_init__(self) -> None:
        if not (self.path or self.text.strip()):
            raise ValueError("path and text are both empty: one must say what is expected")
        if self.path:
            check_path(self.path)
        if self.lines != "" and not self.path:
            raise ValueError("lines are given without a path")
        self.numbers()

    def numbers(self) -> tuple[int, int]:
        """The first and the last line, 0 for the whole file."""
        if self.lines == "":
            return 0, 0
        found = _LINES.fullmatch(str(self.lines))
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if last < first:
            raise ValueError(f"lines must be like 12 or 12-14, not {self.lines}")
        return first, last


class CaseFile(ConfigSection, frozen=True, kw_only=True):
    """`case.yaml`: what is expected, nothing where the change is clean, and the change if it is
    named as commits, `BASE..HEAD`, of a repository (by default the one around this folder)."""

    expected: tuple[Expected, ...]
    commits: str = ""
    repository: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        if self.commits:
            self.ends()
        elif self.repository:
            raise ValueError("repository is given without commits")

    def ends(self) -> tuple[str, str]:
        """The ids of base and head."""
        base, dots, head = self.commits.partition("..")
        if not dots:
            raise ValueError(f"commits must be like BASE..HEAD, not {self.commits}")
        return check_commit(base), check_commit(head)


def recognises(path: Path, first: Any) -> bool:
    """Whether the data set has this layout: a folder of cases, or that of one case."""
    return path.is_dir() and next(_folders(path), None) is not None


def read(path: Path) -> Iterator[Case]:
    """The cases of a folder, by their paths in it.

    Raises:
        ConfigError: a case is wrong.
    """
    for folder in _folders(path):
        file = folder / FILE
        said = parse_settings(_content(file), CaseFile, str(file))
        expected = tuple(map(_expected, said.expected))
        name = os.fsdecode(os.fsencode(folder.relative_to(path))) if folder != path else path.name
        yield Case(name, _source(folder, said), expected, str(folder))


def _folders(path: Path) -> Iterator[Path]:
    """Those with a case in them; what is below such a one is its own."""
    if (path / FILE).is_file():
        yield path
        return
    try:
        below = sorted(each for each in path.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}", "check its rights") from None
    for each in below:
        yield from _folders(each)


def _expected(each: Expected) -> ExpectedFinding:
    first, last = each.numbers()
    places = (ExpectedPlace(each.path, first, last),) if each.path else ()
    return ExpectedFinding(each.text.strip(), places, each.priority)


def _source(folder: Path, said: CaseFile) -> Source:
    patch, head = os.path.lexists(folder / _PATCH), os.path.lexists(folder / _HEAD)
    if patch + head + bool(said.commits) != 1:
        raise ConfigError(
            f"{folder}: a case needs one of {_PATCH}, {_HEAD}/ and `commits`",
            f"add the one that says what the change is to {folder}, and take out the others",
        )
    if said.commits:
        base, end = said.ends()
        return CommitSource(base, end, said.repository)
    files, after = _files(folder / _BASE), _files(folder / _HEAD)
    if patch:
        return PatchSource(_content(folder / _PATCH), files)
    return TreeSource(files or {}, after or {})


def _files(folder: Path) -> Files | None:
    """All files below the folder, links as what they name; None where there is no such folder."""
    if not os.path.lexists(folder):
        return None
    if folder.is_symlink() or not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder", "replace it with a folder of files")
    found = {}
    for place, folders, names in os.walk(folder):
        links = (name for name in folders if Path(place, name).is_symlink())
        for name in (*names, *links):
            path = Path(place, name)
            found[path.relative_to(folder).as_posix()] = _file(path)
    return dict(sorted(found.items()))


def _file(path: Path) -> tuple[str, bytes]:
    if path.is_symlink():
        return "120000", os.fsencode(os.readlink(path))
    return ("100755" if os.access(path, os.X_OK) else "100644"), _content(path)


def _content(path: Path) -> bytes:
    """What a file of a case holds: no link leads out of the data set, and no pipe is waited for."""
    if path.is_symlink() or not path.is_file():
        raise ConfigError(
            f"{path} is not a regular file", "replace it with a copy of what it names"
        )
    return read_existing(path)
