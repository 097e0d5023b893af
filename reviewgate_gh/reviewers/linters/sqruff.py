"""sqruff: SQL. It prints paths as given and one JSON object in every case.

A file's name does not tell the dialect of its SQL, so it runs where the project configures it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "sqruff"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --library-path, and a configuration that they name
# It takes sqlfluff's for its own, though not each of its rules and templates
CONFIG = (".sqruff", ".sqruff.ini", "sqruff.toml", ".sqlfluff", "pyproject.toml")
DEFAULT_CONFIG: str | None = None
ACCEPTED = (".sqruffignore", ".sqlfluffignore")
CLEAN_EXITS = (0, 1)  # 1 also for a file that it does not read
FOUND_EXITS = (1,)
FILES = ("*.sql",)
LANGUAGES = ("SQL",)
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`, name the dialect in `.sqruff`"

_OF_SQLFLUFF = ".sqlfluff"
# https://github.com/quarylabs/sqruff/blob/main/docs/content/docs/reference/templaters.md
_TEMPLATER = lazy_pattern(
    rb"(?im)^\s*templater\s*[=:]\s*[\"']?(?!raw\b|placeholder\b)\w"
    rb"|\b(?:library_path|load_macros_from_path|project_dir|profiles_dir)\b"
)
_UNLEXED = "LXR"
_LIKELY = ("AL04", "CV05", "RF01")  # an alias twice, `= NULL`, a table that the query does not name


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "lint", *args, "--format=json", "--parsing-errors", "--nocolor"]


def alone(paths: Sequence[str]) -> list[str]:
    """The words with which it takes the project's settings and none of the machine's: it looks for
    more in the home and in all folders above, and mixes them. It can only be given one file."""
    if len(paths) != 1 or "/" in paths[0]:
        return []
    return ["--ignore-local-config", f"--config={paths[0]}"]


def configures(path: str, data: bytes) -> bool:
    """All but sqlfluff's, which is another program's."""
    return _shared.base_name(path) != _OF_SQLFLUFF


def executes(data: bytes) -> bool:
    """Settings of templates: those are programs, and load the project's modules."""
    return _TEMPLATER.search(data) is not None


def crashed(err: str) -> str:
    """Why it came to no end: it ends with 1 then, too."""
    last = err.splitlines()[-1]
    return last if last.startswith(("pyo3_runtime.", "Unknown ", "Error ", "Error:")) else ""


def answered(lines: Iterable[bytes]) -> list[str]:
    """The files that it has read: those that the project leaves out do not stand in its answer."""
    return [*_document(lines)]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings; of what it cannot parse the first of each file, since those that follow come of
    it.

    Raises:
        ValueError: not sqruff's JSON, or cut short.
    """
    for name, rows in _document(lines).items():
        path, broken = _shared.tool_path(name, "path"), False
        for row in rows:
            unparsed = not row.code or row.code == _UNLEXED
            if unparsed and not row.range.start.line:
                yield _shared.left_out("sqruff", path, row.message)
            elif unparsed and broken:
                yield _shared.set_aside("sqruff", row.message)
            else:
                yield _finding(path, row, unparsed)
            broken |= unparsed


class _Point(Struct, frozen=True):
    line: strict.WholeNumber
    character: strict.WholeNumber = 0


class _Range(Struct, frozen=True):
    start: _Point


class _Violation(Struct, frozen=True):
    range: _Range
    message: str
    code: str | None = None


def _document(lines: Iterable[bytes]) -> dict[str, tuple[_Violation, ...]]:
    return _shared.json_document(lines, dict[str, tuple[_Violation, ...]], "sqruff")


def _finding(path: str, row: _Violation, unparsed: bool) -> Finding:
    """Its grammars lack some of their dialects: of 518 migrations that work, it cannot parse
    four."""
    start = row.range.start
    return strict.tool_finding(
        "sqruff",
        "syntax" if unparsed else row.code or "",
        Priority.P2 if unparsed or row.code in _LIKELY else Priority.P3,
        path,
        (start.line, start.line),
        row.message,
        category="syntax" if unparsed else "lint",
        columns=(start.character, 0),
    )
