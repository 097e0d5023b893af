"""PHPStan: types of PHP code, by the project's own level. It prints absolute paths and one JSON
document wherever it comes to its end."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "phpstan"
DEFAULT = False
# https://phpstan.org/config-reference#bootstrap, and the autoloader of the project
EXECUTES_CONFIG = True
ARGS_EXECUTE = True  # --autoload-file, --configuration
CONFIG = (
    "phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon",
    ".phpstan.neon", ".phpstan.neon.dist", ".phpstan.dist.neon",
)  # fmt: skip
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = ("*.php",)
LANGUAGES = ("PHP",)
CAUSED_ELSEWHERE = ("phpstan/",)
INSTALL = "install it in the project with `composer require --dev phpstan/phpstan`"

# https://phpstan.org/error-identifiers
_UNPARSED = "phpstan.parse"
_CANNOT_WORK = (".notFound", ".unknown")
_CALL = "arguments.count"
_ADVICE = ("ignore.", "missingType.", "phpDoc.", "phpstan.")
_HINTS = (
    ".alwaysFalse", ".alwaysTrue", ".deprecated", ".internal", ".unused", ".unresolvableType",
)  # fmt: skip
_IN_CLASS = lazy_pattern(r" \(in context of .*\)\Z")  # of a trait


def fits(path: str, head: bytes) -> bool:
    """It is none of Blade's templates."""
    return not path.endswith(".blade.php")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "analyse", *args, "--error-format=json", "--no-progress", "--no-ansi",
            "--no-interaction"]  # fmt: skip


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not PHPStan's JSON, or cut short; or it failed in the middle.
    """
    document = _shared.json_document(lines, _Document, "PHPStan")
    if document.errors:
        raise ValueError(f"PHPStan failed: {strict.one_line(document.errors[0])}")
    if isinstance(document.files, dict):
        for name, file in document.files.items():
            path = _shared.tool_path(_IN_CLASS.sub("", name), "file")
            yield from (_finding(row, path) for row in file.messages)


class _Message(Struct, frozen=True):
    message: str
    line: strict.WholeNumber | None = None
    tip: str = ""
    identifier: str = ""


class _File(Struct, frozen=True):
    messages: tuple[_Message, ...]


class _Document(Struct, frozen=True):
    files: dict[str, _File] | tuple[()]  # PHP writes an empty table as a list
    errors: tuple[str, ...]


def _finding(row: _Message, path: str) -> Finding:
    broken, line = row.identifier == _UNPARSED, row.line or 0
    return strict.tool_finding(
        "phpstan",
        "syntax" if broken else row.identifier or "error",
        _priority(row.identifier),
        path,
        (line, line),
        row.message,
        category="syntax" if broken else "lint",
        body=row.tip,
        page=f"https://phpstan.org/error-identifiers/{row.identifier}" if row.identifier else "",
    )


def _priority(identifier: str) -> Priority:
    if identifier == _UNPARSED:
        return Priority.P0
    if identifier == _CALL or identifier.endswith(_CANNOT_WORK):
        return Priority.P1
    if identifier.startswith(_ADVICE) or identifier.endswith(_HINTS):
        return Priority.P3
    return Priority.P2
