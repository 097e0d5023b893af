"""hadolint: Dockerfiles. It prints paths as given and one JSON list in every case."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "hadolint"
DEFAULT = False
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
CONFIG = (".hadolint.yaml", ".hadolint.yml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (0,)  # --no-fail
LANGUAGES = ("Dockerfile",)
INSTALL = "install it from https://github.com/hadolint/hadolint/releases"

_FILES = (
    "Dockerfile",
    "Dockerfile.*",
    "*.Dockerfile",
    "*.dockerfile",
    "Containerfile",
    "Containerfile.*",
)
_UNPARSED = "DL1000"


def takes(path: str, head: bytes) -> bool:
    """Dockerfiles by name."""
    name = _shared.base_name(path)
    return any(fnmatchcase(name, glob) for glob in _FILES)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--no-fail", "--format=json", "--no-color"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not hadolint's JSON, or cut short.
    """
    rows = strict.json_array(_shared.json_document(lines, "hadolint's JSON"), "hadolint")
    return [
        _finding(strict.json_object(row, f"result {n}"), f"result {n}")
        for n, row in enumerate(rows, 1)
    ]


def _finding(row: dict[str, Any], where: str) -> Finding:
    code, level = (
        strict.json_string(row.get("code"), f"{where}: code"),
        strict.json_string(row.get("level"), f"{where}: level"),
    )
    if level not in strict.BY_LEVEL:
        raise ValueError(f"{where}: unknown level {strict.one_line(level, 40)!r}")
    broken = code == _UNPARSED
    line = strict.whole_number(row.get("line"), f"{where}: line")
    return strict.tool_finding(
        "hadolint",
        code,
        Priority.P0 if broken else strict.BY_LEVEL[level],
        _shared.tool_path(row.get("file"), f"{where}: file"),
        (line, line),
        strict.json_string(row.get("message"), f"{where}: message"),
        category="syntax" if broken else "lint",
    )
