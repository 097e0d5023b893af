"""Modules of the project whose errors mypy is told to ignore from now on."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ....text.patterns import lazy_pattern
from .._sources import ComparedFile, ComparisonInput, Line

# What a table of TOML has is told as a setting. https://mypy.readthedocs.io/en/stable/config_file.html
_FILES = ("mypy.ini", ".mypy.ini", "setup.cfg")
_SECTION = lazy_pattern(r"\[(?P<name>[^\]]*)\]\s*$")
_IGNORES = lazy_pattern(r"(?i)\s*ignore_errors\s*=\s*(?:true|1|on|yes)\b")
_STRICTER = lazy_pattern(r"(?i)\s*(?:strict\w*|disallow_\w+|check_untyped_defs)\s*=\s*true\b")


def ignored_modules(
    sources: ComparisonInput, file: ComparedFile
) -> Iterator[tuple[Line, list[str]]]:
    """For each new pattern the line that says so, and the files that it means; none where the
    change asks for more at the same time, or where nothing was checked before."""
    if file.name not in _FILES or any(_STRICTER.match(line.text) for line in file.added):
        return
    line = next((line for line in file.added if _IGNORES.match(line.text)), None)
    before = _ignored(file.base) if line else None
    if line is None or before is None:
        return
    for pattern in sorted((_ignored(file.head) or set()) - before):
        if not any(fnmatchcase(pattern, old) for old in before):
            yield line, [path for path in sorted(sources.list_head()) if _is_meant(path, pattern)]


def _is_meant(path: str, pattern: str) -> bool:
    """The file is the module, below the root or a folder of sources."""
    if not path.endswith((".py", ".pyi")):
        return False
    bare = path.rpartition(".")[0].removeprefix("src/").removesuffix("/__init__")
    module = bare.replace("/", ".")
    # The pattern stands for the package itself, too
    return fnmatchcase(module, pattern) or fnmatchcase(f"{module}.", pattern)


def _ignored(text: str) -> set[str] | None:
    """The patterns of modules whose errors are ignored; None where mypy has no settings there."""
    found, modules, known = set[str](), list[str](), False
    for row in text.split("\n"):
        if section := _SECTION.match(row):
            kind, _, names = section["name"].partition("-")
            known = known or kind == "mypy"
            modules = [each.strip() for each in (names or "*").split(",")] if kind == "mypy" else []
        elif _IGNORES.match(row):
            found.update(modules)
    return found if known else None
