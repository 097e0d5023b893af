"""bandit: security of Python code. It prints paths with `./` before them and one JSON document in
every case."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "bandit"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".bandit",)
DEFAULT_CONFIG: str | None = "bandit.ini"
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.py",)
SCRIPTS = ("Python",)
LANGUAGES = ("Python",)
INSTALL = "install it with `pip install bandit`"

_Level = Literal["HIGH", "MEDIUM", "LOW", "UNDEFINED"]
_RANK: Mapping[_Level, int] = {"HIGH": 3, "MEDIUM": 2, "LOW": 1, "UNDEFINED": 0}
_SYNTAX = "syntax error"
_NOT_READ = ("bandit/syntax", "bandit/unread")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    args = _shared.drop_options(args, "--exit-zero")
    return [program, "--ini", str(config or CONFIG[0]), *args, "--quiet", "--format", "json"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings; a file that it could not read is one too.

    Raises:
        ValueError: not bandit's JSON, or cut short.
    """
    document = _shared.json_document(lines, _Document, "bandit")
    return [*map(_broken, document.errors), *map(_finding, document.results)]


def spared(finding: Finding) -> bool:
    """Files that it could not read do not change its exit code."""
    return finding.rule in _NOT_READ


class _Error(Struct, frozen=True):
    filename: str
    reason: str


class _Result(Struct, frozen=True):
    filename: str
    test_id: str
    issue_severity: _Level
    issue_confidence: _Level
    issue_text: str
    line_number: strict.WholeNumber
    line_range: tuple[strict.WholeNumber, ...]
    more_info: str | None = None


class _Document(Struct, frozen=True):
    errors: tuple[_Error, ...]
    results: tuple[_Result, ...]


def _broken(row: _Error) -> Finding:
    path = _shared.tool_path(row.filename, "filename")
    if _SYNTAX in row.reason:
        return strict.tool_finding(
            "bandit", "syntax", Priority.P0, path, (0, 0), row.reason, category="syntax"
        )
    return _shared.unreadable_file("bandit", "unread", path, row.reason)


def _finding(row: _Result) -> Finding:
    # Severity counts only as far as the tool is sure
    rank = min(_RANK[row.issue_severity], _RANK[row.issue_confidence])
    return strict.tool_finding(
        "bandit",
        row.test_id,
        (Priority.P3, Priority.P3, Priority.P2, Priority.P1)[rank],
        _shared.tool_path(row.filename, "filename"),
        (row.line_number, max([row.line_number, *row.line_range])),
        row.issue_text,
        category="security",
        page=row.more_info or "",
    )
