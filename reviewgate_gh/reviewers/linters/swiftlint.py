"""SwiftLint: Swift by the project's own rules. It prints absolute paths and one JSON list, and says
on standard error which files it read.

It reports no syntax errors, and on Linux it needs SourceKit, which comes with Swift.
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
ROWS = True
COUNTS_ASIDE = True  # on standard error, by their names
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
_DONE = lazy_pattern(rb"Done linting!.* in (\d{1,9}) files?\.\n?")
_UNREAD = b"Could not read contents of "
# It goes on with rules that are not the project's, or with fewer of them
_NOT_AS_ASKED = lazy_pattern(
    rb"(?:.*Falling back to default configuration|.*rules will be skipped because sourcekitd has)"
)
_NO_SOURCEKIT = "Loading libsourcekitdInProc"
_NEEDS_SOURCEKIT = "it needs SourceKit: install Swift, so that `swift` is on PATH"
# About a comment that the gate has made unreadable
_OF_COMMENTS = ("invalid_swiftlint_command",)


def argv(program: str, config: Path | None, args: Sequence[str]) -> list[str]:
    """The command without paths."""
    return [program, "lint", *args, "--no-cache", "--force-exclude", "--reporter", "json"]


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


def counts(lines: Iterable[bytes]) -> int:
    """How many of the files that it was given it has read: it does not name those that its settings
    leave out, and goes on where it cannot read one.

    Raises:
        ValueError: it did not come to its end, or not with the project's settings.
    """
    done, unread = None, 0
    for line in lines:
        if _NOT_AS_ASKED.match(line):
            raise ValueError(strict.one_line(line.decode("utf-8", "replace")))
        done = _DONE.fullmatch(line) or done
        unread += line.startswith(_UNREAD)
    if done is None:
        raise ValueError("SwiftLint does not say how many files it read")
    return int(done[1]) - unread


def why(err: str) -> str:
    """What it says above the calls that led there."""
    said = err.splitlines()
    first = next((line for line in said if "rror: " in line), said[-1])
    return f"{first}; {_NEEDS_SOURCEKIT}" if _NO_SOURCEKIT in first else first


def parse(lines: Iterable[bytes]) -> Iterator[Finding]:
    """The findings.

    Raises:
        ValueError: not SwiftLint's JSON, or cut short.
    """
    for row in _shared.json_document(_the_list(lines), list[_Violation], "SwiftLint"):
        # Without a file: that there are more warnings than the project allows
        if not row.file or row.rule_id in _OF_COMMENTS:
            yield _shared.set_aside("swiftlint", row.reason)
        else:
            yield _finding(row, row.file)


def _the_list(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines to the end of the list: whether there is a newer SwiftLint may stand below it."""
    for line in lines:
        yield line
        if line.rstrip() == b"]":
            return


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
