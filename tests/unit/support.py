"""Changes and findings for tests of pure steps."""

from msgspec.structs import replace

from reviewgate_gh.model.change import Change, FileDiff, Hunk
from reviewgate_gh.model.finding import Finding, Priority


def added(path: str, text: str, start: int = 1, **fields: object) -> FileDiff:
    """A file to which these lines were added at `start`, with nothing around them."""
    body = "".join(f"+{line}\n" for line in text.splitlines()).encode("utf-8", "surrogateescape")
    count = len(text.splitlines())
    file = FileDiff(
        path,
        path,
        "M",
        "100644",
        "100644",
        "0" * 40,
        "1" * 40,
        hunks=(Hunk(start, 0, start, count, b"", body),),
    )
    return replace(file, **fields)  # type: ignore[arg-type]


def edited(path: str, *rows: str, start: int = 1, **fields: object) -> FileDiff:
    """A file with one hunk of these rows, signs included."""
    old = sum(row[0] in " -" for row in rows)
    new = sum(row[0] in " +" for row in rows)
    hunk = Hunk(start, old, start, new, b"", "".join(f"{row}\n" for row in rows).encode())
    return replace(
        FileDiff(path, path, "M", "100644", "100644", "0" * 40, "1" * 40, hunks=(hunk,)), **fields
    )  # type: ignore[arg-type]


def change(*files: FileDiff, trusted: bool = True) -> Change:
    """A change of these files."""
    return Change("/r/.git", "a" * 40, "b" * 40, trusted, "b" * 40, files=files)


def finding(
    path: str = "a.py",
    line: int = 1,
    rule: str = "ruff/F821",
    title: str = "Undefined name x",
    **fields: object,
) -> Finding:
    """A finding of one line."""
    return replace(Finding(Priority.P1, "lint", rule, path, line, line, title), **fields)  # type: ignore[arg-type]
