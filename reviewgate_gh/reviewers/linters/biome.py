"""biome: style sheets, GraphQL and attributes of HTML; scripts are oxlint's. It prints paths as
given and one rdjson document in every case."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks._paths import is_own_test
from . import _shared

PROGRAM = "biome"
DEFAULT = False
WHEN_INSTALLED = True
EXECUTES_CONFIG = False  # its plug-ins are patterns in GritQL
ARGS_EXECUTE = False
CONFIG = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")
DEFAULT_CONFIG: str | None = "biome-defaults.json"
CLEAN_EXITS = (0, 1)
FOUND_EXITS = (0, 1)  # it does not count warnings
FILES = ("*.graphql", "*.graphqls", "*.gql", "*.css", "*.html", "*.htm")
LANGUAGES = ("GraphQL",)
INSTALL = (
    "install it with `npm install --save-dev @biomejs/biome` or "
    "`pip install 'reviewgate-gh[languages]'`"
)

_GRAPHQL = (".graphql", ".graphqls", ".gql")
_PARSE = "parse"
# https://tailwindcss.com/docs/functions-and-directives
# https://github.com/postcss/postcss-simple-vars
_COMPILED = lazy_pattern(
    rb"\$[A-Za-z][\w-]*|@(?:mixin|include|extend|define-mixin|each|tailwind|apply|theme"
    rb"|custom-variant|utility|variant|plugin|source)\b"
)
# Of HTML these alone: it takes tags that may be left open, and templates, for mistakes
_OF_HTML = ("noDuplicateAttributes",)
# Lists of what there is in a language that grows
_LISTS = ("noUnknown",)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    ours = [f"--config-path={config}"] if config else []
    return [program, "lint", *ours, *args, "--reporter=rdjson", "--max-diagnostics=none",
            "--no-errors-on-unmatched", "--colors=off", "--vcs-enabled=false",
            "--files-max-size=100000000"]  # fmt: skip


def nested_config(data: bytes) -> bytes:
    """A config of a folder, as one that lies below another: without it, biome refuses both.
    https://biomejs.dev/guides/big-projects/"""
    if _ROOT.search(data):
        return _ROOT.sub(rb"\1false", data)
    return _BEGINS.sub(rb'\1{"root": false,', data, count=1)


_BEGINS = lazy_pattern(rb"(?m)^([ \t]*)\{")
_ROOT = lazy_pattern(rb'("root"\s*:\s*)(?:true|false)')


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not biome's rdjson, or cut short.
    """
    for row in _shared.json_document(lines, _Document, "biome").diagnostics:
        path = _shared.tool_path(row.location.path, "path")
        rule = row.code.value.rpartition("/")[2]
        if not path.endswith((".html", ".htm")) or rule in _OF_HTML:
            yield _finding(row, path, rule)
        else:
            yield _shared.set_aside("biome", row.message)


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place. Less of what a compiler of style sheets takes, which biome knows in
    part; and of pages and style sheets beside tests, which read them."""
    if finding.priority is not Priority.P2 or finding.path.endswith(_GRAPHQL):
        return finding
    broken = finding.rule == "biome/syntax"
    compiled = broken and finding.path.endswith(".css") and _COMPILED.search(read())
    packed = not broken and _shared.is_packed(finding, read())
    less = is_own_test(finding.path) or compiled or packed
    return replace(finding, priority=Priority.P3) if less else finding


class _Source(Struct, frozen=True):
    name: Literal["Biome"]


class _Code(Struct, frozen=True):
    value: str
    url: str = ""


class _Point(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Range(Struct, frozen=True):
    start: _Point
    end: _Point | None = None


class _Location(Struct, frozen=True):
    path: str
    range: _Range | None = None


class _Diagnostic(Struct, frozen=True):
    code: _Code
    location: _Location
    message: str


class _Document(Struct, frozen=True):
    source: _Source
    diagnostics: tuple[_Diagnostic, ...]


def _finding(row: _Diagnostic, path: str, rule: str) -> Finding:
    place = row.location.range
    start = place.start if place else _Point(0)
    end = place.end if place and place.end else start
    return strict.tool_finding(
        "biome",
        "syntax" if rule == _PARSE else rule,
        _priority(path, rule, row.message),
        path,
        (start.line, max(start.line, end.line)),
        row.message,
        category="syntax" if rule == _PARSE else "lint",
        page=row.code.url,
        columns=(start.column, end.column if end.line >= start.line else 0),
    )


def _priority(path: str, rule: str, message: str) -> Priority:
    if path.endswith(_GRAPHQL):
        return Priority.P0 if rule == _PARSE else Priority.P2
    # What a style sheet holds for a program that makes one of it, biome does not know
    unsure = rule.startswith(_LISTS) or (rule == _PARSE and not message.startswith("expected "))
    return Priority.P3 if unsure else Priority.P2
