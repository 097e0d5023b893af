"""actionlint: GitHub workflows. It prints relative paths and one JSON list in every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "actionlint"
DEFAULT = False
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # -shellcheck= and -pyflakes= name programs
CONFIG = ("actionlint.yaml", "actionlint.yml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
UNNUMBERED = "(devel)"  # of `go build` in its source tree
LANGUAGES = ("GitHub workflow",)
INSTALL = "install it from https://github.com/rhysd/actionlint/releases"

_FOLDER = ".github/workflows/"
_BROKEN = "syntax-check"
_NO_YAML = "could not parse as YAML"


def takes(path: str, head: bytes) -> bool:
    """Workflows."""
    return (
        path.startswith(_FOLDER)
        and path.endswith((".yml", ".yaml"))
        and "/" not in path[len(_FOLDER) :]
    )


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "-no-color", "-format", "{{json .}}"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not actionlint's JSON, or cut short.
    """
    rows = strict.json_array(_shared.json_document(lines, "actionlint's JSON"), "actionlint")
    return [
        _finding(strict.json_object(row, f"result {n}"), f"result {n}")
        for n, row in enumerate(rows, 1)
    ]


def _finding(row: dict[str, Any], where: str) -> Finding:
    """It has no levels: a workflow that GitHub cannot read is critical, the rest are
    suggestions."""
    kind, message = (
        strict.json_string(row.get("kind"), f"{where}: kind"),
        strict.json_string(row.get("message"), f"{where}: message"),
    )
    broken = kind == _BROKEN
    line = strict.whole_number(row.get("line"), f"{where}: line")
    return strict.tool_finding(
        "actionlint",
        kind,
        (Priority.P0 if _NO_YAML in message else Priority.P1) if broken else Priority.P2,
        _shared.tool_path(row.get("filepath"), f"{where}: filepath"),
        (line, line),
        message,
        category="syntax" if broken and _NO_YAML in message else "lint",
    )
