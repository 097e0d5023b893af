"""bandit: security of Python code. It prints paths with `./` before them and one JSON document in
every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...model.finding import Finding, Priority
from ...model.languages import script_language
from ...text import strict
from . import _shared

PROGRAM = "bandit"
DEFAULT = False
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
CONFIG = (".bandit",)
DEFAULT_CONFIG: str | None = "bandit.ini"
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
LANGUAGES = ("Python",)
INSTALL = "install it with `pip install bandit`"

_RANK = {"HIGH": 3, "MEDIUM": 2, "LOW": 1, "UNDEFINED": 0}
_SYNTAX = "syntax error"
_NOT_READ = ("bandit/syntax", "bandit/unread")


def takes(path: str, head: bytes) -> bool:
    """Python by its suffix, or by its `#!` line."""
    return path.endswith(".py") or script_language(head) == "Python"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    args = _shared.drop_options(args, "--exit-zero")
    return [program, "--ini", str(config or CONFIG[0]), *args, "--quiet", "--format", "json"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings; a file that it could not read is one too.

    Raises:
        ValueError: not bandit's JSON, or cut short.
    """
    top = strict.json_object(_shared.json_document(lines, "bandit's JSON"), "bandit")
    rows, errors = (
        strict.json_array(top.get("results"), "results"),
        strict.json_array(top.get("errors"), "errors"),
    )
    broken = [
        _broken(strict.json_object(row, f"error {n}"), f"error {n}")
        for n, row in enumerate(errors, 1)
    ]
    return broken + [
        _finding(strict.json_object(row, f"result {n}"), f"result {n}")
        for n, row in enumerate(rows, 1)
    ]


def spared(finding: Finding) -> bool:
    """Files that it could not read do not change its exit code."""
    return finding.rule in _NOT_READ


def _broken(row: dict[str, Any], where: str) -> Finding:
    path, reason = (
        _shared.tool_path(row.get("filename"), f"{where}: filename"),
        strict.json_string(row.get("reason"), f"{where}: reason"),
    )
    if _SYNTAX in reason:
        return strict.tool_finding(
            "bandit", "syntax", Priority.P0, path, (0, 0), reason, category="syntax"
        )
    return _shared.unreadable_file("bandit", "unread", path, reason)


def _finding(row: dict[str, Any], where: str) -> Finding:
    span = [
        strict.whole_number(number, f"{where}: line_range")
        for number in strict.json_array(row.get("line_range"), f"{where}: line_range")
    ]
    line = strict.whole_number(row.get("line_number"), f"{where}: line_number")
    return strict.tool_finding(
        "bandit",
        strict.json_string(row.get("test_id"), f"{where}: test_id"),
        _priority(
            [
                strict.json_string(row.get(key), f"{where}: {key}")
                for key in ("issue_severity", "issue_confidence")
            ],
            where,
        ),
        _shared.tool_path(row.get("filename"), f"{where}: filename"),
        (line, max([line, *span])),
        strict.json_string(row.get("issue_text"), f"{where}: issue_text"),
        category="security",
        body=strict.json_string(row.get("more_info") or "", f"{where}: more_info"),
    )


def _priority(words: list[str], where: str) -> Priority:
    """Severity counts only as far as the tool is sure."""
    if any(word not in _RANK for word in words):
        raise ValueError(f"{where}: unknown severity {strict.one_line(' / '.join(words), 60)}")
    return (Priority.P3, Priority.P3, Priority.P2, Priority.P1)[min(_RANK[word] for word in words)]
