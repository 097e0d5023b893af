"""ShellCheck's `json1`. Its fixes are parts of lines, so they are told in the body."""

from collections.abc import Sequence

from msgspec import Struct

from ...model.finding import Finding, Priority
from ...text import strict

_OTHER_LANGUAGE = 1071  # "only supports sh/bash/dash/ksh": not a mistake in the script
_WIKI = "https://www.shellcheck.net/wiki/SC{}"


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings; paths below the absolute folder `root` become relative.

    Raises:
        ValueError: not json1, or cut short.
    """
    return [finding_of(row, root) for row in read_comments(data)]


def read_comments(data: bytes) -> Sequence["Comment"]:
    """What it says, as it says it.

    Raises:
        ValueError: not json1, or cut short.
    """
    try:
        text = data.decode("utf-8", "surrogatepass")  # how it writes file names that are not UTF-8
    except UnicodeDecodeError as error:
        raise ValueError(f"not ShellCheck json1: byte {error.start} is not UTF-8") from None
    plain = strict.load_json(text.removeprefix("\ufeff"), "ShellCheck json1", unique=True)
    return strict.checked(plain, _Document, "ShellCheck").comments


class Replacement(Struct, frozen=True, rename="camel"):
    """Text in the place of what stands there: lines and columns from 1, the end exclusive."""

    line: strict.WholeNumber
    column: strict.WholeNumber
    end_line: strict.WholeNumber
    end_column: strict.WholeNumber
    replacement: str


class _Fix(Struct, frozen=True):
    replacements: tuple[Replacement, ...] = ()


class Comment(Struct, frozen=True, rename="camel"):
    """One remark, with the edits of its fix."""

    file: str
    line: strict.WholeNumber
    level: strict.Level
    code: strict.WholeNumber
    message: str
    end_line: strict.WholeNumber | None = None
    column: strict.WholeNumber = 0
    end_column: strict.WholeNumber = 0
    fix: _Fix | None = None


class _Document(Struct, frozen=True):
    comments: tuple[Comment, ...]


def finding_of(row: Comment, root: str = "") -> Finding:
    """A remark as a finding."""
    unparsed = row.level == "error" and 1000 <= row.code < 2000 and row.code != _OTHER_LANGUAGE
    level = "info" if row.code == _OTHER_LANGUAGE else row.level
    return strict.tool_finding(
        "shellcheck",
        f"SC{row.code:04}",
        Priority.P0 if unparsed else strict.BY_LEVEL[level],
        strict.relative_path(strict.path_text(row.file, "ShellCheck: file"), root),
        (row.line, row.line if row.end_line is None else row.end_line),
        row.message,
        category="syntax" if unparsed else "lint",
        body=_hint(row.fix),
        page=_WIKI.format(row.code),
        columns=(row.column, row.end_column),
    )


def _hint(fix: _Fix | None) -> str:
    """`Fix: insert "..." at 2:6; replace 3:1-3:4 by "..."`, or "" without a fix."""
    return f"Fix: {'; '.join(map(_edit, fix.replacements))}" if fix and fix.replacements else ""


def _edit(edit: Replacement) -> str:
    if (edit.line, edit.column) == (edit.end_line, edit.end_column):
        return f"insert `{edit.replacement}` at {edit.line}:{edit.column}"
    return (
        f"replace {edit.line}:{edit.column}-{edit.end_line}:{edit.end_column} by "
        f"`{edit.replacement}`"
    )
