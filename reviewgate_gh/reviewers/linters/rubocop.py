"""RuboCop: Ruby; without settings of the project, mistakes alone. It prints relative paths and one
JSON document in every case."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "rubocop"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # --require
CONFIG = (".rubocop.yml", ".rubocop")
DEFAULT_CONFIG: str | None = "rubocop-defaults.yml"
CLEAN_EXITS = (0,)
# https://docs.rubocop.org/rubocop/usage/basic_usage.html#exit-codes
FOUND_EXITS = (1,)
FILES = (
    "*.rb",
    "*.rake",
    "*.gemspec",
    "Rakefile",
    "Gemfile",
    "Vagrantfile",
    "Guardfile",
    "Capfile",
)
LANGUAGES = ("Ruby",)
INSTALL = "install it in the project with `bundle add rubocop`"

_BY_SEVERITY = {
    "info": Priority.P3, "refactor": Priority.P3, "convention": Priority.P3,
    "warning": Priority.P3, "error": Priority.P2, "fatal": Priority.P2,
}  # fmt: skip
# Its parser is that of a fixed version of Ruby, which may be older than the code
_SYNTAX = "Lint/Syntax"
# What a generator fills in: https://docs.ruby-lang.org/en/master/ERB.html
_TEMPLATE = lazy_pattern(rb"<%=?[^\n%]*%>")
_LIKELY = (
    "Lint/BinaryOperatorWithIdenticalOperands", "Lint/CircularArgumentReference",
    "Lint/DuplicateCaseCondition", "Lint/DuplicateHashKey", "Lint/DuplicateMethods",
    "Lint/EachWithObjectArgument", "Lint/FloatOutOfRange", "Lint/FormatParameterMismatch",
    "Lint/IdentityComparison", "Lint/RaiseException", "Lint/SelfAssignment",
    "Lint/UnreachableCode", "Lint/UnreachableLoop",
    "Security/Eval", "Security/MarshalLoad", "Security/Open", "Security/YAMLLoad",
)  # fmt: skip


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, *ours, *args, "--format=json", "--force-exclusion", "--cache=false",
            "--no-color"]  # fmt: skip


def executes(data: bytes) -> bool:
    """Any: the settings are a template with Ruby in it, and name code to load
    (https://docs.rubocop.org/rubocop/configuration.html#pre-processing)."""
    return True


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not RuboCop's JSON, or cut short.
    """
    return [
        _finding(row, _shared.tool_path(file.path, "path"))
        for file in _shared.json_document(lines, _Document, "RuboCop").files
        for row in file.offenses
    ]


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; that a template is no Ruby weighs little."""
    if finding.category == "syntax" and _TEMPLATE.search(read()):
        return replace(finding, priority=Priority.P3)
    return finding


class _Location(Struct, frozen=True):
    start_line: strict.WholeNumber
    last_line: strict.WholeNumber
    start_column: strict.WholeNumber = 0
    last_column: strict.WholeNumber = 0


class _Offense(Struct, frozen=True):
    severity: Literal["info", "refactor", "convention", "warning", "error", "fatal"]
    message: str
    cop_name: str
    location: _Location


class _File(Struct, frozen=True):
    path: str
    offenses: tuple[_Offense, ...]


class _Document(Struct, frozen=True):
    files: tuple[_File, ...]


def _finding(row: _Offense, path: str) -> Finding:
    broken, place = row.cop_name == _SYNTAX, row.location
    return strict.tool_finding(
        "rubocop",
        row.cop_name,
        Priority.P2 if row.cop_name in _LIKELY else _BY_SEVERITY[row.severity],
        path,
        (place.start_line, max(place.start_line, place.last_line)),
        row.message,
        category="syntax" if broken else "lint",
        columns=(place.start_column, place.last_column + 1 if place.last_column else 0),
    )
