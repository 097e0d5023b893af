"""The gate's own files in a commit or the work tree. A link or a folder in place of one is a
mistake, never followed."""

import os
from collections.abc import Sequence
from pathlib import Path

from ..model.errors import ConfigError, UsageError
from ..system.files import write_atomic
from .client import Git
from .objects import list_top_level, read_files

_MODE = 0o644


def top_folder(git: Git) -> Path:
    """The repository's top folder.

    Raises:
        UsageError: there is no work tree.
    """
    if git.tree is None:
        raise UsageError("a bare repository has no work tree", "run this in a clone")
    return git.tree


def path_in_top(git: Git, name: str) -> Path:
    """Where a file of the top folder lies.

    Raises:
        UsageError: there is no work tree.
    """
    return top_folder(git) / name


def read_or_none(path: Path) -> bytes | None:
    """The content, or None where there is no such file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "it must be a file that you may read"
        ) from None


def read_existing(path: Path) -> bytes:
    """The content of a file that the user has named.

    Raises:
        UsageError: it is not there or cannot be read.
    """
    data = read_or_none(path)
    if data is None:
        raise UsageError(f"there is no file {path}", "name an existing file")
    return data


def replace_file(path: Path, data: bytes) -> None:
    """Replace the file, whole or not at all, with the rights it had.

    Raises:
        UsageError: it cannot be written, or is a link, which replacing would break.
    """
    if path.is_symlink():
        raise UsageError(
            f"{path} is a symbolic link",
            "replace it with a regular file: the gate does not follow symbolic links",
        )
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else _MODE
        write_atomic(path, data)
        os.chmod(path, mode)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "nothing was changed") from None


_HINT = "replace it with a regular file: symbolic links are not followed"


def read_own_files_at(git: Git, tree: str, names: Sequence[str]) -> dict[str, bytes]:
    """Content by name of those that lie at the top of a commit or tree.

    Raises:
        ConfigError: one is there and cannot be read as a file.
    """
    found = read_files(git, tree, names)
    top = list_top_level(git, tree)
    for name in names:
        mode, _oid = top.get(os.fsencode(name), (b"", b""))
        if mode and name not in found:
            what = (
                "is missing from this clone" if mode.startswith(b"100") else "is not a regular file"
            )
            raise ConfigError(f"{name} of {tree[:12]} {what}", _HINT)
    return found


def read_own_file(git: Git, name: str) -> bytes | None:
    """The content of the one in the work tree, or None.

    Raises:
        ConfigError: it is a link, or a pipe or device, which might never end.
        UsageError: it cannot be read, or there is no work tree.
    """
    place = path_in_top(git, name)
    if place.is_symlink():
        raise ConfigError(f"{name} is a symbolic link", _HINT)
    if place.exists() and not (place.is_file() or place.is_dir()):
        raise ConfigError(f"{name} is not a regular file", _HINT)
    return read_or_none(place)


_STATUS = ("--porcelain", "-z", "--ignore-submodules=all", "--no-renames")


def uncommitted_files(git: Git, untracked: bool = False) -> tuple[str, ...]:
    """The tracked files that are not as HEAD has them, staged or not; submodules aside.

    With `untracked` also those that git would add; of a new folder only its name, with a slash.
    """
    option = f"--untracked-files={'normal' if untracked else 'no'}"
    rows = git.run("status", *_STATUS, option, in_tree=True).split(b"\0")
    return tuple(os.fsdecode(row[3:]) for row in rows if row)


def watched_files(git: Git) -> frozenset[str]:
    """The files that git tracks and looks at: not those that are assumed unchanged or left out of a
    sparse checkout."""
    # https://git-scm.com/docs/git-ls-files (-v)
    rows = git.run("ls-files", "-z", "-v", in_tree=True).split(b"\0")
    return frozenset(os.fsdecode(row[2:]) for row in rows if row.startswith(b"H "))
