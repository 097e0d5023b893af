"""taplo: the form of TOML files, where the project sets it. It prints absolute paths, a drawing of
each error, and nothing for clean files.

Files that do not parse are found without it, by the gate's own check.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks.syntax import find_toml_error
from . import _shared

PROGRAM = "taplo"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".taplo.toml", "taplo.toml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
STDERR = True
ENVIRONMENT: Mapping[str, str] = {"RUST_LOG": "warn"}  # else it also tells what it does
LANGUAGES: tuple[str, ...] = ()  # data is no code
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

_GLOB = lazy_pattern(r"[*?\[\]{}!\\]")
# https://taplo.tamasfe.dev/configuration/file.html
_FORMATTING = lazy_pattern(rb"(?m)^\s*(?:\[+\s*(?:rule\.)?formatting\b|formatting\b\s*[.=])")
_ERROR = lazy_pattern(r"error: (.+)")
_PLACE = lazy_pattern(r"\s*┌─ (.+):(\d{1,9}):(\d{1,9})")
_UNFORMATTED = lazy_pattern(
    r'ERROR .*\bthe file is not properly formatted\b.* path="((?:[^"\\]|\\.)*)"'
)
_ESCAPE = lazy_pattern(r"\\(?:u\{([0-9a-f]{1,6})\}|(.))")
_END = "ERROR operation failed "
_DRAWN = lazy_pattern(r"\s*(?:\d+ )?[│·╭╰=].*|")


def takes(path: str, head: bytes) -> bool:
    """TOML by its suffix; it takes what it is given for patterns, which some names are."""
    return path.endswith(".toml") and not _GLOB.search(path)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths: one that looks for no schema, which may lie in the network."""
    return [program, "format", "--check", *args, "--colors=never"]


def configures(path: str, data: bytes) -> bool:
    """Settings of the form; those of schemas alone ask for none."""
    return _FORMATTING.search(data) is not None


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, the first error of each file alone: those that follow come of it.

    Raises:
        ValueError: not taplo's output, or cut short.
    """
    message, ended, broken, found = "", False, set[str](), False
    *rows, rest = b"".join(lines).decode("utf-8", "replace").split("\n")
    if rest:
        raise _not_taplo(len(rows) + 1, rest)
    for number, text in enumerate(rows, 1):
        if ended:
            raise _not_taplo(number, text)
        if message:
            place = _PLACE.fullmatch(text)
            if not place:
                raise _not_taplo(number, text)
            path, row, column = _shared.tool_path(place[1], "path"), int(place[2]), int(place[3])
            if path not in broken:
                yield _unparsed(path, row, column, message)
            broken.add(path)
            message, found = "", True
        elif error := _ERROR.fullmatch(text):
            message = error[1]
        elif unformatted := _UNFORMATTED.fullmatch(text):
            found = True
            yield _unformatted(_ESCAPE.sub(_character, unformatted[1]))
        elif text.startswith(_END):
            ended = True
        elif not (found and _DRAWN.fullmatch(text)):
            raise _not_taplo(number, text)
    if message or found > ended:
        raise ValueError("not taplo's output: its last line is missing")


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; that taplo cannot read the TOML of today weighs little."""
    if finding.category == "syntax" and find_toml_error(read()) is None:
        return replace(finding, priority=Priority.P3, category="lint")
    return finding


def _character(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]


def _not_taplo(number: int, text: str) -> ValueError:
    return ValueError(f"not taplo's output: line {number}: {strict.one_line(text, 80)!r}")


def _unparsed(path: str, line: int, column: int, message: str) -> Finding:
    return strict.tool_finding(
        "taplo",
        "syntax",
        Priority.P0,
        path,
        (line, line),
        message,
        category="syntax",
        columns=(column, 0),
    )


def _unformatted(path: str) -> Finding:
    return strict.tool_finding(
        "taplo",
        "format",
        Priority.P3,
        _shared.tool_path(path, "path"),
        (0, 0),
        "the file is not formatted as the project's settings say",
        category="style",
        body="`taplo format` formats it.",
    )
