"""oxlint: JavaScript and TypeScript. It prints relative paths and one JSON document in every
case."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...findings import differ
from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from ..checks._paths import is_own_test
from . import _shared
from ._enums import has_aliases
from ._weights import weight

PROGRAM = "oxlint"
DEFAULT = True
EXECUTES_CONFIG = False
PER_FILE = True
ARGS_EXECUTE = True  # a configuration that they name may load JavaScript plug-ins
CONFIG = (".oxlintrc.json",)
DEFAULT_CONFIG: str | None = "oxlintrc.json"
CLEAN_EXITS = (0,)
FOUND_EXITS = (1,)
FILES = _shared.JAVASCRIPT_FILES
LANGUAGES = ("JavaScript", "TypeScript", "Vue", "Svelte", "Astro")
INSTALL = "install it with `npm install --save-dev oxlint` or `pip install 'reviewgate-gh[js]'`"

# https://www.typescriptlang.org/tsconfig/#skipLibCheck
_OF_COMPILER, _DECLARATIONS = "oxlint/TS/", (".d.ts", ".d.mts", ".d.cts")
# A test may run what it likes, and what it throws makes it fail as it should
_FINE_IN_TESTS = ("oxlint/eslint/no-eval", "oxlint/eslint/no-unsafe-optional-chaining")
_REPEATED = "oxlint/typescript/no-duplicate-enum-values"
_CONSTANT = "oxlint/eslint/no-constant-binary-expression"
_AGAIN = lazy_pattern(r"(?:duplicated|re-used|redeclared) here")
_ASSIGNS = lazy_pattern(rb"\(\s*[\w.$]+\s*=(?![=>])")
_ERROR, _WARNING = Priority.P1, Priority.P3
_CODE = lazy_pattern(r"([\w-]+)\(([^()]+)\)")
_EXTENDS = lazy_pattern(rb'"extends"\s*:\s*\[([^\]]*)\]')  # the file is JSON with comments
_PLAIN = lazy_pattern(rb'\s*(?:"[^"\\\n]*"\s*(?:,\s*|(?=\Z)))*')
_OUTSIDE = lazy_pattern(rb'"/|\.\.')
_NAME = lazy_pattern(r'"[^"\\\n]*"')
_UNREAD = lazy_pattern(r'(?s)Failed to open file (.+) with error "?(.*?)"?')


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths. A named config keeps the tool from looking for one, which could be
    a script.

    Where that leaves out all of the files, nothing has failed: `counts` tells.
    """
    named = f"--config={config or CONFIG[0]}"
    return [
        program,
        named,
        "--disable-nested-config",
        *args,
        "--no-ignore",
        "--no-error-on-unmatched-pattern",
        "--format=json",
    ]


def executes(data: bytes) -> bool:
    """The npm build loads what `jsPlugins` names
    (https://oxc.rs/docs/guide/usage/linter/js-plugins): files, packages, `data:` URLs.

    So may a config whose keys are escaped, or that builds on others in a way that `extends` does
    not read, or on files above it.
    """
    found = _EXTENDS.findall(data)
    plain = len(found) == data.count(b"extends") and all(
        _PLAIN.fullmatch(names) and not _OUTSIDE.search(names) for names in found
    )
    return b"jsPlugins" in data or b"\\u" in data or len(found) > 1 or not plain


def extends(data: bytes) -> list[str]:
    """The configs that this one builds on."""
    found = _EXTENDS.search(data)
    return (
        [json.loads(name) for name in _NAME.findall(found[1].decode("utf-8", "replace"))]
        if found
        else []
    )


def parse(lines: Iterable[bytes]) -> list[Finding]:
    """The findings.

    Raises:
        ValueError: not oxlint's JSON, or cut short.
    """
    return [_finding(row) for row in _shared.json_document(lines, _Document, "oxlint").diagnostics]


def counts(lines: Iterable[bytes]) -> int:
    """How many of the files that it was given it has read: those that its settings leave out it
    does not name.

    Raises:
        ValueError: it is not oxlint's JSON. What does not say how many has shown none.
    """
    return _shared.json_document(lines, _Count, "oxlint").number_of_files


def spared(finding: Finding) -> bool:
    """Only errors change its exit code, where `args` set no limit to warnings."""
    return finding.priority is _WARNING


def relocate(finding: Finding, read: Callable[[], bytes]) -> Finding:
    """A finding at its place: in packed code it says nothing, `(seen = true) && f()` is constant on
    purpose, most projects leave files of declarations out of the compiler's checks, a test may do
    more, and some enumerations are tables of aliases."""
    if finding.priority is Priority.P3 or finding.category == differ.SYNTAX_CATEGORY:
        return finding
    data = read()
    harmless = (
        _shared.is_packed(finding, data)
        or (finding.rule.startswith(_OF_COMPILER) and finding.path.endswith(_DECLARATIONS))
        or (finding.rule in _FINE_IN_TESTS and is_own_test(finding.path))
        or (finding.rule == _REPEATED and has_aliases(data, finding.line_start))
    )
    if finding.rule == _CONSTANT:
        rows = b"".join(data.split(b"\n")[finding.line_start - 1 : finding.line_end])
        harmless = harmless or _ASSIGNS.search(rows) is not None
    return replace(finding, priority=Priority.P3) if harmless else finding


# Node refuses this in a `.cjs`; runners of tests translate what they run:
# https://vitest.dev/guide/features
_OF_MODULES = lazy_pattern(r"Cannot use (?:import|export) \w+ outside a module")
_TRANSLATED = "module-syntax"


class _Count(Struct, frozen=True):
    number_of_files: strict.WholeNumber = 0


class _Span(Struct, frozen=True):
    line: strict.WholeNumber
    column: strict.WholeNumber = 0


class _Label(Struct, frozen=True):
    span: _Span
    label: str | None = None


class _Diagnostic(Struct, frozen=True):
    message: str
    filename: str | None = None
    code: str | None = None
    severity: str | None = None
    help: str | None = None
    url: str | None = None
    labels: tuple[_Label, ...] | None = None


class _Document(Struct, frozen=True):
    diagnostics: tuple[_Diagnostic, ...]


def _finding(row: _Diagnostic) -> Finding:
    if row.filename is None:
        return _unread(row.message)
    rule = _CODE.sub(r"\1/\2", row.code or "")
    if not rule and _OF_MODULES.match(row.message) and is_own_test(row.filename):
        rule = _TRANSLATED
    labels = row.labels or (_Label(_Span(0)),)
    # What repeats something comes after it, and is what a change adds
    span = next((each for each in labels if _AGAIN.search(each.label or "")), labels[0]).span
    return strict.tool_finding(
        "oxlint",
        rule or "syntax",
        _priority(rule, row.severity),
        _shared.tool_path(row.filename, "filename"),
        (span.line, span.line),
        row.message,
        category="lint" if rule else "syntax",
        body=row.help or "",
        page=row.url or "",
        columns=(span.column, 0),
    )


def _priority(rule: str, severity: str | None) -> Priority:
    if rule == _TRANSLATED:
        return Priority.P3
    if not rule:
        return Priority.P0
    if severity != "error":
        return _WARNING
    return weight("oxlint", rule) or _ERROR


def _unread(message: str) -> Finding:
    told = _UNREAD.fullmatch(message)
    if not told:
        raise ValueError(f"oxlint: no file name: {strict.one_line(message)}")
    return _shared.unreadable_file(
        "oxlint", "unread", _shared.tool_path(told[1], "filename"), told[2]
    )
