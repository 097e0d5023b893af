"""Martian's code review benchmark: pull requests of public projects, each with golden comments that
name no place (https://github.com/withmartian/code-review-benchmark, offline/golden_comments)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ....model.errors import ConfigError
from ....text.patterns import lazy_pattern
from ..case import Case, ExpectedFinding, Origin, OriginSource
from ._rows import priority_of, read_list, wrong

_ADDRESS = lazy_pattern(
    r"https://[^/\s]+/([\w.-]+/[\w.-]+)/(?:pull/(\d{1,9})|commit/([0-9a-f]{7,64}))(?:[/?#].*)?"
)


class _Comment(Struct, frozen=True):
    comment: str
    severity: str


class _Row(Struct, frozen=True):
    url: str
    comments: list[_Comment]
    original_url: str | None = None


def recognises(path: Path, first: Any) -> bool:
    """Whether the data set has this layout: a list of pull requests, or a folder of such lists."""
    if path.is_dir():
        return any(path.glob("*.json"))
    return isinstance(first, dict) and "comments" in first and "url" in first


def read(path: Path) -> Iterator[Case]:
    """The cases of a file, or of all in a folder.

    Raises:
        ConfigError: an entry is wrong.
    """
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        for where, row in read_list(file, _Row):
            urls = dict.fromkeys((row.url, row.original_url))
            origins = tuple(_origin(url, where) for url in urls if url)
            expected = tuple(
                ExpectedFinding(each.comment, (), priority_of(each.severity, where))
                for each in row.comments
            )
            if not all(each.text.strip() for each in expected):
                raise wrong(where, ValueError("a comment is empty"))
            yield Case(origins[0].name, OriginSource(origins), expected)


def _origin(url: str, where: str) -> Origin:
    if found := _ADDRESS.fullmatch(url):
        return Origin(found[1], int(found[2] or 0), found[3] or "")
    raise ConfigError(
        f"{where}: {url!r} is not the URL of a pull request or a commit", "correct the url"
    )
