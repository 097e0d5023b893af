"""Where programs are looked up by name: in the absolute folders of PATH, and nowhere else.

An empty folder on PATH, `.` and every relative one mean the folder in which somebody works, and
that holds the reviewed change: a file of it named `git` or `ruff` would run in their place
(https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html, PATH).
"""

import os
import shutil
from collections.abc import Iterable, Mapping

# One folder or file each. The XDG specification has relative ones ignored, too; git reads settings
# and programs from such places. https://specifications.freedesktop.org/basedir-spec/latest/
_PLACES = (
    "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "GIT_EXEC_PATH",
)  # fmt: skip


def absolute_folders(path: str) -> list[str]:
    """The absolute folders of a PATH, in its order."""
    return [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]


def absolute_path_value(path: str) -> str:
    """A PATH of the absolute folders alone; of the system's own where there is none."""
    return os.pathsep.join(absolute_folders(path) or absolute_folders(os.defpath))


def find_in_folders(name: str, among: Iterable[str]) -> str | None:
    """The program of that bare name in the first of the folders that has it."""
    return (
        shutil.which(name, path=os.pathsep.join(absolute_folders(os.pathsep.join(among))))
        if os.path.basename(name) == name
        else None
    )


def outside_work_tree(path: str, start: str, program: str) -> str:
    """The folders of a PATH that do not lie in the work tree around `start`, which may hold a
    program of that name; all, where only one of these has it: a home can be a work tree."""
    top = _work_tree(os.path.realpath(start))
    if top is None:
        return path
    outside = [folder for folder in absolute_folders(path) if not _is_within(folder, top)]
    return os.pathsep.join(outside) if find_in_folders(program, outside) else path


def _work_tree(folder: str) -> str | None:
    """The outermost folder around this one that looks like a work tree, without asking git."""
    found = None
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            found = folder
        above = os.path.dirname(folder)
        if above == folder:
            return found
        folder = above


def _is_within(folder: str, top: str) -> bool:
    return any(
        os.path.commonpath((top, place)) == top
        for place in (os.path.normpath(folder), os.path.realpath(folder))
    )


def python_folders(env: Mapping[str, str], tree: str) -> list[str]:
    """Those of PYTHONPATH that are absolute and lie outside of the work tree: where the user keeps
    plug-ins of ours."""
    top = os.path.realpath(tree)
    return [
        each
        for each in absolute_folders(env.get("PYTHONPATH", ""))
        if os.path.commonpath((top, os.path.realpath(each))) != top
    ]


def with_absolute_paths(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which no variable names a place relative to the folder that a program
    happens to run in."""
    kept = {
        name: value for name, value in env.items() if name not in _PLACES or os.path.isabs(value)
    }
    return {**kept, "PATH": absolute_path_value(kept["PATH"])} if "PATH" in kept else kept
