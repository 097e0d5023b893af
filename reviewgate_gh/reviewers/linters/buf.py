"""buf: Protocol Buffers. It prints relative paths, one JSON object a line, on standard error, and
nothing for clean files.

It is given the changed files alone, so it knows of what they import no more than that.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "buf"
DEFAULT = False
WHEN_INSTALLED = True
WHOLE_TREE = True
STDERR = True
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # a configuration that they name may have plug-ins
CONFIG: tuple[str, ...] = ()  # the project's may name modules of others, which it would download
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0, 100)
# https://buf.build/docs/cli/build-images/
FOUND_EXITS = (100,)
FILES = ("*.proto",)
LANGUAGES = ("Protocol Buffers",)
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

_SYNTAX = lazy_pattern(r"unexpected |expected |unterminated |invalid character|missing ")
_IMPORT = "imported file does not exist"
_UNKNOWN = lazy_pattern(r"cannot find ")
# Two roots may hold the same package
_OF_MANY = lazy_pattern(r".* (?:declared|defined) multiple times|symbol .*already defined")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The whole command; a configuration in words keeps it from looking for one."""
    return [program, "build", ".", *args, '--config={"version":"v1"}', "--error-format=json",
            "--output=/dev/null"]  # fmt: skip


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings: of names none where something that is imported was not there.

    Raises:
        ValueError: a line that is not one of buf's.
    """
    rows = [
        strict.checked(strict.load_json(line, "buf's JSON lines"), _Annotation, f"line {number}")
        for number, line in enumerate(lines, 1)
    ]
    partial = any(row.message == _IMPORT for row in rows)
    for row in rows:
        aside = row.message == _IMPORT or _OF_MANY.match(row.message)
        if aside or (partial and _UNKNOWN.match(row.message)):
            yield _shared.set_aside("buf", row.message)
        else:
            yield _finding(row)


class _Annotation(Struct, frozen=True):
    path: str
    type: str
    message: str
    start_line: strict.WholeNumber = 0
    end_line: strict.WholeNumber = 0


def _finding(row: _Annotation) -> Finding:
    broken = _SYNTAX.match(row.message) is not None
    return strict.tool_finding(
        "buf",
        "syntax" if broken else row.type.lower(),
        Priority.P0 if broken else Priority.P1,
        _shared.tool_path(row.path, "path"),
        (row.start_line, max(row.start_line, row.end_line)),
        row.message,
        category="syntax" if broken else "lint",
    )
