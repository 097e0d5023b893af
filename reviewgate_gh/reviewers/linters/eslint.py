"""eslint: JavaScript and TypeScript by the project's own rules. It prints absolute paths and one
JSON list in every case."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "eslint"
DEFAULT = False
# https://eslint.org/docs/latest/use/configure/configuration-files
EXECUTES_CONFIG = True  # its config is a program
ARGS_EXECUTE = True
CONFIG = ("eslint.config.*", ".eslintrc", ".eslintrc.*", "package.json")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = _shared.JAVASCRIPT_FILES
LANGUAGES = ("JavaScript", "TypeScript", "Vue", "Svelte", "Astro")
INSTALL = "install it in the project with `npm install --save-dev eslint`"

_PRIORITY = {2: Priority.P1, 1: Priority.P2, 0: Priority.P3}


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths.

    A limit of the user's would also count files that it ignores, and the last limit named holds.
    """
    return [program, *args, "--format=json", "--no-color", "--max-warnings=-1"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings; paths are absolute. A warning without a rule and a line is about a file that it
    was told to ignore.

    https://eslint.org/docs/latest/use/configure/ignore#ignored-file-warnings

    Raises:
        ValueError: not eslint's JSON, or cut short.
    """
    return [
        found
        for file in _shared.json_document(lines, list[_File], "eslint")
        for found in _findings(file)
    ]


def spared(finding: Finding) -> bool:
    """Warnings do not change its exit code
    (https://eslint.org/docs/latest/use/command-line-interface#exit-codes)."""
    return finding.priority > _PRIORITY[2]


class _Message(Struct, frozen=True, rename="camel"):
    message: str
    severity: Literal[0, 1, 2]
    rule_id: str | None = None
    fatal: bool | None = None
    line: strict.WholeNumber | None = None
    end_line: strict.WholeNumber | None = None
    column: strict.WholeNumber | None = None
    end_column: strict.WholeNumber | None = None


class _File(Struct, frozen=True, rename="camel"):
    file_path: str
    messages: tuple[_Message, ...]


def _findings(file: _File) -> Iterator[Finding]:
    path = _shared.tool_path(file.file_path, "filePath")
    for row in file.messages:
        if row.rule_id or row.fatal or row.line:
            yield _finding(row, path)
        else:
            yield _shared.left_out("eslint", path, row.message)


def _finding(row: _Message, path: str) -> Finding:
    start = row.line or 0
    end = row.end_line or start
    last = end - 1 if row.end_column == 1 and end > start else end
    return strict.tool_finding(
        "eslint",
        "syntax" if row.fatal else row.rule_id or "",
        Priority.P0 if row.fatal else _PRIORITY[row.severity],
        path,
        (start, last),
        row.message,
        category="syntax" if row.fatal else "lint",
        columns=(row.column or 0, (row.end_column or 0) if last == end else 0),
    )
