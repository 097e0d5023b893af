"""Which version of a program would run. One that does not say it properly is a broken program, whatever else it answers."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..model.values import dataclass
from ..system import process
from ..system.scratch import scratch
from ..system.small_file import read_small
from ..system.together import Later

SECONDS = 30.0  # Python and Node programs need several on a busy machine
_CAP = process.MEGABYTE
_LEVELS = 4  # folders above a program's file in which its package.json may lie
_NUMBER = re.compile(rb"(?<![\w.])v?(\d+\.\d[\w.+-]*)")  # not the one in "built with go1.26.8"
UNNUMBERED = "unnumbered build"


@dataclass(frozen=True, slots=True)
class Version:
    """The number, or why the program did not say it."""

    number: str = ""
    error: str = ""


@cache
def version(argv: tuple[str, ...], path: str) -> Later[Version]:
    """What the program says of itself, asked for once a run; npm has written it down for those that need seconds to say it."""
    return Later(lambda: _packaged(Path(argv[0])) or _said(argv, path))


def _packaged(program: Path) -> Version | None:
    """The version of the npm package whose command this very file is."""
    file = _real(program)
    for folder in file.parents[:_LEVELS]:
        package = _object(folder / "package.json")
        number = package.get("version")
        if isinstance(number, str) and number and file in _commands(folder, package.get("bin")):
            return Version(number)
    return None


def _object(path: Path) -> dict[str, object]:
    """What a file of JSON holds; nothing where it is no such file. Any folder may have one, of any origin."""
    try:
        plain = json.loads(read_small(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return plain if isinstance(plain, dict) else {}


def _commands(folder: Path, entry: object) -> set[Path]:
    """The files that a package's `bin` names: one, or one a command."""
    found = set()
    for name in entry.values() if isinstance(entry, dict) else [entry]:
        if isinstance(name, str):
            with suppress(OSError, ValueError):  # no name that a file can have
                found.add(_real(folder / name))
    return found


def _real(path: Path) -> Path:
    """Where the links lead; Path.resolve raises where one leads to itself (https://docs.python.org/3.11/library/pathlib.html)."""
    return Path(os.path.realpath(path))


def _said(argv: tuple[str, ...], path: str) -> Version:
    try:
        with scratch({}) as place:
            return ask_version(argv, cwd=place.work, env={"PATH": path, "HOME": str(place.home), "TMPDIR": str(place.temporary)})
    except OSError as error:
        return Version(error=f"cannot create a folder for it to run in: {error.strerror}")


def linter_version(program: str, tool: Any, env: Mapping[str, str], seconds: float = SECONDS) -> Version:
    """What a linter says of itself, from a folder that holds nothing of the change."""
    argv = [program, *getattr(tool, "VERSION", ("--version",))]
    return ask_version(argv, cwd=Path("/"), env=env, seconds=seconds, unnumbered=getattr(tool, "UNNUMBERED", None))


def ask_version(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], seconds: float = SECONDS, unnumbered: str | None = None
) -> Version:
    """What the command prints; `unnumbered` stands in the answer of a build that nobody gave a number."""
    try:
        done = process.run(argv, cwd=cwd, env=env, deadline=seconds, cap=_CAP)
    except process.ToolMissing as error:
        return Version(error=error.message)
    try:
        why = f"stopped after {done.seconds:.0f} s: {done.stopped}" if done.stopped else f"exit code {done.code}" if done.code else ""
        if why:
            return Version(error=f"--version gave no answer: {why}")
        if found := _NUMBER.search(done.out):
            return Version(found[1].decode())
        if unnumbered and unnumbered.encode() in done.out:
            return Version(UNNUMBERED)
        return Version(error="--version printed no version")
    finally:
        done.close()
