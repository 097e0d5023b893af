"""TFLint: Terraform; without settings of the project, mistakes within a file. One JSON document,
with paths relative to the module."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _hcl, _shared

PROGRAM = "tflint"
DEFAULT = False
WHEN_INSTALLED = True
WHOLE_TREE = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # --enable-plugin, --config
CONFIG = (".tflint.hcl", ".tflint.json")
DEFAULT_CONFIG: str | None = "tflint-defaults.hcl"
CLEAN_EXITS = (0,)
# https://github.com/terraform-linters/tflint/blob/master/docs/user-guide/environment_variables.md
# and `tflint --help`: 1 is an error, 2 is an issue. A file that does not parse is an error, too.
FOUND_EXITS = (1, 2)
FILES = ("*.tf", "*.tf.json")
LANGUAGES = ("Terraform",)
SECONDS = 40.0
# Else it asks GitHub which its newest release is:
# https://github.com/terraform-linters/tflint/blob/master/docs/user-guide/environment_variables.md
ENVIRONMENT = {"TFLINT_DISABLE_VERSION_CHECK": "1"}
INSTALL = "install TFLint, see https://github.com/terraform-linters/tflint"

_LIKELY = ("terraform_empty_list_equality", "terraform_map_duplicate_keys")


def fits(path: str, head: bytes) -> bool:
    """Its name is none that a template engine fills in."""
    return "{{" not in path


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command, for one module."""
    ours = [f"--config={config}"] if config else []
    return [program, *ours, *args, "--format=json", "--no-color"]


def executes(data: bytes) -> bool:
    """Any: the settings name plug-ins, and a program `tflint-ruleset-terraform` in the project's
    `.tflint.d/plugins` takes the place of the rules that TFLint has itself
    (https://github.com/terraform-linters/tflint/blob/master/docs/user-guide/plugins.md)."""
    return True


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The modules of the paths."""
    return sorted({path.rpartition("/")[0] for path in paths})


def withheld(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """The files that it is not given of a change of somebody else's."""
    return _hcl.withheld(root, paths)


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings. After an error it has looked at nothing of the module.

    Raises:
        ValueError: not TFLint's JSON, cut short, or an error that is none of the module's.
    """
    document = _shared.json_document(lines, _Document, "TFLint")
    yield from map(_issue, document.issues)
    yield from _hcl.without_echoes(map(_error, document.errors), "tflint")


class _Position(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Range(Struct, frozen=True):
    filename: str
    start: _Position
    end: _Position

    @property
    def lines(self) -> tuple[int, int]:
        """First and last."""
        return self.start.line, max(self.start.line, self.end.line - (self.end.column == 1))


class _Rule(Struct, frozen=True):
    name: str
    severity: Literal["error", "warning", "info"]


class _Issue(Struct, frozen=True):
    rule: _Rule
    message: str
    range: _Range


class _Error(Struct, frozen=True):
    message: str
    summary: str = ""
    range: _Range | None = None


class _Document(Struct, frozen=True):
    issues: tuple[_Issue, ...]
    errors: tuple[_Error, ...]


def _issue(row: _Issue) -> Finding:
    return strict.tool_finding(
        "tflint",
        row.rule.name,
        Priority.P2 if row.rule.name in _LIKELY or row.rule.severity == "error" else Priority.P3,
        _shared.tool_path(row.range.filename, "filename"),
        row.range.lines,
        row.message,
    )


def _error(row: _Error) -> Finding:
    weight = _hcl.weigh(row.range.filename, row.summary, row.message) if row.range else None
    if weight is None or row.range is None or not row.range.filename.endswith((".tf", ".tf.json")):
        raise ValueError(f"TFLint stopped: {strict.one_line(f'{row.summary} {row.message}')}")
    broken = weight is Priority.P0
    return strict.tool_finding(
        "tflint",
        "syntax" if broken else "module",
        weight,
        _shared.tool_path(row.range.filename, "filename"),
        row.range.lines,
        f"{row.summary}: {row.message}",
        category="syntax" if broken else "lint",
    )
