"""The gate's own files, of a commit or in the work tree: a link or a folder in the place of one is a mistake, never the same as none."""

import os
from collections.abc import Sequence

from ..model.errors import ConfigError
from . import tree_file
from .git import Git
from .git.objects import list_top, read_files

_HINT = "replace it with a regular file: symbolic links are not followed"


def of_commit(git: Git, tree: str, names: Sequence[str]) -> dict[str, bytes]:
    """Content by name of those that lie at the top of a commit or tree.

    Raises:
        ConfigError: one is there and cannot be read as a file.
    """
    found = read_files(git, tree, names)
    top = list_top(git, tree)
    for name in names:
        mode, _oid = top.get(os.fsencode(name), (b"", b""))
        if mode and name not in found:
            what = "is missing from this clone" if mode.startswith(b"100") else "is not a regular file"
            raise ConfigError(f"{name} of {tree[:12]} {what}", _HINT)
    return found


def in_tree(git: Git, name: str) -> bytes | None:
    """The content of the one in the work tree, or None.

    Raises:
        ConfigError: it is a link, or a pipe or device, which might never end.
        UsageError: it cannot be read, or there is no work tree.
    """
    place = tree_file.place(git, name)
    if place.is_symlink():
        raise ConfigError(f"{name} is a symbolic link", _HINT)
    if place.exists() and not (place.is_file() or place.is_dir()):
        raise ConfigError(f"{name} is not a regular file", _HINT)
    return tree_file.read(place)
