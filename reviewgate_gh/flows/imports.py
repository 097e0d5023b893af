"""Reports of other tools, read as reviews."""

from collections.abc import Iterable
from pathlib import Path

from ..model.errors import UsageError
from ..model.review import Review
from ..system.git import Git


def read_imports(paths: Iterable[Path], git: Git) -> tuple[Review, ...]:
    """One review for each file.

    Raises:
        UsageError: a file cannot be read.
    """
    from ..reviewers._imported import imported

    return tuple(imported(path, _read(path), str(git.tree or "")) for path in paths)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "name an existing file with --import") from None
