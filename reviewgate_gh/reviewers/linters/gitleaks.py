"""gitleaks: secrets. It reads a folder and prints relative paths and one JSON list in every case,
secrets cut out."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "gitleaks"
DEFAULT = False
EXECUTES_CONFIG = False
ARGS_EXECUTE = False
WHOLE_TREE = True  # of several paths it reads none, but the folder that it runs in
CONFIG = (".gitleaks.toml",)
ACCEPTED = (".gitleaksignore",)
DEFAULT_CONFIG: str | None = "gitleaks.toml"
CLEAN_EXITS = (0,)
# https://github.com/gitleaks/gitleaks/blob/master/README.md
FOUND_EXITS = (0,)  # --exit-code=0
UNNUMBERED = "version is set by build process"  # of `go install`
FILES = ("*",)
LANGUAGES: tuple[str, ...] = ()  # it looks for secrets, and reviews no code
INSTALL = "install it from https://github.com/gitleaks/gitleaks/releases (8.22 or newer)"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command.

    The config is named, because it looks for one only beside a folder that it is given.
    """
    report = ["--report-format=json", "--report-path=-", "--redact", "--exit-code=0"]
    return [
        program,
        "dir",
        f"--config={config or CONFIG[0]}",
        *args,
        *report,
        "--no-banner",
        "--no-color",
    ]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings; the fields that quote the secret are not read.

    Raises:
        ValueError: not gitleaks' JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Leak], "gitleaks")]


class _Leak(Struct, frozen=True, rename="pascal"):
    description: str
    file: str
    rule_id: str = field(name="RuleID")
    start_line: strict.WholeNumber
    end_line: strict.WholeNumber | None = None


def _finding(row: _Leak) -> Finding:
    return strict.tool_finding(
        "gitleaks",
        row.rule_id,
        Priority.P0,
        _shared.tool_path(row.file, "File"),
        (row.start_line, row.start_line if row.end_line is None else row.end_line),
        row.description,
        category="secret",
    )
