"""golangci-lint 2: Go by the project's own choice of linters. It reads whole modules and prints
absolute paths and one JSON document."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "golangci-lint"
DEFAULT = False
# https://golangci-lint.run/docs/plugins/go-plugins/
EXECUTES_CONFIG = True  # plug-ins of its config, and the compiler runs what the packages ask for
ARGS_EXECUTE = True
WHOLE_TREE = True  # files of several packages cannot be named in one command, so it takes no paths
CONFIG = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://golangci-lint.run/docs/configuration/cli/
FOUND_EXITS = (0,)  # --issues-exit-code=0
UNNUMBERED = "(devel)"  # of `go build` in its source tree
FILES = ("*.go",)
LANGUAGES = ("Go",)
INSTALL = "install version 2.1 or newer, see https://golangci-lint.run"

_BY_SEVERITY = {
    "error": Priority.P1,
    "high": Priority.P1,
    "warning": Priority.P2,
    "medium": Priority.P2,
    "": Priority.P2,
}
_COMPILER = "typecheck"
_SECURITY = ("gosec",)
_BUILD = (
    ": # "  # how the text of an issue begins that holds all that the compiler says of one package
)
_PLACED = lazy_pattern(r"^([^\s:][^:\n]*):([0-9]{1,9}):(?:[0-9]+:)? (.+)$", re.MULTILINE)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command."""
    report = [
        "--output.json.path=stdout",
        "--show-stats=false",
        "--issues-exit-code=0",
        "--max-issues-per-linter=0",
        "--max-same-issues=0",
    ]
    return [
        program,
        "run",
        *args,
        *report,
        "--path-mode=abs",
        "--fix=false",
        "--color=never",
        "./...",
    ]


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The modules that hold the paths: of another module than the one that it runs in, it reads
    nothing and says nothing."""
    return sorted({_module(root, path.split("/")[:-1]) for path in paths})


def _module(root: Path, parts: Sequence[str]) -> str:
    """The nearest folder with a go.mod, or the root. Go looks into no folder of test data, nor into
    `_` and `.` ones."""
    seen = next(
        (
            depth
            for depth, part in enumerate(parts)
            if part == "testdata" or part.startswith(("_", "."))
        ),
        len(parts),
    )
    modules = (
        depth
        for depth in range(seen, 0, -1)
        if (root / "/".join(parts[:depth]) / "go.mod").is_file()
    )
    return "/".join(parts[: next(modules, 0)])


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not golangci-lint's JSON, cut short, or a run that failed.
    """
    document = _shared.json_document(lines, _Document, "golangci-lint")
    if document.report.error:
        raise ValueError(
            f"golangci-lint says its run failed: {strict.one_line(document.report.error)}"
        )
    issues = document.issues or ()
    found = [_finding(issue) for issue in issues if not _errors(issue)]
    # Of a package that does not compile some errors are issues, too, whose paths are whole
    places = defaultdict(list)
    for issue in found:
        places[replace(issue, path="")].append(f"/{issue.path}")
    apart = (error for issue in issues for error in _apart(issue))
    return found + [
        error
        for error in apart
        if not any(path.endswith(f"/{error.path}") for path in places[replace(error, path="")])
    ]


class _Place(Struct, frozen=True, rename="pascal"):
    filename: str
    line: strict.WholeNumber


class _Lines(Struct, frozen=True, rename="pascal"):
    to: strict.WholeNumber = 0


class _Issue(Struct, frozen=True, rename="pascal"):
    from_linter: str
    text: str
    pos: _Place
    severity: str | None = None
    line_range: _Lines | None = None


class _Report(Struct, frozen=True, rename="pascal"):
    error: str | None = None


class _Document(Struct, frozen=True, rename="pascal"):
    issues: tuple[_Issue, ...] | None
    report: _Report


def _errors(issue: _Issue) -> list[tuple[str, str, str]]:
    """Path, line and words of what the compiler says of a package; the issue itself stands at the
    first line of its first file."""
    return (
        _PLACED.findall(issue.text)
        if issue.from_linter == _COMPILER and issue.text.startswith(_BUILD)
        else []
    )


def _apart(issue: _Issue) -> list[Finding]:
    return [
        _finding(replace(issue, pos=_Place(path, int(line)), text=text))
        for path, line, text in _errors(issue)
    ]


def _finding(issue: _Issue) -> Finding:
    linter, start = issue.from_linter, issue.pos.line
    severity = (issue.severity or "").lower()
    return strict.tool_finding(
        "golangci-lint",
        linter,
        Priority.P1 if linter == _COMPILER else _BY_SEVERITY.get(severity, Priority.P3),
        _shared.tool_path(issue.pos.filename, "Filename"),
        (start, max(start, issue.line_range.to if issue.line_range else 0)),
        issue.text,
        category="security" if linter in _SECURITY else "lint",
    )
