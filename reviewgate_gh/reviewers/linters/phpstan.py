"""PHPStan: types of PHP code, by the project's own level. It prints absolute paths and one JSON
document wherever it comes to its end, and how far it is on standard error.

Where it cannot read one file, it says only that, and nothing of the others.
"""

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
CLEAN_EXITS = (0, 1)  # 1 beside a file that it could not analyse
FOUND_EXITS = (1,)
ROWS = True
COUNTS_ASIDE = True  # on standard error, by its progress bar
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
# It broke while it analysed the file
_UNREAD = ("phpstan.internal", "phpstan.path", "phpstan.reflection")
_PROGRESS = lazy_pattern(rb" (\d{1,9})/(\d{1,9}) \[")
_NO_FILES = "No files found to analyse"
_STOPPED = "Result is incomplete because of severe errors"
_BESIDE = lazy_pattern(r"Note: Using configuration |In \w+\.php line \d+:|analyse \[|.*\d+/\d+ \[")
_IN_CLASS = lazy_pattern(r" \(in context of .*\)\Z")  # of a trait


def fits(path: str, head: bytes) -> bool:
    """It is none of Blade's templates."""
    return not path.endswith(".blade.php")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "analyse", *args, "--error-format=json", "--no-ansi", "--no-interaction"]


def passed_over(out: str, err: str) -> bool:
    """The settings leave out each of the files: it ends with 1 then."""
    return not out.strip() and _NO_FILES in err


def counts(lines: Iterable[bytes]) -> int:
    """How many of the files that it was given it has read: it does not name those that its settings
    leave out.

    Raises:
        ValueError: it does not say.
    """
    found = [bar for line in lines for bar in _PROGRESS.finditer(line)]
    if not found:
        raise ValueError("PHPStan does not say how many files it read")
    return int(found[-1][1])


def stopped(err: str) -> bool:
    """It says only which files stopped it, and nothing of the others."""
    return _STOPPED in err


def why(err: str) -> str:
    """What it says between the name of its settings and its usage."""
    said = [line.strip() for line in err.splitlines()]
    return " ".join(line for line in said if line and not _BESIDE.match(line)) or said[-1]


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
    if row.identifier in _UNREAD:
        return _shared.left_out("phpstan", path, strict.one_line(row.message))
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
