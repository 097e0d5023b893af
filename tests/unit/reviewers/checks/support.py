"""Changes for tests of the checks, and their answers in short."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from reviewgate_gh.model.change import Change, FileDiff, Hunk
from reviewgate_gh.reviewers.checks._sources import CheckInput

NONE = "0" * 40


def new(path: str, text: str | bytes = "", **fields: object) -> FileDiff:
    """A file that the change adds."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    rows = data.removesuffix(b"\n").split(b"\n") if data else []
    hunks = (
        (Hunk(0, 0, 1, len(rows), b"", b"".join(b"+" + row + b"\n" for row in rows)),)
        if rows
        else ()
    )
    return replace(
        FileDiff(path, path, "A", "000000", "100644", NONE, "1" * 40, hunks=hunks), **fields
    )  # type: ignore[arg-type]


def edited(path: str, *rows: str, start: int = 1) -> FileDiff:
    """A file with one hunk of these rows, signs included."""
    old, fresh = sum(row[0] in " -" for row in rows), sum(row[0] in " +" for row in rows)
    hunk = Hunk(start, old, start, fresh, b"", "".join(f"{row}\n" for row in rows).encode())
    return FileDiff(path, path, "M", "100644", "100644", "2" * 40, "1" * 40, hunks=(hunk,))


def sources(
    *files: FileDiff,
    contents: Mapping[str, str | bytes] | None = None,
    sizes: Mapping[str, int] | None = None,
    head_paths: tuple[str, ...] = (),
    trusted: bool = True,
    whole: bool = False,
) -> CheckInput:
    """What a check gets."""
    change = Change("/r/.git", "a" * 40, "b" * 40, trusted, "b" * 40, files=files, whole_tree=whole)
    data = {
        path: text if isinstance(text, bytes) else text.encode()
        for path, text in (contents or {}).items()
    }
    return CheckInput(change, data, sizes or {}, head_paths)


def short(check: ModuleType, given: CheckInput) -> list[tuple[str, str, str]]:
    """Priority, rule without its prefix, and location of each finding."""
    return [
        (f.priority.value, f.rule.removeprefix("builtin/"), f.location) for f in check.check(given)
    ]


def on(check: ModuleType, path: str, text: str | bytes, **more: Any) -> list[tuple[str, str, str]]:
    """The findings on a new file, whose content the check may read too."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return short(check, sources(new(path, data), contents={path: data}, **more))
