"""ShellCheck's `json1`. Its fixes are parts of lines, so they are told in the body."""

from typing import Any

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
    top = strict.json_object(
        strict.load_json(text.removeprefix("\ufeff"), "ShellCheck json1", unique=True),
        "ShellCheck json1",
    )
    return [
        _finding(row, f"comment {n}", root)
        for n, row in enumerate(strict.json_array(top.get("comments"), "comments"), 1)
    ]


def _finding(value: Any, where: str, root: str) -> Finding:
    row = strict.json_object(value, where)
    code = strict.whole_number(row.get("code"), f"{where}: code")
    level = strict.json_string(row.get("level"), f"{where}: level")
    if level not in strict.BY_LEVEL:
        raise ValueError(f"{where}: unknown level {strict.one_line(level, 40)!r}")
    if code == _OTHER_LANGUAGE:
        level = "info"
    unparsed = level == "error" and 1000 <= code < 2000
    start = strict.whole_number(row.get("line"), f"{where}: line")
    hint = _hint(row.get("fix"), where)
    return strict.tool_finding(
        "shellcheck",
        f"SC{code:04}",
        Priority.P0 if unparsed else strict.BY_LEVEL[level],
        strict.relative_path(strict.path_text(row.get("file"), f"{where}: file"), root),
        (start, strict.whole_number(row.get("endLine", start), f"{where}: endLine")),
        strict.json_string(row.get("message"), f"{where}: message"),
        category="syntax" if unparsed else "lint",
        body="\n".join(part for part in (hint, _WIKI.format(code)) if part),
    )


def _hint(value: Any, where: str) -> str:
    """`Fix: insert "..." at 2:6; replace 3:1-3:4 by "..."`, or "" without a fix."""
    fix = strict.json_object(value or {}, f"{where}: fix")
    edits = [
        _edit(strict.json_object(item, f"{where}: fix"), where)
        for item in strict.json_array(fix.get("replacements", []), f"{where}: fix")
    ]
    return f"Fix: {'; '.join(edits)}" if edits else ""


def _edit(edit: dict[str, Any], where: str) -> str:
    corners = ("line", "column", "endLine", "endColumn")
    line, column, end_line, end_column = (
        strict.whole_number(edit.get(key), f"{where}: fix") for key in corners
    )
    text = strict.json_string(edit.get("replacement"), f"{where}: fix")
    if (line, column) == (end_line, end_column):
        return f"insert `{text}` at {line}:{column}"
    return f"replace {line}:{column}-{end_line}:{end_column} by `{text}`"
