"""Checkstyle XML: `<checkstyle><file name><error line severity message
source/></file></checkstyle>`."""

import xml.etree.ElementTree as ElementTree

from ...model.finding import Finding, Priority
from ...text import strict

_SEVERITY = {
    "error": Priority.P1,
    "warning": Priority.P2,
    "info": Priority.P3,
    "ignore": Priority.P3,
}
_FORBIDDEN = ("<!DOCTYPE", "<!ENTITY")


def parse(data: bytes, root: str = "") -> list[Finding]:
    """The findings; paths below the absolute folder `root` become relative.

    Raises:
        ValueError: not Checkstyle XML, cut short, or with declarations, which can name files and
            grow without end.
    """
    return [
        _finding(error, _name(file), root)
        for file in _files(data)
        for error in _children(file, "error")
    ]


def count_files(data: bytes) -> int:
    """How many files the report names.

    Raises:
        ValueError: as `parse`.
    """
    return len(_files(data))


def _files(data: bytes) -> list[ElementTree.Element]:
    top = _document(strict.decode(data, "Checkstyle XML"))
    if top.tag != "checkstyle":
        raise ValueError(f"not Checkstyle XML: the document is a <{strict.one_line(top.tag, 40)}>")
    return _children(top, "file")


def _document(text: str) -> ElementTree.Element:
    if any(word in text for word in _FORBIDDEN):
        raise ValueError("not Checkstyle XML: document type declarations are refused")
    try:
        # Nothing is declared, so nothing can expand
        return ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError as error:
        raise ValueError(f"not Checkstyle XML: {strict.one_line(str(error))}") from None


def _children(parent: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    other = next((child.tag for child in parent if child.tag not in (tag, "exception")), None)
    if other is not None:
        raise ValueError(f"not Checkstyle XML: <{strict.one_line(other, 40)}> in <{parent.tag}>")
    broken = parent.find("exception")
    if broken is not None:
        raise ValueError(
            f"the tool says its run failed: {strict.one_line(broken.text or 'no reason given')}"
        )
    return list(parent)


def _name(file: ElementTree.Element) -> str:
    return strict.path_text(file.get("name"), "file name")


def _finding(error: ElementTree.Element, path: str, root: str) -> Finding:
    severity, source = error.get("severity", "error"), error.get("source", "")
    if severity not in _SEVERITY:
        raise ValueError(
            f"{strict.one_line(path, 80)}: unknown severity {strict.one_line(severity, 40)!r}"
        )
    if error.get("message") is None:
        raise ValueError(f"{strict.one_line(path, 80)}: an error without a message")
    line = _line(error.get("line", "0"), path)
    message = error.get("message", "")
    return strict.tool_finding(
        "checkstyle",
        source,
        _SEVERITY[severity],
        strict.relative_path(path, root),
        (line, line),
        message,
    )


def _line(text: str, path: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(
            f"{strict.one_line(path, 80)}: {strict.one_line(text, 20)!r} is not a line number"
        )
    return int(text)
