"""ruff: Python. It prints absolute paths, one JSON object a line, and nothing at all for clean
files."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...model.languages import script_language
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks._paths import is_own_test
from . import _notebook as notebook
from . import _shared
from ._defaults import is_only_read
from ._edits import Edit, with_edits
from ._loops import is_called_in_its_turn
from ._quoted import is_quoted
from ._sinks import weigh_sink
from ._weights import weight

PROGRAM = "ruff"
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = ("ruff.toml", ".ruff.toml", "pyproject.toml")
DEFAULT_CONFIG: str | None = "ruff-defaults.toml"  # a name that ruff does not look for
CLEAN_EXITS = (0,)
# https://docs.astral.sh/ruff/linter/#exit-codes
FOUND_EXITS = (1,)
FILES = ("*.py", "*.pyi", "*.pyw", f"*{notebook.SUFFIX}")
ANY_CASE = True
SCRIPTS = ("Python",)
LANGUAGES = ("Python", "Jupyter Notebook")
# Which imports are the project's own, and what is a package, it asks the disk
NEIGHBOURS = ("*.py", "*.pyi")
INSTALL = "it comes with reviewgate-gh: reinstall reviewgate-gh, or run `pip install ruff`"

_UNREAD = "E902"
_SECURITY = lazy_pattern(r"S\d+")
_NO_ESCAPES, _MAKES_PAGES = (
    "ruff/S701",
    lazy_pattern(rb"(?i)html|flask|django|fastapi|starlette|email"),
)
_LONGEST_CAUSE = 200  # characters
_LOOP_VALUE = "ruff/B023"
_UNKNOWN_NAME, _SHARED_DEFAULT = "ruff/F821", "ruff/B006"
_WEAK_HASH, _WITHOUT_EFFECT = "ruff/S324", "ruff/B018"
_PASSWORD = lazy_pattern(rb"passw(?:or)?d|passwd|passphrase|\bpwd|pwd\b|credential", re.IGNORECASE)
_WHY = lazy_pattern(r"^## Why is this bad\?\n(.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_LITERAL = "seems safe"  # its words where a shell call has no input


def why(err: str) -> str:
    """What it names last as the cause, which may go over several lines."""
    return strict.one_line(" ".join(err.rpartition("Cause: ")[2].split()), _LONGEST_CAUSE)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths.

    Excludes of the project's own config hold for named files too, its wish to rewrite them does
    not.
    """
    ours = ["--config", str(config)] if config else []
    args = _shared.drop_options(args, "--exit-zero", "-e")
    return [
        program,
        "check",
        *ours,
        *args,
        "--output-format=json-lines",
        "--no-cache",
        "--no-fix",
        "--no-fix-only",
        "--force-exclude",
    ]


def shows(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command that prints which of the paths the settings let it read, without paths."""
    ours = ["--config", str(config)] if config else []
    return [
        program,
        "check",
        *ours,
        *args,
        "--show-files",
        "--no-cache",
        "--no-fix",
        "--no-fix-only",
        "--force-exclude",
    ]


def unread_parts(path: str, read: Callable[[], bytes]) -> frozenset[str]:
    """What it leaves out of a file that it reads: cells of notebooks."""
    is_notebook = path.lower().endswith(notebook.SUFFIX)
    return notebook.cells_of_others(read()) if is_notebook else frozenset()


def extends(data: bytes) -> list[str]:
    """The config that this one builds on."""
    try:
        top = strict.load_toml(data, "TOML")
    except ValueError:
        return []
    tables = (top, top.get("tool", {}).get("ruff", {}) if isinstance(top.get("tool"), dict) else {})
    return [
        table["extend"]
        for table in tables
        if isinstance(table, dict) and isinstance(table.get("extend"), str)
    ]


def explain(program: str, rule: str) -> list[str]:
    """The command that prints what it documents about a rule."""
    return [program, "rule", rule, "--output-format=json"]


def explanation(data: bytes) -> str:
    """The paragraph of its answer that says why the rule matters.

    Raises:
        ValueError: it is not ruff's JSON.
    """
    row = strict.json_object(strict.load_json(data, "ruff's JSON"), "rule")
    told = _WHY.search(strict.json_string(row.get("explanation"), "explanation"))
    return told[1] if told else ""


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come; paths are absolute.

    Raises:
        ValueError: a line that is not one of ruff's.
    """
    for number, line in enumerate(lines, 1):
        row = strict.load_json(line, "ruff's JSON lines")
        try:
            yield _finding(row)
        except (KeyError, TypeError, AttributeError):
            raise ValueError(f"not ruff's JSON lines: line {number} lacks a field") from None


def _finding(row: dict[str, Any]) -> Finding:
    # A rule of the preview may have a name alone; before there were names, no code was bad syntax:
    # https://docs.astral.sh/ruff/preview/
    code = row["code"] or row.get("name") or "invalid-syntax"
    if row.get("severity") == "fatal":
        raise ValueError(f"ruff itself crashed: {strict.one_line(row['message'])}")
    path, message = _path(row["filename"]), _title(row["message"])
    if code == _UNREAD:
        return _shared.unreadable_file("ruff", code, path, message)
    start, end = row["location"]["row"], row["end_location"]
    last = end["row"] - 1 if end["column"] == 1 and end["row"] > start else end["row"]
    cell = row.get("cell")
    rule, priority, category = _weight(code)
    if _LITERAL in message and _SECURITY.fullmatch(code):
        priority = Priority.P3
    columns = row["location"]["column"], end["column"] if last == end["row"] else 0
    edits, body = _fix(row["fix"]) if row["fix"] else ((), "")
    if cell is not None:  # its lines are those of a cell
        start, last = (notebook.cell_line(_line(cell), _line(line)) for line in (start, last))
        edits, columns = (), (0, 0)
    body = "\n".join(part for part in (body, row["url"]) if part)
    found = Finding(
        priority,
        category,
        rule,
        path,
        _line(start),
        _line(last),
        message,
        body,
        sources=("ruff",),
        column_start=_line(columns[0]),
        column_end=_line(columns[1]),
        rule_page=row["url"] or "",
    )
    return with_edits(found, edits)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding in a notebook, at the line of its file that holds the line of the cell. Names may
    come from a magic command, so that none is certainly unknown; nor does an unknown one fail that
    only type checkers read. A weak hash of a password is one, whatever it is elsewhere. What makes
    no pages need not escape for them. A function that a loop calls itself sees the values of its
    turn, and a default that nobody changes stays as it is."""
    if finding.rule == _WEAK_HASH and _hashes_password(finding, read()):
        finding = replace(finding, priority=Priority.P1)
    if _is_harmless(finding, read):
        finding = replace(finding, priority=Priority.P3)
    if not finding.path.endswith(notebook.SUFFIX):
        return weigh_sink(_weigh_name(finding, read), read)
    placed = notebook.place(finding, read())
    unsure = finding.rule.startswith("ruff/F82") and finding.priority is Priority.P1
    return replace(placed, priority=Priority.P2) if unsure else placed


def _is_harmless(finding: Finding, read: Callable[[], bytes]) -> bool:
    """By what else the file says."""
    if finding.category == "syntax":  # Python could not import it either
        return script_language(read()) not in ("", "Python") or _is_template(finding.path, read())
    if finding.rule == _NO_ESCAPES:
        return not _MAKES_PAGES.search(read())
    if finding.rule == _WITHOUT_EFFECT:  # in a test it may be what has to raise
        return is_own_test(finding.path)
    if finding.rule == _SHARED_DEFAULT:
        return is_only_read(read(), finding.line_start, finding.column_start)
    return finding.rule == _LOOP_VALUE and is_called_in_its_turn(read(), finding.line_start)


def _weigh_name(finding: Finding, read: Callable[[], bytes]) -> Finding:
    quoted = (
        finding.rule == _UNKNOWN_NAME
        and finding.priority is Priority.P1
        and is_quoted(read(), finding.line_start, finding.column_start)
    )
    return replace(finding, priority=Priority.P2) if quoted else finding


def _is_template(path: str, data: bytes) -> bool:
    """A template engine writes the name of its folder, and fills in the file before it is run."""
    return "{{" in path and _TAG.search(data) is not None


_TAG = lazy_pattern(rb"\{[%{#]")


def _hashes_password(finding: Finding, data: bytes) -> bool:
    """Its statement, or the name of a function that it returns from, speaks of a password."""
    rows = data.split(b"\n")
    around = rows[max(0, finding.line_start - 1) : finding.line_end]
    name = next(
        (row for row in reversed(rows[: finding.line_start]) if row.lstrip().startswith(b"def ")),
        b"",
    )
    return _PASSWORD.search(b"\n".join([*around, name.partition(b"(")[0]])) is not None


def _line(number: Any) -> int:
    return number if type(number) is int and number >= 0 else strict.whole_number(number, "row")


@lru_cache(8)
def _path(name: str) -> str:
    return _shared.tool_path(name, "filename")


@lru_cache(4096)
def _title(message: str) -> str:
    title = strict.one_line(strict.json_string(message, "message"))
    if not title:
        raise ValueError("not ruff's JSON lines: a message is empty")
    return title


@lru_cache(2048)
def _weight(code: str) -> tuple[str, Priority, str]:
    """The rule's name with us, its priority and its category."""
    rule = strict.rule_name("ruff", strict.json_string(code, "code"))
    priority = weight("ruff", code) or Priority.P3
    if priority is Priority.P0:
        return rule, priority, "syntax"
    return rule, priority, "security" if _SECURITY.fullmatch(code) else "lint"


def _fix(fix: dict[str, Any]) -> tuple[tuple[Edit, ...], str]:
    """The edits of a safe fix, and what it does in words."""
    told = strict.json_string(fix["message"] or "", "fix")
    words = f"Fix: {strict.one_line(told)}" if told else ""
    return tuple(map(_edit, fix["edits"])) if fix["applicability"] == "safe" else (), words


def _edit(edit: dict[str, Any]) -> Edit:
    begin, end = edit["location"], edit["end_location"]
    return Edit(
        _line(begin["row"]),
        _line(begin["column"]),
        _line(end["row"]),
        _line(end["column"]),
        strict.json_string(edit["content"], "fix"),
    )
