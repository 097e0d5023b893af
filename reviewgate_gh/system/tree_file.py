"""Files of ours that lie in the user's work tree and that the user commits."""

import os
from pathlib import Path

from ..model.errors import UsageError
from .git import Git
from .store import write_atomic

_MODE = 0o644


def top(git: Git) -> Path:
    """The repository's top folder.

    Raises:
        UsageError: there is no work tree.
    """
    if git.tree is None:
        raise UsageError("a bare repository has no work tree", "run this in a clone")
    return git.tree


def place(git: Git, name: str) -> Path:
    """Where a file of the top folder lies.

    Raises:
        UsageError: there is no work tree.
    """
    return top(git) / name


def read(path: Path) -> bytes | None:
    """The content, or None where there is no such file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "it must be a file that you may read") from None


def read_existing(path: Path) -> bytes:
    """The content of a file that the user has named.

    Raises:
        UsageError: it is not there or cannot be read.
    """
    data = read(path)
    if data is None:
        raise UsageError(f"there is no file {path}", "name an existing file")
    return data


def write(path: Path, data: bytes) -> None:
    """Replace the file, whole or not at all, with the rights it had.

    Raises:
        UsageError: it cannot be written, or is a link, which replacing would break.
    """
    if path.is_symlink():
        raise UsageError(f"{path} is a symbolic link", "replace it with a regular file: the gate does not follow symbolic links")
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else _MODE
        write_atomic(path, data)
        os.chmod(path, mode)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "nothing was changed") from None
