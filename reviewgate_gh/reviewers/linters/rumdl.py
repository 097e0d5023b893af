"""rumdl: Markdown. It prints paths as given and one JSON list in every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "rumdl"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False  # but for code-block tools, which are switched off
ARGS_EXECUTE = True
CONFIG = (".rumdl.toml", "rumdl.toml", "pyproject.toml", ".markdownlint.json",
          ".markdownlint.yaml", ".markdownlint.yml", ".markdownlint.jsonc")  # fmt: skip
DEFAULT_CONFIG: str | None = "rumdl-defaults.toml"
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.md", "*.markdown")
ANY_CASE = True
LANGUAGES: tuple[str, ...] = ()  # prose is no code
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, "check", *ours, *args, "--output-format=json", "--no-cache",
            "--no-code-block-tools", "--color=never", "--quiet"]  # fmt: skip


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not rumdl's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, list[_Warning], "rumdl")]


class _Warning(Struct, frozen=True):
    file: str
    line: strict.WholeNumber
    rule: str | None
    message: str
    column: strict.WholeNumber = 0


def _finding(row: _Warning) -> Finding:
    return strict.tool_finding(
        "rumdl",
        row.rule or "",
        Priority.P3,
        _shared.tool_path(row.file, "file"),
        (row.line, row.line),
        row.message,
        category="documentation",
        columns=(row.column, 0),
    )
