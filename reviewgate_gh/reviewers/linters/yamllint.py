"""yamllint: YAML by the project's own rules. It prints paths as given, one problem a line, and
nothing for clean files.

Files that do not parse and keys that stand twice are found without it, by the gate's own checks:
it runs where the project configures it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks._yaml import scan_yaml
from . import _shared

PROGRAM = "yamllint"
DEFAULT = False
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = False
CONFIG = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
DEFAULT_CONFIG: str | None = "yamllint-defaults.yaml"
ROWS = True
CLEAN_EXITS = (0,)
# https://yamllint.readthedocs.io/en/stable/quickstart.html#running-yamllint
FOUND_EXITS = (1, 2)  # --strict
FILES = ("*.yml", "*.yaml")
LANGUAGES: tuple[str, ...] = ()  # data is no code
INSTALL = "install it with `pip install 'reviewgate-gh[languages]'`"

_ROW = lazy_pattern(
    r"(.+?):(\d{1,9}):(\d{1,9}): \[(?:error|warning)\] (.*?)(?: \(([a-z][a-z-]*)\))?"
)
_SYNTAX, _TWICE, _ALIASES = "syntax", "key-duplicates", "anchors"
# https://yamllint.readthedocs.io/en/stable/configuration.html
_EXTENDS = lazy_pattern(rb"(?m)^extends\s*:\s*[\"']?([^\s\"'#]+)")
_IGNORES = lazy_pattern(rb"(?m)^[ \t]*ignore-from-file\s*:([^\n]*(?:\n[ \t]*-[^\n]*)*)")
_WORD = lazy_pattern(r"[^\s\[\],\"'-][^\s\[\],\"']*")
_ITS_OWN = ("default", "relaxed")


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config-file={config}"] if config else []
    return [program, *ours, *args, "--format=parsable", "--strict"]


def extends(data: bytes) -> list[str]:
    """The files that the settings build on, and the lists of files to leave out, without which it
    ends."""
    bases = (found[1].decode("utf-8", "replace") for found in _EXTENDS.finditer(data))
    lists = (found[1].decode("utf-8", "replace") for found in _IGNORES.finditer(data))
    names = [name for name in bases if name not in _ITS_OWN]
    return [*names, *(name for each in lists for name in _WORD.findall(each))]


def crashed(err: str) -> str:
    """Why it came to no end, as for a byte that is not UTF-8: it ends with 1 then, too."""
    return err.splitlines()[-1] if "Traceback (most recent call last)" in err else ""


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings, as they come.

    Raises:
        ValueError: a line that is not one of yamllint's.
    """
    for row in _shared.text_rows(lines, _ROW, "yamllint"):
        path, line, column, message, rule = row.groups()
        broken = rule == _SYNTAX
        yield strict.tool_finding(
            "yamllint",
            rule or "problem",
            Priority.P0 if broken else Priority.P2 if rule == _TWICE else Priority.P3,
            _shared.tool_path(path, "file"),
            (int(line), int(line)),
            message,
            category="syntax" if broken else "lint",
            columns=(int(column), 0),
        )


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; what is wrong with YAML that a template engine is to read first
    weighs little."""
    if finding.priority is Priority.P3:
        return finding
    seen = scan_yaml(read())
    if seen.error if finding.category == "syntax" else seen.duplicates:
        return finding
    return replace(finding, priority=Priority.P3, category="lint")
