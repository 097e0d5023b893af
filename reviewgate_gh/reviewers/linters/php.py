"""php: whether PHP compiles, file by file; nothing of it runs. It prints paths as given, and the
last line says of each file how it went."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.coverage import ReadDepth
from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "php"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ONE_BY_ONE = True  # https://www.php.net/manual/en/features.commandline.options.php: before PHP 8.3
ARGS_EXECUTE = True  # -d auto_prepend_file, -z
CONFIG: tuple[str, ...] = ()
DEFAULT_CONFIG: str | None = None
ROWS = True
CLEAN_EXITS = (0, 255)  # 255 beside a file that a later PHP may read
FOUND_EXITS = (255,)
FILES = ("*.php", "*.phtml")
SCRIPTS = ("PHP",)
LANGUAGES = ("PHP",)
DEPTH = ReadDepth.PARSED
INSTALL = "install PHP"

_TEMPLATES = (".blade.php",)  # https://laravel.com/docs/blade: compiled to PHP
_SETTINGS = (
    "display_errors=1", "log_errors=0", "html_errors=0", "error_reporting=-1", "short_open_tag=0",
    "memory_limit=512M",
)  # fmt: skip
_ROW = lazy_pattern(
    r"(?P<kind>Parse error|Fatal error|Deprecated|Warning|Notice): +(?P<words>.+)"
    r" in (?P<path>.+) on line (?P<line>\d{1,9})"
    r"|Errors parsing (?P<broken>.+)|No syntax errors detected in (?P<fine>.+)|"
)
# What no version of PHP reads; all else may be younger than the PHP that is installed here
_CERTAIN = lazy_pattern(
    r"Unclosed |Unmatched |Unterminated |syntax error, unexpected (?:end of file"
    r'|token "[;}]"|variable "|(?:double|single)-quoted string "'
    r'|(?:token "[a-z]+"|identifier "[^"]*"|integer "[^"]*"), expecting (?:"," or )?";")'
)
# What PHP says of code that a later one reads: https://www.php.net/manual/en/appendices.php
_NEWER = lazy_pattern(
    r'syntax error, unexpected (?:identifier "\w+", expecting (?:"="|variable)'
    r'|token "(?:->|\?->|::|\[|>|\||\(|&|\.|:)"|token "\{", expecting "," or ";"'
    r'|token "(?:readonly|class|match|enum|throw|static)"|token "\)", expecting amp)'
    r"|Multiple access type modifiers|Constant expression contains|Traits cannot have constants"
    r"|Properties cannot be (?:abstract|final)|Interfaces may not include |Cannot use 'static' as"
    r"|.* can(?:not)? (?:not )?be used as a standalone type"
)
_CAST = lazy_pattern(rb"\(\s*void\s*\)")  # since PHP 8.5; two words to those before
# https://www.php.net/manual/en/ini.core.php#ini.short-open-tag: text to a PHP that has them off
_SHORT_TAG = lazy_pattern(rb"<\?(?!php\b|=|xml\b)", re.IGNORECASE)
# What no version compiles
_CANNOT_WORK = (
    r"(?P<redeclared>Cannot (?:redeclare|declare) .*previously declared in )"
    r"|(?P<outside>'(?:break|continue)' not in the 'loop' or 'switch' context"
    r"|Cannot '(?:break|continue)' \d+ levels?)"
    r"|(?P<duplicate_default>(?:Switch statements|Match expressions) may only contain one default)"
    r"|(?P<duplicate_parameter>Redefinition of parameter )"
    r"|(?P<this>Cannot re-assign (?:\$this|auto-global variable))"
    r"|(?P<name_in_use>Cannot use .* as .* because the name is already in use)"
    r"|(?P<namespace>Namespace declaration statement has to be the very first statement)"
    r"|(?P<strict_types>strict_types declaration must be the very first statement)"
    r"|(?P<abstract>Class .* contains \d+ abstract method|Abstract function .* cannot contain body"
    r"|Non-abstract method .* must contain body)"
)


def fits(path: str, head: bytes) -> bool:
    """It is none of Blade's templates."""
    return not path.endswith(_TEMPLATES)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths: no settings of the machine, which may load and run code first."""
    settings = (word for each in _SETTINGS for word in ("-d", each))
    return [program, "-n", *settings, *args, "-l"]


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: a line that is not one of PHP's, or no word of how it went.
    """
    ended = False
    for row in _shared.text_rows(lines, _ROW, "PHP"):
        ended = bool(row["broken"] or row["fine"])
        if row["kind"] in ("Parse error", "Fatal error"):
            yield _newer(row) if _NEWER.match(row["words"]) else _finding(row)
        elif row["kind"]:
            yield _shared.set_aside("php", row["words"])
    if not ended:
        raise ValueError("not PHP's output: it does not say whether it has read the file")


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; what this PHP takes for a mistake may be newer PHP, or older."""
    if finding.category != "syntax":
        return finding
    data = read()
    row = b"".join(data.split(b"\n")[max(0, finding.line_start - 1) : finding.line_start])
    if finding.priority is Priority.P0 and _CAST.search(row):
        finding = replace(finding, priority=Priority.P2)
    return replace(finding, priority=Priority.P3) if _SHORT_TAG.search(data) else finding


def _newer(row: re.Match[str]) -> Finding:
    path = _shared.tool_path(row["path"], "file")
    return _shared.left_out("php", path, f"line {row['line']}: {row['words']}")


def _finding(row: re.Match[str]) -> Finding:
    line, words = int(row["line"]), row["words"]
    broken = row["kind"] == "Parse error"
    if broken:
        rule = "syntax"
        priority = Priority.P0 if _CERTAIN.match(words) else Priority.P2
    else:
        found = re.match(_CANNOT_WORK, words)
        rule = str(found.lastgroup).replace("_", "-") if found else "compile"
        priority = Priority.P1 if found else Priority.P2
    return strict.tool_finding(
        "php",
        rule,
        priority,
        _shared.tool_path(row["path"], "file"),
        (line, line),
        words.removeprefix("syntax error, "),
        category="syntax" if broken else "lint",
    )
