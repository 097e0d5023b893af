"""terraform: whether the files of a module can be read. One JSON document, with paths relative to
the module.

It only loads the module. All that it says after that needs `terraform init`, which downloads
providers, and these are programs: here it is given no folder in which such could lie, and only the
changed files, so that what counts is a list (`_hcl.py`).
https://developer.hashicorp.com/terraform/cli/commands/validate
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _hcl, _shared

PROGRAM = "terraform"
DEFAULT = False
WHEN_INSTALLED = True
WHOLE_TREE = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = None
# It ends with 1 whatever is missing, and what counts may be nothing of it
CLEAN_EXITS = (0, 1)
FOUND_EXITS = (1,)
FILES = ("*.tf", "*.tf.json")
LANGUAGES = ("Terraform",)
SECONDS = 40.0
# https://developer.hashicorp.com/terraform/cli/config/environment-variables
ENVIRONMENT = {
    "CHECKPOINT_DISABLE": "1",
    "TF_CLI_CONFIG_FILE": "/dev/null",
    "TF_DATA_DIR": "/var/empty/reviewgate-gh",
    "TF_INPUT": "0",
    "TF_IN_AUTOMATION": "1",
}
INSTALL = "install Terraform, see https://developer.hashicorp.com/terraform/install"

# The program is older than the language of the module, and knows no better
_NEWER = ("Unsupported Terraform Core version",)


def fits(path: str, head: bytes) -> bool:
    """Its name is none that a template engine fills in."""
    return "{{" not in path


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command, for one module."""
    return [program, "validate", *args, "-json", "-no-color"]


def folders(root: Path, paths: Sequence[str]) -> list[str]:
    """The modules of the paths."""
    return sorted({path.rpartition("/")[0] for path in paths})


def withheld(root: Path, paths: Sequence[str]) -> frozenset[str]:
    """The files that it is not given of a change of somebody else's."""
    return _hcl.withheld(root, paths)


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not Terraform's JSON, or cut short.
    """
    rows = _shared.json_document(lines, _Document, "terraform").diagnostics
    yield from _hcl.without_echoes(_findings(rows), PROGRAM)


def _findings(rows: Sequence["_Diagnostic"]) -> Iterator[Finding]:
    newer = [row.summary for row in rows if row.summary in _NEWER]
    for row in rows:
        place = row.range if row.severity == "error" and not newer else None
        weight = _hcl.weigh(place.filename, row.summary, row.detail) if place else None
        if weight is None or place is None:
            yield _shared.set_aside("terraform", row.summary)
        else:
            yield _finding(row, place, weight)


class _Position(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Range(Struct, frozen=True):
    filename: str
    start: _Position
    end: _Position


class _Diagnostic(Struct, frozen=True):
    severity: Literal["error", "warning"]
    summary: str
    detail: str = ""
    range: _Range | None = None


class _Document(Struct, frozen=True):
    valid: bool
    diagnostics: tuple[_Diagnostic, ...]


def _finding(row: _Diagnostic, place: _Range, priority: Priority) -> Finding:
    broken = priority is Priority.P0
    # The place of what is missing at the end of a line is the beginning of the next one
    last = place.end.line - (place.end.column == 1)
    return strict.tool_finding(
        "terraform",
        "syntax" if broken else "module",
        priority,
        _shared.tool_path(place.filename, "filename"),
        (place.start.line, max(place.start.line, last)),
        f"{row.summary}: {row.detail}" if row.detail else row.summary,
        category="syntax" if broken else "lint",
    )
