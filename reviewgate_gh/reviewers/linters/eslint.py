"""eslint: JavaScript and TypeScript by the project's own rules. It prints absolute paths and one
JSON list in every case."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "eslint"
DEFAULT = False
EXECUTES_CONFIG = True  # its config is a program
ARGS_EXECUTE = True
CONFIG = ("eslint.config.*", ".eslintrc", ".eslintrc.*", "package.json")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
LANGUAGES = ("JavaScript", "TypeScript", "Vue", "Svelte", "Astro")
INSTALL = "install it in the project with `npm install --save-dev eslint`"

_SUFFIXES = (
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    ".ts",
    ".mts",
    ".cts",
    ".tsx",
    ".vue",
    ".svelte",
    ".astro",
)
_PRIORITY = {2: Priority.P1, 1: Priority.P2, 0: Priority.P3}


def takes(path: str, head: bytes) -> bool:
    """JavaScript, TypeScript, and the files that hold either, by suffix."""
    return path.endswith(_SUFFIXES)


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
    files = strict.json_array(_shared.json_document(lines, "eslint's JSON"), "eslint")
    return [
        found
        for n, file in enumerate(files, 1)
        for found in _file(strict.json_object(file, f"file {n}"), f"file {n}")
    ]


def spared(finding: Finding) -> bool:
    """Warnings do not change its exit code
    (https://eslint.org/docs/latest/use/command-line-interface#exit-codes)."""
    return finding.priority > _PRIORITY[2]


def _file(file: dict[str, Any], where: str) -> Iterator[Finding]:
    path = _shared.tool_path(file.get("filePath"), f"{where}: filePath")
    for number, value in enumerate(
        strict.json_array(file.get("messages"), f"{where}: messages"), 1
    ):
        row = strict.json_object(value, f"{where}, message {number}")
        if row.get("ruleId") or row.get("fatal") or row.get("line"):
            yield _finding(row, path, f"{where}, message {number}")
        else:
            yield _shared.left_out(
                "eslint", path, strict.json_string(row.get("message"), f"{where}, message {number}")
            )


def _finding(row: dict[str, Any], path: str, where: str) -> Finding:
    severity = strict.whole_number(row.get("severity"), f"{where}: severity")
    if severity not in _PRIORITY:
        raise ValueError(f"{where}: unknown severity {severity}")
    broken = row.get("fatal") is True
    start = strict.whole_number(row.get("line") or 0, f"{where}: line")
    end = strict.whole_number(row.get("endLine") or start, f"{where}: endLine")
    return strict.tool_finding(
        "eslint",
        "syntax" if broken else strict.json_string(row.get("ruleId") or "", f"{where}: ruleId"),
        Priority.P0 if broken else _PRIORITY[severity],
        path,
        (start, end - 1 if row.get("endColumn") == 1 and end > start else end),
        strict.json_string(row.get("message"), f"{where}: message"),
        category="syntax" if broken else "lint",
    )
