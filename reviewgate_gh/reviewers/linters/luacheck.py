"""luacheck: Lua. It prints paths as given, one finding a line."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "luacheck"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # a configuration that they name is a program
CONFIG = (".luacheckrc",)
DEFAULT_CONFIG: str | None = "luacheckrc"
ROWS = True
CLEAN_EXITS = (0,)
# https://luacheck.readthedocs.io/en/stable/cli.html
FOUND_EXITS = (1, 2)
FILES = ("*.lua",)
LANGUAGES = ("Lua",)
INSTALL = "install it with `luarocks install luacheck`"

_ROW = lazy_pattern(r"(.+?):(\d{1,9}):(\d{1,9})-(\d{1,9}): \(([EW]\d{3})\) (.*)")
_SYNTAX = "E"
# https://luacheck.readthedocs.io/en/stable/warnings.html
_LIKELY = ("W314", "W321", "W511", "W521", "W531", "W532", "W571")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, *ours, *args, "--formatter=plain", "--codes", "--ranges", "--no-color",
            "--no-cache"]  # fmt: skip


def executes(data: bytes) -> bool:
    """Any: the settings are a program in Lua."""
    return True


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of luacheck's.
    """
    for row in _shared.text_rows(lines, _ROW, "luacheck"):
        path, line, _column, _end, code, message = row.groups()
        broken = code.startswith(_SYNTAX)
        yield strict.tool_finding(
            "luacheck",
            code,
            Priority.P0 if broken else Priority.P2 if code in _LIKELY else Priority.P3,
            _shared.tool_path(path, "file"),
            (int(line), int(line)),
            message,
            category="syntax" if broken else "lint",
        )
