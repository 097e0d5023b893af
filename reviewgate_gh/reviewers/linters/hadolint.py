"""hadolint: Dockerfiles. It prints paths as given and one JSON list in every case."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "hadolint"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".hadolint.yaml", ".hadolint.yml")
DEFAULT_CONFIG: str | None = "hadolint-defaults.yaml"
CLEAN_EXITS = (0,)
# https://github.com/hadolint/hadolint/blob/master/README.md
FOUND_EXITS = (0,)  # --no-fail
FILES = (
    "Dockerfile",
    "Dockerfile.*",
    "*.Dockerfile",
    "*.dockerfile",
    "Containerfile",
    "Containerfile.*",
)
LANGUAGES = ("Dockerfile",)
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

# Another program makes a Dockerfile of these
_TEMPLATES = (
    ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".erb", ".ejs", ".hbs", ".mustache",
    ".in", ".gotmpl", ".twig",
)  # fmt: skip
_UNPARSED = "DL1000"
# https://github.com/hadolint/hadolint#rules: those after which no image is built
_CERTAIN = ("DL3011", "DL3021", "DL3023", "DL3024", "DL3043", "DL3061")
_LIKELY = ("DL3012", "DL3044", "DL4003", "DL4004")
_ADVICE = ("DL3000", "DL3020", "DL4000")  # errors to hadolint
# `COPY a b .` works: https://docs.docker.com/reference/dockerfile/#destination
_SLASH, _TO_FOLDER = "hadolint/DL3021", lazy_pattern(rb"(?:\s|\")\.{1,2}\"?\s*\]?\s*\Z")


def fits(path: str, head: bytes) -> bool:
    """It is none of a template's."""
    return not path.endswith(_TEMPLATES)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, *ours, *args, "--no-fail", "--format=json", "--no-color"]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not hadolint's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Result], "hadolint")]


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; the folder where one is needs no slash."""
    if finding.rule != _SLASH:
        return finding
    rows = read().split(b"\n")[finding.line_start - 1 :]
    last = next((row for row in rows if not row.rstrip().endswith(b"\\")), b"")
    return replace(finding, priority=Priority.P3) if _TO_FOLDER.search(last) else finding


class _Result(Struct, frozen=True):
    code: str
    level: strict.Level
    file: str
    line: strict.WholeNumber
    message: str
    column: strict.WholeNumber = 0


def _finding(row: _Result) -> Finding:
    broken = row.code == _UNPARSED
    return strict.tool_finding(
        "hadolint",
        row.code,
        _priority(row),
        _shared.tool_path(row.file, "file"),
        (row.line, row.line),
        row.message,
        category="syntax" if broken else "lint",
        columns=(row.column, 0),
    )


def _priority(row: _Result) -> Priority:
    if row.code == _UNPARSED:
        return Priority.P0
    if row.code in _CERTAIN:
        return Priority.P1
    wrong = row.code in _LIKELY or (row.level == "error" and row.code not in _ADVICE)
    return Priority.P2 if wrong else Priority.P3
