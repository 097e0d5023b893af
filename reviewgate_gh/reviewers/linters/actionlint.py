"""actionlint: GitHub workflows. It prints relative paths and one JSON list in every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "actionlint"
DEFAULT = False
EXECUTES_CONFIG = False
# https://github.com/rhysd/actionlint/blob/main/docs/usage.md
ARGS_EXECUTE = True  # -shellcheck= and -pyflakes= name programs
CONFIG = ("actionlint.yaml", "actionlint.yml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://github.com/rhysd/actionlint/blob/main/docs/usage.md#exit-status
FOUND_EXITS = (1,)
UNNUMBERED = "(devel)"  # of `go build` in its source tree
FILES = ("*.yml", "*.yaml")
LANGUAGES = ("GitHub workflow",)
INSTALL = "install it from https://github.com/rhysd/actionlint/releases"

_FOLDER = ".github/workflows"
_BROKEN = "syntax-check"
_NO_YAML = "could not parse as YAML"


def fits(path: str, head: bytes) -> bool:
    """It lies where workflows do."""
    return path.rpartition("/")[0] == _FOLDER


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "-no-color", "-format", "{{json .}}"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not actionlint's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Error], "actionlint")]


class _Error(Struct, frozen=True):
    message: str
    kind: str
    filepath: str
    line: strict.WholeNumber
    column: strict.WholeNumber = 0
    end_column: strict.WholeNumber = 0


def _finding(row: _Error) -> Finding:
    """It has no levels: a workflow that GitHub cannot read is critical, the rest are
    suggestions."""
    broken = row.kind == _BROKEN
    no_yaml = broken and _NO_YAML in row.message
    return strict.tool_finding(
        "actionlint",
        row.kind,
        Priority.P0 if no_yaml else Priority.P1 if broken else Priority.P2,
        _shared.tool_path(row.filepath, "filepath"),
        (row.line, row.line),
        row.message,
        category="syntax" if no_yaml else "lint",
        columns=(row.column, row.end_column + 1 if row.end_column else 0),
    )
