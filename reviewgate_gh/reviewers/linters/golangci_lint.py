"""golangci-lint 2: Go by the project's own choice of linters. It reads whole modules and prints
absolute paths and one JSON document."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "golangci-lint"
DEFAULT = False
EXECUTES_CONFIG = True  # plug-ins of its config, and the compiler runs what the packages ask for
ARGS_EXECUTE = True
WHOLE_TREE = True  # files of several packages cannot be named in one command, so it takes no paths
CONFIG = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (0,)  # --issues-exit-code=0
UNNUMBERED = "(devel)"  # of `go build` in its source tree
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
_PLACED = re.compile(r"^([^\s:][^:\n]*):([0-9]{1,9}):(?:[0-9]+:)? (.+)$", re.MULTILINE)


def takes(path: str, head: bytes) -> bool:
    """Go by its suffix."""
    return path.endswith(".go")


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
    top = strict.json_object(_shared.json_document(lines, "golangci-lint's JSON"), "golangci-lint")
    if "Issues" not in top or "Report" not in top:
        raise ValueError("not golangci-lint's JSON: no Issues or no Report")
    error = strict.json_object(top["Report"], "Report").get("Error")
    if error:
        raise ValueError(
            "golangci-lint says its run failed: "
            f"{strict.one_line(strict.json_string(error, 'Error'))}"
        )
    rows = strict.json_array(top["Issues"] or [], "Issues")
    issues = [
        (strict.json_object(row, f"issue {n}"), f"issue {n}") for n, row in enumerate(rows, 1)
    ]
    found = [_finding(row, where) for row, where in issues if not _errors(row)]
    places = defaultdict(
        list
    )  # of a package that does not compile some errors are issues, too, whose paths are whole
    for issue in found:
        places[replace(issue, path="")].append(f"/{issue.path}")
    apart = (error for row, where in issues for error in _apart(row, where))
    return found + [
        error
        for error in apart
        if not any(path.endswith(f"/{error.path}") for path in places[replace(error, path="")])
    ]


def _errors(row: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Path, line and words of what the compiler says of a package; the issue itself stands at the
    first line of its first file."""
    text = row.get("Text")
    return (
        _PLACED.findall(text)
        if row.get("FromLinter") == _COMPILER and isinstance(text, str) and text.startswith(_BUILD)
        else []
    )


def _apart(row: dict[str, Any], where: str) -> list[Finding]:
    return [
        _finding({**row, "Pos": {"Filename": path, "Line": int(line)}, "Text": text}, where)
        for path, line, text in _errors(row)
    ]


def _finding(row: dict[str, Any], where: str) -> Finding:
    linter = strict.json_string(row.get("FromLinter"), f"{where}: FromLinter")
    place = strict.json_object(row.get("Pos"), f"{where}: Pos")
    span = strict.json_object(row.get("LineRange") or {}, f"{where}: LineRange")
    start = strict.whole_number(place.get("Line"), f"{where}: Line")
    severity = strict.json_string(row.get("Severity") or "", f"{where}: Severity").lower()
    return strict.tool_finding(
        "golangci-lint",
        linter,
        Priority.P1 if linter == _COMPILER else _BY_SEVERITY.get(severity, Priority.P3),
        _shared.tool_path(place.get("Filename"), f"{where}: Filename"),
        (start, max(start, strict.whole_number(span.get("To", start), f"{where}: To"))),
        strict.json_string(row.get("Text"), f"{where}: Text"),
        category="security" if linter in _SECURITY else "lint",
    )
