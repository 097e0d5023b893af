"""mypy: types of Python code. It prints relative paths, one JSON object a line, and nothing for
clean files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "mypy"
DEFAULT = False
# https://mypy.readthedocs.io/en/stable/extending_mypy.html
EXECUTES_CONFIG = True  # `plugins` of its config, and the code of the project's environment
ARGS_EXECUTE = True
CONFIG = ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.py", "*.pyi")
LANGUAGES = ("Python",)
CAUSED_ELSEWHERE = ("mypy/",)
INSTALL = "install it in the project's own environment with `pip install mypy`"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--output=json", "--no-error-summary"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of mypy's.
    """
    for number, line in enumerate(lines, 1):
        yield _finding(
            strict.checked(strict.load_json(line, "mypy's JSON lines"), _Message, f"line {number}")
        )


def spared(finding: Finding) -> bool:
    """Notes alone end with 1 in the versions that were tried (2.4.1), and with 0 where its text
    form counts them as none."""
    return finding.priority > strict.BY_LEVEL["warning"]


class _Message(Struct, frozen=True):
    file: str
    line: int
    message: str
    severity: strict.Level
    code: str | None = None
    hint: str | None = None
    end_line: strict.WholeNumber | None = None


def _finding(row: _Message) -> Finding:
    code, start = row.code or "misc", max(0, row.line)
    broken = code == "syntax"
    return strict.tool_finding(
        "mypy",
        code,
        Priority.P0 if broken else strict.BY_LEVEL[row.severity],
        _shared.tool_path(row.file, "file"),
        (start, max(start, row.end_line or start)),
        row.message,
        category="syntax" if broken else "lint",
        body=row.hint or "",
    )
