"""BC-Bench: rows of JSONL, each with a patch and the comments of experts
(https://github.com/microsoft/BC-Bench)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..case import Case, ExpectedFinding, ExpectedPlace, PatchSource, check_path
from ._rows import priority_of, read_jsonl, wrong


class _Comment(Struct, frozen=True):
    file: str
    line_start: int
    line_end: int
    body: str
    severity: str


class _Row(Struct, frozen=True):
    instance_id: str
    patch: str
    expected_comments: list[_Comment]
    expect_findings: bool


def recognises(path: Path, first: Any) -> bool:
    """Whether the data set has this layout, by its first row."""
    return isinstance(first, dict) and "expected_comments" in first and "patch" in first


def read(path: Path) -> Iterator[Case]:
    """The cases of a file.

    Raises:
        ConfigError: a row is wrong.
    """
    for where, row in read_jsonl(path, _Row):
        if row.expect_findings is not bool(row.expected_comments):
            said = "expect_findings contradicts expected_comments"
            raise wrong(where, ValueError(said))
        expected = tuple(_expected(comment, where) for comment in row.expected_comments)
        patch = row.patch.encode("utf-8", "surrogatepass")
        yield Case(row.instance_id, PatchSource(patch), expected)


def _expected(comment: _Comment, where: str) -> ExpectedFinding:
    if not 0 < comment.line_start <= comment.line_end:
        lines = f"lines {comment.line_start} to {comment.line_end} are not lines of a file"
        raise wrong(where, ValueError(lines))
    try:
        at = ExpectedPlace(check_path(comment.file), comment.line_start, comment.line_end)
    except ValueError as error:
        raise wrong(where, error) from None
    title, _, body = comment.body.partition(". ")
    return ExpectedFinding(f"{title}\n{body}", (at,), priority_of(comment.severity, where))
