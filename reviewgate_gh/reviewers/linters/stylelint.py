"""stylelint: style sheets by the project's own rules. It prints absolute paths and one JSON list,
since version 16 on standard error, which may hold other lines, too."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from . import _shared

PROGRAM = "stylelint"
DEFAULT = False
STDERR = True
# https://stylelint.io/user-guide/configure: a program, or one that names plug-ins
EXECUTES_CONFIG = True
ARGS_EXECUTE = True
CONFIG = (".stylelintrc", ".stylelintrc.*", "stylelint.config.*", "package.json")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# https://stylelint.io/user-guide/cli#exit-codes
FOUND_EXITS = (2,)
FILES = ("*.css", "*.scss", "*.less", "*.pcss")
LANGUAGES = ("Less", "PostCSS", "SCSS")  # what is compiled; plain CSS is no code
INSTALL = "install it in the project with `npm install --save-dev stylelint`"

_SYNTAX = "CssSyntaxError"
_MISUSED = ("All rules have already been ", "No rules have been ")  # comments of its own
_UNKNOWN_RULE = "Unknown rule "
# https://stylelint.io/user-guide/rules#avoid-errors, without lists of what there is in a language
# that grows
_LIKELY = (
    "color-no-invalid-hex", "custom-property-no-missing-var-function",
    "declaration-block-no-shorthand-property-overrides", "function-calc-no-unspaced-operator",
    "function-linear-gradient-no-nonstandard-direction", "keyframe-declaration-no-important",
    "named-grid-areas-no-invalid", "no-invalid-double-slash-comments",
    "no-invalid-position-at-import-rule", "no-invalid-position-declaration", "string-no-newline",
)  # fmt: skip


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--formatter=json", "--no-color", "--allow-empty-input"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not stylelint's JSON, or cut short; or its settings name what it does not know.
    """
    report = [line for line in lines if line.startswith(b"[")]
    for file in _shared.json_document(report, list[_File], "stylelint"):
        path = _shared.tool_path(file.source, "source")
        for wrong in file.invalid_option_warnings:
            raise ValueError(f"its settings: {strict.one_line(wrong.text)}")
        if file.ignored:
            yield _shared.left_out("stylelint", path, "its settings leave it out")
        yield from (_finding(row, path) for row in file.warnings)


def spared(finding: Finding) -> bool:
    """Warnings do not change its exit code."""
    return finding.priority is Priority.P3


class _Warning(Struct, frozen=True, rename="camel"):
    line: strict.WholeNumber
    rule: str
    severity: str
    text: str
    column: strict.WholeNumber = 0
    end_line: strict.WholeNumber | None = None
    end_column: strict.WholeNumber = 0


class _Text(Struct, frozen=True):
    text: str


class _File(Struct, frozen=True, rename="camel"):
    source: str
    warnings: tuple[_Warning, ...]
    invalid_option_warnings: tuple[_Text, ...] = ()
    ignored: bool = False


def _finding(row: _Warning, path: str) -> Finding:
    if row.text.startswith(_UNKNOWN_RULE):
        raise ValueError(f"its settings: {strict.one_line(row.text)}")
    broken = row.rule == _SYNTAX and not row.text.startswith(_MISUSED)
    end = max(row.line, row.end_line or 0)
    return strict.tool_finding(
        "stylelint",
        "syntax" if broken else row.rule,
        _priority(row, path, broken),
        path,
        (row.line, end),
        row.text.removesuffix(f" ({row.rule})"),
        category="syntax" if broken else "lint",
        columns=(row.column, row.end_column if row.end_line else 0),
    )


def _priority(row: _Warning, path: str, broken: bool) -> Priority:
    if broken:
        # Where nobody has said which syntax others are in, it reads them as CSS
        return Priority.P0 if path.endswith(".css") else Priority.P3
    return Priority.P2 if row.severity == "error" and row.rule in _LIKELY else Priority.P3
