"""Which version of a program would run."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from ..system import process
from ..system.scratch import scratch
from ..system.together import Later

_SECONDS, _CAP = 10.0, process.MEGABYTE


@cache
def version(argv: tuple[str, ...], path: str) -> Later[str]:
    """What the program says of itself, asked for once a run; npm has written it down for those that need seconds to say it."""
    return Later(lambda: _packaged(Path(argv[0])) or _said(argv, path))


def _packaged(program: Path) -> str:
    """The version of the npm package whose command this very file is."""
    file = program.resolve()
    for folder in list(file.parents)[:4]:
        with suppress(OSError, ValueError, AttributeError, TypeError):
            package = json.loads((folder / "package.json").read_bytes())
            if file in {(folder / name).resolve() for name in _commands(package["bin"])}:
                return str(package["version"])
    return ""


def _commands(entry: object) -> Iterator[str]:
    yield from entry.values() if isinstance(entry, dict) else [str(entry)]


def _said(argv: tuple[str, ...], path: str) -> str:
    try:
        with scratch({}) as place:
            env = {"PATH": path, "HOME": str(place.home), "TMPDIR": str(place.temporary)}
            done = process.run(argv, cwd=place.work, env=env, deadline=_SECONDS, cap=_CAP)
    except (process.ToolMissing, OSError):
        return ""
    found = re.search(rb"\d+\.\d[\w.+-]*", done.out)
    done.close()
    return found[0].decode() if found else ""
