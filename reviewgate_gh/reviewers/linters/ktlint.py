"""ktlint: the style of Kotlin, and whether it parses. It prints relative paths and one JSON list in
every case."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.coverage import ReadDepth
from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "ktlint"
DEFAULT = False
EXECUTES_CONFIG = False  # rules are code, and come from its command line alone
PER_FILE = True
ARGS_EXECUTE = True  # --ruleset, --reporter
CONFIG = (".editorconfig",)
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0, 1)  # 1 beside a file that one of its own rules failed on
# https://pinterest.github.io/ktlint/latest/install/cli/#exit-codes
FOUND_EXITS = (1,)
FILES = ("*.kt", "*.kts")
LANGUAGES = ("Kotlin",)
DEPTH = ReadDepth.PARSED
# Java reads the names of files in the locale's characters, and ktlint passes over those that it
# cannot find
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
INSTALL = "install ktlint"

# https://pinterest.github.io/ktlint/latest/rules/configuration-ktlint/
_OF_KTLINT = lazy_pattern(rb"(?m)^\s*ktlint_")
_UNPARSED = "Not a valid Kotlin file"
_FAILED = "Internal Error"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths; its log would be in its report."""
    return [program, *args, "--reporter=json", "--relative", "--log-level=none"]


def configures(path: str, data: bytes) -> bool:
    """An `.editorconfig` with keys of ktlint: most have none."""
    return _OF_KTLINT.search(data) is not None


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not ktlint's JSON, or cut short.
    """
    for file in _shared.json_document(lines, list[_File], "ktlint"):
        path = _shared.tool_path(file.file, "file")
        for row in file.errors:
            if row.message.startswith(_FAILED):
                yield _shared.left_out("ktlint", path, row.message)
            else:
                yield _finding(row, path)


class _Error(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber
    message: str
    rule: str


class _File(Struct, frozen=True):
    file: str
    errors: tuple[_Error, ...]


def _finding(row: _Error, path: str) -> Finding:
    broken = row.message.startswith(_UNPARSED)
    return strict.tool_finding(
        "ktlint",
        "syntax" if broken else row.rule,
        # The Kotlin that it reads may be older than the code
        Priority.P2 if broken else Priority.P3,
        path,
        (row.line, row.line),
        row.message,
        category="syntax" if broken else "lint",
        columns=(row.column, 0),
    )
