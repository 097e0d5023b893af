"""Reviewdog Diagnostic Format, one document (`rdjson`)."""

from typing import Any

from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text import strict


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings; paths below the absolute folder `root` become relative.

    Raises:
        ValueError: not rdjson, or cut short.
    """
    top = strict.json_object(
        strict.load_json(strict.decode(data, "rdjson"), "rdjson", unique=True), "rdjson"
    )
    rows = strict.json_array(top.get("diagnostics"), "diagnostics")
    tool = source_name(top, "rdjson")
    return [
        parse_diagnostic(row, f"diagnostic {n}", root, tool, top.get("severity"))
        for n, row in enumerate(rows, 1)
    ]


_SEVERITY = {
    "UNKNOWN_SEVERITY": Priority.P2, "ERROR": Priority.P1, "WARNING": Priority.P2,
    "INFO": Priority.P3,
    0: Priority.P2, 1: Priority.P1, 2: Priority.P2, 3: Priority.P3,
}  # fmt: skip


def parse_diagnostic(
    value: Any, where: str, root: str, tool: str = "", severity: Any = None
) -> Finding:
    """The finding in one diagnostic; `tool` and `severity` are those of the whole document."""
    diagnostic = strict.json_object(value, where)
    location = strict.json_object(diagnostic.get("location"), f"{where}: location")
    code = strict.json_object(diagnostic.get("code") or {}, f"{where}: code")
    lines, fixes = (
        _lines(location.get("range"), where),
        _fixes(diagnostic.get("suggestions"), where),
    )
    whole_lines = next((text for span, text in fixes if span == lines and text is not None), None)
    found = strict.tool_finding(
        strict.tool_slug(source_name(diagnostic, where) or tool or "rdjson"),
        strict.json_string(code.get("value") or "", f"{where}: code"),
        _priority(diagnostic.get("severity") or severity or 0, where),
        strict.relative_path(strict.path_text(location.get("path"), f"{where}: path"), root),
        lines,
        strict.json_string(diagnostic.get("message"), f"{where}: message"),
        page=strict.json_string(code.get("url") or "", f"{where}: code.url"),
        columns=_columns(location.get("range"), lines[1], where),
    )
    return replace(found, suggestion=whole_lines)


def source_name(holder: dict[str, Any], where: str) -> str:
    """The name of the tool that a document or a diagnostic names, or ""."""
    source = strict.json_object(holder.get("source") or {}, f"{where}: source")
    return strict.json_string(source.get("name") or "", f"{where}: source.name")


def _priority(severity: Any, where: str) -> Priority:
    if type(severity) not in (str, int) or severity not in _SEVERITY:
        raise ValueError(f"{where}: unknown severity {strict.one_line(repr(severity), 40)}")
    return _SEVERITY[severity]


def _lines(span: Any, where: str) -> tuple[int, int]:
    """First and last line; (0, 0) without a range. An end at column 1 does not reach into its
    line."""
    (start, _), (end, column) = _corners(span, where)
    return start, end - 1 if column == 1 and end > start else end


def _columns(span: Any, last: int, where: str) -> tuple[int, int]:
    (_, first), (end, behind) = _corners(span, where)
    return first, behind if end == last else 0


def _corners(span: Any, where: str) -> tuple[tuple[int, int], tuple[int, int]]:
    corners = strict.json_object(span or {}, f"{where}: range")
    start = _corner(corners.get("start"), where)
    return start, _corner(corners.get("end"), where) if corners.get("end") else (start[0], 0)


def _corner(value: Any, where: str) -> tuple[int, int]:
    corner = strict.json_object(value or {}, f"{where}: range")
    return strict.whole_number(corner.get("line", 0), f"{where}: line"), strict.whole_number(
        corner.get("column", 0), f"{where}: column"
    )


def _fixes(value: Any, where: str) -> list[tuple[tuple[int, int], str | None]]:
    """Each suggestion as its lines and their new text; None where it covers only part of a line."""
    found = []
    for item in strict.json_array(value or [], f"{where}: suggestions"):
        suggestion = strict.json_object(item, f"{where}: suggestion")
        text = strict.json_string(suggestion.get("text", ""), f"{where}: suggestion text")
        (_, first), (end, last) = _corners(suggestion.get("range"), where)
        lines = _lines(suggestion.get("range"), where)
        open_ended = first <= 1 and last == 0
        to_next_line = (
            first <= 1 and last == 1 and end > lines[1] and (not text or text.endswith("\n"))
        )
        found.append((lines, text.removesuffix("\n") if open_ended or to_next_line else None))
    return found
