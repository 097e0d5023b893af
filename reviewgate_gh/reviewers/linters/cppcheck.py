"""cppcheck: C and C++, each file by itself. It prints paths as given, one finding a line, on
standard error."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared
from ._weights import weight

PROGRAM = "cppcheck"
DEFAULT = False
WHEN_INSTALLED = True
STDERR = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # --addon names a script
CONFIG: tuple[str, ...] = ()  # it looks for none
DEFAULT_CONFIG: str | None = None
ROWS = True
CLEAN_EXITS = (0, 3)
FOUND_EXITS = (3,)
FILES = ("*.c", "*.cc", "*.cpp", "*.cxx", "*.c++", "*.C")
LANGUAGES = ("C", "C++")
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

# Template of each line. https://cppcheck.sourceforge.io/manual.html#template-output
_TEMPLATE = "{file}\t{line}\t{severity}\t{id}\t{message}"
_ROW = lazy_pattern(r"([^\t]*)\t(\d{1,9})\t(\w+)\t(\w+)\t(.*)")
# Without the headers a macro is unknown, and what it hides may be no C to the tool
_UNPARSED = (
    "cppcheckError", "garbageCode", "internalAstError", "internalError", "noValidConfiguration",
    "preprocessorErrorDirective", "syntaxError", "unhandledChar", "unknownMacro",
)  # fmt: skip
# What several files say together: nobody tells it which of those that changed make one program
_ACROSS_FILES = "ctu"


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, *args, "--quiet", "--inline-suppr", f"--template={_TEMPLATE}",
            "--template-location=", "--error-exitcode=3"]  # fmt: skip


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of cppcheck's.
    """
    for row in _shared.text_rows(lines, _ROW, "cppcheck"):
        path, line, severity, rule, message = row.groups()
        if rule in _UNPARSED and path:
            yield _shared.left_out("cppcheck", _shared.tool_path(path, "file"), message)
        elif path and severity != "information" and not rule.startswith(_ACROSS_FILES):
            yield strict.tool_finding(
                "cppcheck",
                rule,
                _priority(severity, rule),
                _shared.tool_path(path, "file"),
                (int(line), int(line)),
                message,
            )
        else:
            yield _shared.set_aside("cppcheck", message)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A variable that a macro gives a value in each round is none without one; the header that says
    so is not read."""
    named = _WITHOUT_VALUE.match(finding.title)
    if finding.priority is not Priority.P2 or not named:
        return finding
    rows = read().split(b"\n")[max(0, finding.line_start - _ABOVE) : finding.line_start]
    given = re.compile(rb"(?i)for_?each\w*\s*\([^)]*\b%s\b" % re.escape(named["name"].encode()))
    return replace(finding, priority=Priority.P3) if any(map(given.search, rows)) else finding


_WITHOUT_VALUE = lazy_pattern(r"Uninitialized variables?: (?P<name>\w+)")
_ABOVE = 40  # lines


def _priority(severity: str, rule: str) -> Priority:
    if severity != "error":
        return Priority.P3
    return weight("cppcheck", rule) or Priority.P1
