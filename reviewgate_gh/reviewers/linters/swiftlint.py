"""SwiftLint: Swift by the project's own rules. It prints absolute paths and one JSON list in every
case.

https://github.com/realm/SwiftLint/blob/main/Source/SwiftLintFramework/Reporters/JSONReporter.swift
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict
from ...text.patterns import lazy_pattern
from . import _shared

PROGRAM = "swiftlint"
DEFAULT = False
EXECUTES_CONFIG = False
ARGS_EXECUTE = True  # a configuration that they name may be downloaded
CONFIG = (".swiftlint.yml", ".swiftlint.yaml")
DEFAULT_CONFIG: str | None = None
CLEAN_EXITS = (0,)
# LintOrAnalyzeCommand.swift: 2 for errors, 0 for warnings; 1 is a failure
FOUND_EXITS = (0, 2)
FILES = ("*.swift",)
LANGUAGES = ("Swift",)
VERSION = ("version",)
INSTALL = "install it with `brew install swiftlint`, see https://github.com/realm/SwiftLint"

# https://realm.github.io/SwiftLint/rule-directory.html
_LIKELY = (
    "duplicate_conditions", "duplicate_enum_cases", "duplicated_key_in_dictionary_literal",
    "identical_operands",
)  # fmt: skip
# https://github.com/realm/SwiftLint#child-and-parent-configs-remote
_DOWNLOADED = lazy_pattern(rb"\\|://")
_EXTENDED = lazy_pattern(rb"(?m)^[ \t]*(?:child|parent)_config[ \t]*:[ \t]*[\"']?([^\s\"'#]+)")
_NO_FILES = "No lintable files found"
# About a comment that the gate has made unreadable
_OF_COMMENTS = ("invalid_swiftlint_command",)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "lint", *args, "--quiet", "--no-cache", "--force-exclude", "--reporter",
            "json"]  # fmt: skip


def executes(data: bytes) -> bool:
    """The settings may name others that are downloaded."""
    return _DOWNLOADED.search(data) is not None


def extends(data: bytes) -> Iterator[str]:
    """The files that the settings build on."""
    yield from (name.decode("utf-8", "replace") for name in _EXTENDED.findall(data))


def passed_over(out: str, err: str) -> bool:
    """The settings leave out each of the files: it ends with 1 then
    (https://github.com/realm/SwiftLint/issues/2619)."""
    return not out.strip() and _NO_FILES in err


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not SwiftLint's JSON, or cut short.
    """
    for row in _shared.json_document(lines, list[_Violation], "SwiftLint"):
        # Without a file: that there are more warnings than the project allows
        if row.file is None or row.rule_id in _OF_COMMENTS:
            yield _shared.set_aside("swiftlint", row.reason)
        else:
            yield _finding(row, row.file)


class _Violation(Struct, frozen=True):
    reason: str
    rule_id: str
    severity: Literal["Warning", "Error"]
    file: str | None = None
    line: strict.WholeNumber | None = None
    character: strict.WholeNumber | None = None


def _finding(row: _Violation, path: str) -> Finding:
    line = row.line or 0
    return strict.tool_finding(
        "swiftlint",
        row.rule_id,
        Priority.P2 if row.rule_id in _LIKELY else Priority.P3,
        _shared.tool_path(path, "file"),
        (line, line),
        row.reason,
        columns=(row.character or 0, 0),
    )
