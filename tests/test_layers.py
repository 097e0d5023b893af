"""A folder is a layer: imports point down only, folders on one level never meet, and pure folders have no effects."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .support import ROOT

PACKAGE = ROOT / "reviewgate_gh"
LEVELS = (
    {"__init__"},
    {"model"},
    {"text"},
    {"system", "steps", "reporters", "templates"},
    {"linters"},
    {"reviewers", "trackers"},
    {"flows"},
    {"commands", "cli"},
    {"__main__"},
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
TOGETHER = {"commands", "cli"}
PURE = {"model", "text", "steps", "reporters"}
EFFECTS = {
    *("os", "subprocess", "socket", "time", "random", "secrets", "requests", "github", "urllib", "http", "shutil", "tempfile"),
    *("threading", "concurrent", "asyncio", "sqlite3", "logging"),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def part(file: Path) -> str:
    """The layer that a file belongs to: its folder, or its own name at the top."""
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Every import, anywhere in the file, as (line, absolute dotted name)."""
    package = [PACKAGE.name, *file.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            stem = [*package[: len(package) - node.level + 1]] if node.level else []
            stem += node.module.split(".") if node.module else []
            yield from ((node.lineno, ".".join([*stem, alias.name])) for alias in node.names)


def breaks(file: Path) -> Iterator[str]:
    """What the file imports and must not."""
    here = part(file)
    for line, name in imports(file):
        first, _, rest = name.partition(".")
        where = f"{file.relative_to(ROOT)}:{line}"
        if here in PURE and first in EFFECTS:
            yield f"{where}: {here} is pure and imports {first}"
        there = rest.partition(".")[0]
        if first != PACKAGE.name or there == here or {here, there} == TOGETHER or there not in LEVEL:
            continue
        if LEVEL[there] >= LEVEL[here]:
            yield f"{where}: {here} imports {there}"


def test_every_file_belongs_to_a_layer() -> None:
    assert {part(file) for file in FILES} <= set(LEVEL)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_down(file: Path) -> None:
    assert list(breaks(file)) == []
