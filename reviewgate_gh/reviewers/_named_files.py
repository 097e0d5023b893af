"""The files of the work tree that would run with a command, and whether their content is the approved one."""

import os
import stat
from collections.abc import Iterable, Sequence
from posixpath import dirname

from ..model.approvals import Approvals
from ..model.errors import UsageError
from ..steps.mentions import Names
from ..system.approvals import blob_id
from ..system.git import Git

_MOST_FILES = 1000
_MOST_BYTES = 1_000_000  # a larger file is compared, and not searched for mentions


def named_files(git: Git, words: Sequence[str] = (), start: Iterable[str] = ()) -> dict[str, str]:
    """The blob id by path of each file that the command or the files in `start` name, and that those name in turn.

    A file that is not a regular one, or that is reached through a link, has the id "": its content cannot be approved.

    Raises:
        UsageError: they are too many.
    """
    if git.tree is None:
        return {}
    root = os.path.realpath(git.tree)
    names = Names(_paths(git))
    inner = [word.replace(f"{root}/", "") for word in words]
    todo, found = [*names.of_command(inner), *start], dict[str, str]()
    while todo:
        path = todo.pop()
        if path in found:
            continue
        if not os.path.lexists(os.path.join(root, path)):
            continue
        if len(found) == _MOST_FILES:
            many = f"it names more than {_MOST_FILES} files of the work tree"
            raise UsageError(many, "approve the change as a whole: reviewgate-gh trust --change RANGE")
        data = _content(root, path)
        found[path] = "" if data is None else blob_id(git, data)
        if data is not None and len(data) <= _MOST_BYTES and b"\0" not in data:
            todo += names.of_text(data.decode("utf-8", "replace"), dirname(path)) - found.keys()
    return found


def unapproved_file(git: Git, approvals: Approvals, words: Sequence[str] = (), start: Iterable[str] = ()) -> str:
    """The first of these files whose content is not approved; "" where all of them are.

    Raises:
        UsageError: they are too many.
    """
    found = named_files(git, words, start)
    return next((path for path, oid in sorted(found.items()) if not oid or not approvals.holds(path, oid)), "")


def _paths(git: Git) -> list[str]:
    """What git tracks, and what lies beside it without being ignored."""
    rows = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", in_tree=True)
    return [path for path in os.fsdecode(rows).split("\0") if path]


def _content(root: str, path: str) -> bytes | None:
    """The content of a regular file that is reached without links; None for anything else."""
    place = root
    try:
        for part in path.split("/"):
            place = os.path.join(place, part)
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                return None
        if not stat.S_ISREG(mode):
            return None
        with open(place, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None
