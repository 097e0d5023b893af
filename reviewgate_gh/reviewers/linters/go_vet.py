"""go vet: Go, package by package, type errors included. It prints paths relative to the package,
one finding a line, on standard error.

It compiles what a package imports and runs none of it: no cgo, no other toolchain than the one that
is installed (https://go.dev/doc/toolchain), no network.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "go"
DEFAULT = False
WHEN_INSTALLED = True
NEEDS_TREE = True
WHOLE_TREE = True
STDERR = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # -vettool, -toolexec
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.go",)
LANGUAGES = ("Go",)
VERSION = ("version",)
SECONDS = 40.0  # what a package imports may have to be compiled first
ENVIRONMENT = {
    "CGO_ENABLED": "0",
    "GO111MODULE": "auto",
    "GOFLAGS": "-buildvcs=false",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
}
INSTALL = "install Go, and what the module requires with `go mod download`"

# https://pkg.go.dev/cmd/vet: type errors have `vet: ` before them, and each package has a heading
_ROW = lazy_pattern(
    r"(?P<error>vet: )?(?P<path>[^\s:][^:]*\.go):(?P<line>\d{1,9}):(?:\d{1,9}:)? (?P<words>.*)"
    r"|#.*|\t.*|exit status \d+|go: (?:downloading|finding) .*"
)
# https://pkg.go.dev/cmd/go#hdr-Build_constraints
_SYSTEM = lazy_pattern(r"_(?!test\.go\Z)[a-z0-9]+(?:_test)?\.go\Z")
_CONSTRAINED = lazy_pattern(rb'(?m)^//\s*(?:go:build|\+build)\b|^\s*(?:import\s+)?"C"')
_NONE_HERE = lazy_pattern(r"package \S+: build constraints exclude all Go files in [^\n]*")
# It could not read the package, so it has looked at none of its files
_NOT_LOADED = lazy_pattern(
    r"no required module provides|module lookup disabled|missing go\.sum entry|cannot find "
    r"|package \S+ is not in |import cycle not allowed|could not import |use of internal package "
)
_SYNTAX = lazy_pattern(
    r"expected |syntax error|missing |unterminated |illegal |string literal not "
)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command, for one package."""
    return [program, "vet", *args, "."]


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The packages of the paths. Go leaves out test data, and folders that begin with `_` or `.`
    (https://pkg.go.dev/cmd/go#hdr-Package_lists_and_patterns)."""
    return sorted({path.rpartition("/")[0] for path in paths})


def may_leave_out(path: str, data: bytes) -> bool:
    """Its name or its text may mean another system, a tag, or C."""
    return _SYSTEM.search(path) is not None or _CONSTRAINED.search(data) is not None


def lists(program: str) -> list[str]:
    """The command that prints which files of a package are read."""
    kinds = ("GoFiles", "TestGoFiles", "XTestGoFiles")
    rows = "".join(f'{{{{range .{kind}}}}}{{{{.}}}}{{{{"\\n"}}}}{{{{end}}}}' for kind in kinds)
    return [program, "list", "-e", "-f", rows, "."]


def passed_over(out: str, err: str) -> bool:
    """Another system or a tag is meant by each file of the package."""
    return _NONE_HERE.fullmatch(err.strip()) is not None


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: a line that is not one of go vet's, or a package that it could not load.
    """
    for row in _shared.text_rows(lines, _ROW, "go vet"):
        if not row["path"]:
            continue
        words = row["words"]
        if _NOT_LOADED.search(words):
            raise ValueError(
                f"go cannot load the package ({strict.one_line(row[0])}): run `go mod download`"
            )
        broken = row["error"] is not None and _SYNTAX.match(words) is not None
        yield strict.tool_finding(
            "go-vet",
            "syntax" if broken else "types" if row["error"] else "vet",
            Priority.P0 if broken else Priority.P1 if row["error"] else Priority.P2,
            _shared.tool_path(row["path"], "file"),
            (int(row["line"]), int(row["line"])),
            words,
            category="syntax" if broken else "lint",
        )
