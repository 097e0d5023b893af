"""squawk: migrations of PostgreSQL. It prints paths as given and one JSON list in every case.

A file's name does not tell the dialect of its SQL, so it runs where the project configures it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "squawk"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".squawk.toml",)
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.sql",)
LANGUAGES = ("SQL",)
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'` for PostgreSQL"

_SYNTAX = "syntax-error"
# How a table is written, and what a safe one looks like: advice that clean migrations break
_ADVICE = ("prefer-", "require-", "identifier-", "transaction-nesting")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--reporter=json", "--no-error-on-unmatched-pattern"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not squawk's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Violation], "squawk")]


class _Violation(Struct, frozen=True):
    file: str
    line: strict.WholeNumber  # from 0
    level: Literal["Error", "Warning"]
    message: str
    rule_name: str
    help: str | None = None
    line_end: strict.WholeNumber | None = None


def _finding(row: _Violation) -> Finding:
    broken = row.rule_name == _SYNTAX
    return strict.tool_finding(
        "squawk",
        row.rule_name,
        Priority.P0
        if broken
        else Priority.P3
        if row.rule_name.startswith(_ADVICE)
        else Priority.P2,
        _shared.tool_path(row.file, "file"),
        (row.line + 1, max(row.line, row.line_end or 0) + 1),
        row.message,
        category="syntax" if broken else "lint",
        body=row.help or "",
    )
