"""clippy: Rust, package by package, with what the compiler says; `cargo check` where clippy is not
installed. One JSON object a line, the last of which says that the build is over; paths are relative
to the workspace.

It runs the project's build scripts and procedural macros, and what `.cargo/config.toml` names.
"""

import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "cargo"
DEFAULT = False
# https://doc.rust-lang.org/cargo/reference/build-scripts.html
EXECUTES_CONFIG = True
ARGS_EXECUTE = True
WHOLE_TREE = True
CONFIG = ("clippy.toml", ".clippy.toml", "Cargo.toml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://doc.rust-lang.org/cargo/commands/cargo-check.html#exit-status: any failure is 101
FOUND_EXITS = (101,)
FILES = ("*.rs",)
LANGUAGES = ("Rust",)
CAUSED_ELSEWHERE = ("clippy/E",)
ENVIRONMENT = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "RUSTUP_AUTO_INSTALL": "0"}
INSTALL = "install it with `rustup component add clippy`"

_LINT = "clippy::"
# An error of the parser has no code, as one that a macro of the project writes
_SYNTAX = lazy_pattern(
    r"(?:expected|unexpected|unclosed|unmatched|mismatched|unterminated|unknown start of token"
    r"|this file contains an unclosed|prefix .* is unknown|missing .* (?:for|in) )"
)
# Those of the lexer have one: https://doc.rust-lang.org/error_codes/error-index.html
_LEXER = ("E0748", "E0758", "E0762", "E0763", "E0765", "E0766", "E0768")
_CERTAIN = lazy_pattern(r"`#\[(?:deny|forbid)\(.*\)\]`.* on by default")
_ABOUT_ERRORS = ("aborting due to ", "For more information about")


def configures(path: str, data: bytes) -> bool:
    """Cargo.toml with a table of lints for clippy
    (https://doc.rust-lang.org/cargo/reference/manifest.html#the-lints-section), or a file of
    clippy's own."""
    if not path.endswith("Cargo.toml"):
        return True
    manifest = _toml(data)
    return any(
        isinstance(lints := _table(owner, "lints"), dict) and "clippy" in lints
        for owner in (manifest, _table(manifest, "workspace"))
    )


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command, for one workspace. It writes beside the user's other caches, and neither
    into the work tree nor the lock file."""
    beside = os.path.join(os.path.dirname(program), "cargo-clippy")
    command = "clippy" if os.path.exists(beside) else "check"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return [program, command, *args, "--workspace", "--all-targets", "--keep-going", "--offline",
            "--locked", "--quiet", "--message-format=json",
            f"--target-dir={cache}/reviewgate-gh/cargo"]  # fmt: skip


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The workspaces that hold the paths."""
    return sorted({_workspace(root, path.split("/")[:-1]) for path in paths})


def _workspace(root: Path, parts: Sequence[str]) -> str:
    """The nearest package, or the workspace above that does not leave it out: a package names its
    files by the way from there
    (https://doc.rust-lang.org/cargo/reference/workspaces.html#the-members-and-exclude-fields)."""
    package = ""
    for depth in range(len(parts), -1, -1):
        folder = "/".join(parts[:depth])
        try:
            manifest = _toml((root / folder / "Cargo.toml").read_bytes())
        except OSError:
            continue
        package = package or folder or "."
        workspace = manifest.get("workspace")
        if isinstance(workspace, dict):
            inner = os.path.relpath(package, folder or ".")
            out = [str(each).strip("/") for each in workspace.get("exclude", ())]
            left_out = any(inner == each or inner.startswith(f"{each}/") for each in out)
            return os.path.normpath(package if left_out else folder or ".").removeprefix(".")
    return package.removeprefix(".")


def _toml(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except ValueError:
        return {}


def _table(owner: Any, name: str) -> Any:
    return owner.get(name) if isinstance(owner, dict) else None


def why(err: str) -> str:
    """The line that says what is wrong: hints follow it."""
    rows = err.splitlines()
    return next((row for row in rows if row.startswith("error")), rows[-1])


def spared(finding: Finding) -> bool:
    """Warnings do not end the build; what is an error by default does."""
    return finding.priority > Priority.P2


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, each once: a file may belong to a library and to its tests.

    Raises:
        ValueError: not cargo's JSON lines, or cut short; or an error that has no place.
    """
    said, certain, over = set[Finding](), set[str](), False
    rows = (row for line in lines for row in line.splitlines(keepends=True))
    for number, line in enumerate(rows, 1):
        if not line.endswith(b"\n"):
            raise ValueError(f"not cargo's JSON lines: line {number} has no end")
        row = strict.checked(strict.load_json(line, "cargo's JSON lines"), _Row, f"line {number}")
        over = over or row.reason == "build-finished"
        if row.reason == "compiler-message":
            if row.message is None:
                raise ValueError(f"not cargo's JSON lines: line {number} has no message")
            found = _finding(row.message, certain)
            if found and found not in said:
                said.add(found)
                yield found
    if not over:
        raise ValueError("not cargo's JSON lines: the build did not come to its end")


class _Expansion(Struct, frozen=True):
    span: "_Span"


class _Span(Struct, frozen=True):
    file_name: str
    line_start: strict.WholeNumber
    line_end: strict.WholeNumber
    is_primary: bool
    column_start: strict.WholeNumber = 0
    expansion: _Expansion | None = None


class _Code(Struct, frozen=True):
    code: str


class _Note(Struct, frozen=True):
    message: str


class _Message(Struct, frozen=True):
    message: str
    level: str
    spans: tuple[_Span, ...]
    code: _Code | None = None
    children: tuple[_Note, ...] = ()


class _Row(Struct, frozen=True):
    reason: str
    message: _Message | None = None


def _finding(row: _Message, certain: set[str]) -> Finding | None:
    """`certain` are the lints that are errors by default: the compiler says so once of each."""
    code = row.code.code if row.code else ""
    if any(_CERTAIN.search(note.message) for note in row.children):
        certain.add(code)
    place = next(filter(None, (_own(span) for span in row.spans if span.is_primary)), None)
    is_error = row.level.startswith("error")
    if place is None:
        if is_error and not row.message.startswith(_ABOUT_ERRORS):
            raise ValueError(f"cargo cannot build it: {strict.one_line(row.message)}")
        return None
    broken = is_error and (code in _LEXER or (not code and _SYNTAX.match(row.message) is not None))
    return strict.tool_finding(
        "clippy",
        "syntax" if broken else (code.removeprefix(_LINT) or "build"),
        _priority(code, broken, is_error, code in certain),
        _shared.tool_path(place.file_name, "file_name"),
        (place.line_start, max(place.line_start, place.line_end)),
        row.message,
        category="syntax" if broken else "lint",
        columns=(place.column_start, 0),
    )


def _own(span: _Span) -> _Span | None:
    """The place in the project's own code; of a macro of another's that is where it is used."""
    here: _Span | None = span
    while here and here.file_name.startswith(("/", "<")):
        here = here.expansion.span if here.expansion else None
    return here


def _priority(code: str, broken: bool, is_error: bool, is_certain: bool) -> Priority:
    if broken:
        return Priority.P0
    if is_error and (not code or (code.startswith("E") and code[1:].isdecimal())):
        return Priority.P1
    return Priority.P2 if is_certain else Priority.P3
