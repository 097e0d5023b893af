"""checkstyle: Java by the project's own rules. It prints absolute paths and one XML document in
every case."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..imports import checkstyle as report
from . import _shared

PROGRAM = "checkstyle"
DEFAULT = False
EXECUTES_CONFIG = False  # its modules come from its own class path
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = ("checkstyle.xml",)
DEFAULT_CONFIG: str | None = "checkstyle-defaults.xml"
NEIGHBOURS = ("package-info.java",)
CLEAN_EXITS = (0,)
# 254 and 255 are failures, too: https://checkstyle.org/cmdline.html#Command_line_usage
FOUND_EXITS = tuple(range(254))
EXIT_COUNTS = True
FILES = ("*.java",)
LANGUAGES = ("Java",)
# Java reads the names of files in the locale's characters
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
LAGS = True
INSTALL = "install checkstyle"

_FILE = lazy_pattern(rb'<property\s+name="(?:file|headerFile)"\s+value="([^"$]+)"')
# https://checkstyle.org/checks.html
_LIKELY = (
    "AvoidDoubleBraceInitialization", "CovariantEquals", "EqualsHashCode", "StringLiteralEquality",
)  # fmt: skip
_WARNING = "style"  # a category
_STOPPED = lazy_pattern(r"(?:.*: )?Exception was thrown while processing (?P<path>.+)")
_REASON = lazy_pattern(r"Caused by: (?:.*[: ])?(\d+:\d+: .+)")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "-c", str(config or CONFIG[0]), *args, "-f", "xml"]


def extends(data: bytes) -> list[str]:
    """The suppressions and headers that a config names; it loads others by `${...}`, which the
    build of the project sets."""
    return [name.decode("utf-8", "replace") for name in _FILE.findall(data)]


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not Checkstyle's XML, or cut short.
    """
    return [_finding(row) for row in report.parse(_whole(lines))]


def counts(lines: Iterable[bytes]) -> int:
    """How many of the files that it was given it has read: it passes over those that it cannot
    find.

    Raises:
        ValueError: it is not Checkstyle's XML.
    """
    return report.count_files(_whole(lines))


def spared(finding: Finding) -> bool:
    """Only errors change its exit code."""
    return finding.category == _WARNING


def unreadable(err: str) -> tuple[str, str]:
    """The file that it could not parse, and why."""
    said = err.splitlines()
    path = next((found["path"] for line in said if (found := _STOPPED.fullmatch(line))), "")
    reason = next((found[1] for line in said if (found := _REASON.fullmatch(line))), "")
    return path, reason


def why(err: str) -> str:
    """What it says above the calls that led there."""
    return next(iter(err.splitlines()))


def _whole(lines: Iterable[bytes]) -> bytes:
    data = b"".join(lines)
    if not data.endswith(b"\n"):
        raise ValueError("not Checkstyle XML: no output, or cut short")
    return data


def _finding(row: Finding) -> Finding:
    name = row.rule.rpartition(".")[2].rpartition("/")[2].removesuffix("Check")
    is_error = row.priority is Priority.P1
    return replace(
        row,
        rule=strict.rule_name("checkstyle", name),
        path=_shared.tool_path(row.path, "file name"),
        priority=Priority.P2 if is_error and name in _LIKELY else Priority.P3,
        category=row.category if is_error else _WARNING,
    )
