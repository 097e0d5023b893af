"""Reports of other tools, read as reviews."""

from collections.abc import Iterable
from pathlib import Path

from ..model.errors import UsageError
from ..model.review import Review
from ..system.git import Git

_MOST = 200_000_000  # bytes


def read_imports(paths: Iterable[Path], git: Git) -> tuple[Review, ...]:
    """One review for each file.

    Raises:
        UsageError: a file cannot be read.
    """
    from ..reviewers._imported import imported

    return tuple(imported(path, _read(path), str(git.tree or "")) for path in paths)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "name an existing file with --import") from None
    if len(data) > _MOST:
        raise UsageError(f"{path} is larger than {_MOST // 1_000_000} MB", "name a smaller report with --import")
    return data
