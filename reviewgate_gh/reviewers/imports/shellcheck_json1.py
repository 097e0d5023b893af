"""ShellCheck's `json1`. Its fixes are parts of lines, so they are told in the body."""

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
    try:
        text = data.decode("utf-8", "surrogatepass")  # how it writes file names that are not UTF-8
    except UnicodeDecodeError as error:
        raise ValueError(f"not ShellCheck json1: byte {error.start} is not UTF-8") from None
    plain = strict.load_json(text.removeprefix("\ufeff"), "ShellCheck json1", unique=True)
    return [_finding(row, root) for row in strict.checked(plain, _Document, "ShellCheck").comments]


class _Edit(Struct, frozen=True, rename="camel"):
    line: strict.WholeNumber
    column: strict.WholeNumber
    end_line: strict.WholeNumber
    end_column: strict.WholeNumber
    replacement: str


class _Fix(Struct, frozen=True):
    replacements: tuple[_Edit, ...] = ()


class _Comment(Struct, frozen=True, rename="camel"):
    file: str
    line: strict.WholeNumber
    level: strict.Level
    code: strict.WholeNumber
    message: str
    end_line: strict.WholeNumber | None = None
    fix: _Fix | None = None


class _Document(Struct, frozen=True):
    comments: tuple[_Comment, ...]


def _finding(row: _Comment, root: str) -> Finding:
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
        body="\n".join(part for part in (_hint(row.fix), _WIKI.format(row.code)) if part),
    )


def _hint(fix: _Fix | None) -> str:
    """`Fix: insert "..." at 2:6; replace 3:1-3:4 by "..."`, or "" without a fix."""
    return f"Fix: {'; '.join(map(_edit, fix.replacements))}" if fix and fix.replacements else ""


def _edit(edit: _Edit) -> str:
    if (edit.line, edit.column) == (edit.end_line, edit.end_column):
        return f"insert `{edit.replacement}` at {edit.line}:{edit.column}"
    return (
        f"replace {edit.line}:{edit.column}-{edit.end_line}:{edit.end_column} by "
        f"`{edit.replacement}`"
    )
