"""The cases of a public benchmark, read from outside the repository: changes, and the remarks that
experts made on them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reviewgate_gh.model.change import FileDiff, Hunk

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def cases(data: Path) -> list[dict[str, Any]]:
    """The cases in order."""
    return [json.loads(line) for line in (data / "bcbench-dev.jsonl").read_text().splitlines()]


def comments(data: Path) -> list[tuple[int, dict[str, Any]]]:
    """Every expert's remark with the number of its case; a remark's place in this list is its
    index."""
    return [
        (number, comment)
        for number, case in enumerate(cases(data))
        for comment in case["expected_comments"]
    ]


def files(patch: str) -> tuple[FileDiff, ...]:
    """The changed files of a patch in a benchmark's plain form."""
    return tuple(
        _file(section) for section in re.split(r"^diff --git .*\n", patch, flags=re.MULTILINE)[1:]
    )


def _file(section: str) -> FileDiff:
    path = re.search(r"^\+\+\+ b/(.*)$", section, re.MULTILINE)[1]  # type: ignore[index]
    return FileDiff(
        path, path, "M", "100644", "100644", "0" * 40, "1" * 40, hunks=tuple(_hunks(section))
    )


def _hunks(section: str) -> Iterator[Hunk]:
    found = [*re.finditer(r"^@@ .*\n", section, re.MULTILINE)]
    for at, head in enumerate(found):
        body = section[head.end() : found[at + 1].start() if at + 1 < len(found) else len(section)]
        old, old_count, new, new_count = _HUNK.match(head[0]).groups("1")  # type: ignore[union-attr]
        yield Hunk(int(old), int(old_count), int(new), int(new_count), b"", body.encode())
