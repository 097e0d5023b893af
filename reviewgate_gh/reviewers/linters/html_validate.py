"""html-validate: markup. It prints absolute paths, and one JSON list of the files in which it has
found something."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "html-validate"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # --config may name a program
CONFIG = (
    ".htmlvalidate.json", ".htmlvalidate.js", ".htmlvalidate.cjs", ".htmlvalidate.mjs",
)  # fmt: skip
DEFAULT_CONFIG: str | None = "html-validate-defaults.json"
ACCEPTED = (".htmlvalidateignore",)
CLEAN_EXITS = (0, 1)  # 1 also for a comment of its own that it does not know
FOUND_EXITS = (1,)
FILES = ("*.html", "*.htm")
LANGUAGES: tuple[str, ...] = ()  # it reads no scripts
INSTALL = "install it in the project with `npm install --save-dev html-validate`"

_GLOB = lazy_pattern(r"[*?\[\]{}!()\\]")  # it takes paths for patterns
_NO_FILES = "No files matching patterns"
_UNPARSED = "parser-error"
# About a comment that the gate has made unreadable; it goes on after that
_OF_COMMENTS = "Unknown directive "
# https://html-validate.org/rules: what a browser repairs by guessing
_LIKELY = ("close-order", "no-dup-attr", "no-dup-id", _UNPARSED)
# A browser passes over one end tag too many; what an open element encloses is told at its start
_HARMLESS = ("Stray end tag ", "End tag ")
_BUILT_IN = "html-validate:"
_RUNS = ("plugins", "transform", "elements")
# It tells `<P>` from `</p>`, which no browser does
_CASE = lazy_pattern(rb"</?[a-z]*[A-Z]")
# A program fills it in
_TEMPLATE = lazy_pattern(
    rb"\{\{|\{%|\{#|<%|<\?(?!xml)|\$\{|\[\[|#\{|@(?:if|for|foreach|switch|section|yield)\b"
    rb"|<[^<>]*\s(?:[@:*#]|v-|x-|ng-|th:|\(\w|\[\w|\[\()[^\s=<>]*\s*="
)


def fits(path: str, head: bytes) -> bool:
    """Its name would be none of a pattern's, which it takes names for."""
    return not _GLOB.search(path)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config={config}"] if config else []
    return [program, *ours, *args, "--formatter=json"]


def executes(data: bytes) -> bool:
    """Any that is a program or names one: plug-ins, transformers, elements and shared settings are
    modules (https://html-validate.org/usage/#configuration)."""
    try:
        plain = strict.json_object(strict.load_json(data, "settings"), "settings")
    except ValueError:
        return True
    extends = plain.get("extends", [])
    return any(plain.get(key) for key in _RUNS) or not _are_built_in(extends)


def _are_built_in(names: Any) -> bool:
    return isinstance(names, list) and all(
        isinstance(name, str) and name.startswith(_BUILT_IN) for name in names
    )


def passed_over(out: str, err: str) -> bool:
    """Its `.htmlvalidateignore` leaves out each of the files: it ends with 1 then, too."""
    return not out.strip() and err.startswith(_NO_FILES)


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not html-validate's JSON, or cut short; or its settings name an unknown rule.
    """
    for file in _shared.json_document(lines, list[_File], "html-validate"):
        for row in file.messages:
            if not row.line:
                raise ValueError(f"its settings: {strict.one_line(row.message)}")
            if row.rule_id == _UNPARSED and row.message.startswith(_OF_COMMENTS):
                yield _shared.set_aside("html-validate", row.message)
            else:
                yield _finding(row, _shared.tool_path(file.file_path, "filePath"))


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place; markup that a program fills in it cannot read, and tags in capital
    letters it does not match."""
    if finding.priority is Priority.P3:
        return finding
    data = read()
    if _TEMPLATE.search(data):
        return _shared.left_out("html-validate", finding.path, "a program fills it in")
    return replace(finding, priority=Priority.P3) if _CASE.search(data) else finding


def spared(finding: Finding) -> bool:
    """Warnings do not change its exit code."""
    return finding.priority is Priority.P3


class _Message(Struct, frozen=True, rename="camel"):
    rule_id: str
    severity: Literal[1, 2]
    message: str
    line: strict.WholeNumber = 0
    column: strict.WholeNumber = 0
    rule_url: str = ""


class _File(Struct, frozen=True, rename="camel"):
    file_path: str
    messages: tuple[_Message, ...]


def _finding(row: _Message, path: str) -> Finding:
    broken = row.rule_id == _UNPARSED
    likely = row.severity == 2 and row.rule_id in _LIKELY
    likely = likely and not row.message.startswith(_HARMLESS)
    return strict.tool_finding(
        "html-validate",
        "syntax" if broken else row.rule_id,
        Priority.P2 if likely else Priority.P3,
        path,
        (row.line, row.line),
        row.message,
        category="syntax" if broken else "lint",
        page=row.rule_url,
        columns=(row.column, 0),
    )
