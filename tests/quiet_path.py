"""A PATH without the linters that the gate runs wherever they are installed: what a test sees must
not depend on the compilers of the machine."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from reviewgate_gh.system import plugins

# Workers of xdist begin with the environment that the first process has changed
MACHINE_PATH = os.environ.setdefault("PYTEST_MACHINE_PATH", os.environ["PATH"])


def hide_found_linters() -> None:
    """Put a folder of links in the place of each folder of PATH that holds such a program."""
    if os.environ["PATH"] != MACHINE_PATH:
        return
    tools = (plugins.load("linters", name) for name in plugins.names("linters"))
    hidden = {tool.PROGRAM for tool in tools if getattr(tool, "WHEN_INSTALLED", False)}
    top = Path(tempfile.mkdtemp(prefix="path-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    os.environ["PATH"] = os.pathsep.join(
        _mirror(folder, top / str(number), hidden)
        for number, folder in enumerate(MACHINE_PATH.split(os.pathsep))
    )


def _mirror(folder: str, mirror: Path, hidden: set[str]) -> str:
    if not any(os.path.exists(f"{folder}/{name}") for name in hidden):
        return folder
    mirror.mkdir()
    for entry in os.scandir(folder):
        if entry.name not in hidden:
            (mirror / entry.name).symlink_to(entry.path)
    return str(mirror)
