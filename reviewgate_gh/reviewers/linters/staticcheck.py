"""staticcheck: mistakes in Go, package by package. It prints absolute paths, one JSON object a
line, and nothing for clean packages.

It compiles what a package imports and runs none of it, as go vet (`go_vet.py`). What that says is
left to it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared, go_vet
from ._weights import weight

PROGRAM = "staticcheck"
DEFAULT = False
WHEN_INSTALLED = True
NEEDS_TREE = True
WHOLE_TREE = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # -debug.cpuprofile and its like write a file
# A staticcheck.conf of the work tree may be the change's own, which could switch off everything
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://staticcheck.dev/docs/running-staticcheck/cli/ (`-fail`)
FOUND_EXITS = (1,)
FILES = ("*.go",)
LANGUAGES = ("Go",)
VERSION = ("-version",)
UNNUMBERED = "(devel)"
SECONDS = go_vet.SECONDS
ENVIRONMENT = go_vet.ENVIRONMENT
INSTALL = "install it with `go install honnef.co/go/tools/cmd/staticcheck@latest`"

# https://staticcheck.dev/docs/checks: no style (S, ST, QF), no performance (SA6), no deprecated
# names, nothing that is unused (U), and nothing that go vet finds
_CHECKS = (
    "SA*", "-SA1014", "-SA1017", "-SA1019", "-SA1027", "-SA2000", "-SA2002", "-SA4018", "-SA5008",
    "-SA5009", "-SA6*", "-SA9003",
)  # fmt: skip
_SETTINGS = "config"  # about a `staticcheck.conf` of the project, which it reads though none counts
_COMPILER, _NONE_HERE = "compile", "build constraints exclude all Go files in "
_PLACED = lazy_pattern(r"^(?P<path>[^\s:#][^:\n]*\.go):(?P<line>\d{1,9}):(?:\d+:)? (?P<words>.+)$")
_SYNTAX = "syntax error: "


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command, for one package."""
    return [program, f"-checks={','.join(_CHECKS)}", *args, "-f=json", "."]


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The packages of the paths."""
    return go_vet.folders(root, paths)


def may_leave_out(path: str, data: bytes) -> bool:
    """It leaves out what Go does."""
    return go_vet.may_leave_out(path, data)


def lists(program: str) -> list[str]:
    """Go says what is read; it is asked by staticcheck, too."""
    return go_vet.lists(go_vet.PROGRAM)


def passed_over(out: str, err: str) -> bool:
    """Another system or a tag is meant by each file of the package."""
    try:
        row = strict.checked(strict.load_json(out, "staticcheck's JSON lines"), _Problem, "")
    except ValueError:
        return False
    return row.code == _COMPILER and row.message.startswith(_NONE_HERE)


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of staticcheck's, or a package that it could not load.
    """
    for number, line in enumerate(lines, 1):
        row = strict.checked(
            strict.load_json(line, "staticcheck's JSON lines"), _Problem, f"line {number}"
        )
        if row.code == _COMPILER:
            yield from _compiler(row)
        elif row.code == _SETTINGS and row.location.file:
            yield _unread(row)
            raise ValueError(f"its settings: {strict.one_line(row.message)}")
        elif not row.code.startswith("SA"):
            raise ValueError(f"staticcheck stopped: {strict.one_line(row.message)}")
        else:
            yield _finding(row)


class _Place(Struct, frozen=True):
    file: str
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Problem(Struct, frozen=True):
    code: str
    location: _Place
    message: str
    end: _Place | None = None


def _finding(row: _Problem) -> Finding:
    start = row.location.line
    end = row.end.line if row.end and row.end.file == row.location.file else 0
    return strict.tool_finding(
        "staticcheck",
        row.code,
        weight("staticcheck", row.code) or Priority.P3,
        _shared.tool_path(row.location.file, "file"),
        (start, max(start, end)),
        row.message,
        columns=(row.location.column, 0),
    )


def _unread(row: _Problem) -> Finding:
    """It looks at nothing then, so who breaks the file keeps it from the code."""
    line = row.location.line
    return strict.tool_finding(
        "staticcheck",
        "settings",
        Priority.P2,
        _shared.tool_path(row.location.file, "file"),
        (line, line),
        f"staticcheck cannot read its settings: {row.message}",
    )


def _compiler(row: _Problem) -> list[Finding]:
    """What the compiler says of one package, in one text under its name. Then it has looked at none
    of its files."""
    found = [*map(_error, _placed(row))]
    if not found or row.location.file:
        raise ValueError(f"Go cannot load the package ({strict.one_line(row.message)})")
    return found


def _placed(row: _Problem) -> Iterator[re.Match[str]]:
    return filter(None, map(_PLACED.match, row.message.split("\n")))


def _error(row: re.Match[str]) -> Finding:
    broken, line = row["words"].startswith(_SYNTAX), int(row["line"])
    return strict.tool_finding(
        "staticcheck",
        "syntax" if broken else "types",
        Priority.P0 if broken else Priority.P1,
        _shared.tool_path(row["path"], "file"),
        (line, line),
        row["words"],
        category="syntax" if broken else "lint",
    )
