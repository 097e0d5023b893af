"""Which version of a tool a Python package has installed: known without running the tool."""

import os
import re
import site
from contextlib import suppress
from pathlib import Path

_INFO = ".dist-info"


def wheel_version(program: str) -> str:
    """The version of the package with the program's name that brought this very file, by its own list of files; "" where none did."""
    name = os.path.basename(program)
    for folder in site.getsitepackages():
        with suppress(OSError, ValueError):
            for info in os.listdir(folder):
                if info.startswith(f"{name}-") and info.endswith(_INFO) and _brought(Path(folder), info, program):
                    return info.removeprefix(f"{name}-").removesuffix(_INFO)
    return ""


def _brought(folder: Path, info: str, program: str) -> bool:
    """The list has the program, with the size that it has."""
    listed = (folder / info / "RECORD").read_text("utf-8")
    size = os.stat(program).st_size
    rows = re.findall(rf"^([^,\n]*/{re.escape(os.path.basename(program))}),[^,\n]*,{size}$", listed, re.MULTILINE)
    return any(os.path.realpath(folder / row) == os.path.realpath(program) for row in rows)
