"""Which coding agent the programs above this process show, where its own environment does not.

Who clears the variables (`env -i`, a script that unsets them) leaves them in the process that did
it: Linux shows the environment that each was started with.
https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..model.variables import AGENT_MARKS, AGENT_PROGRAMS

_MOST = 100  # processes
_PROCESSES = Path("/proc")


def marks_above() -> Mapping[str, str]:
    """The variables of the nearest process above that show an agent; none where there is none, or
    where the system does not tell."""
    for process in _above():
        if found := _marks(process):
            return found
    return {}


def _above() -> Iterator[Path]:
    number = os.getppid()
    for _ in range(_MOST):
        if number <= 1:
            return
        process = _PROCESSES / str(number)
        yield process
        # After the name, which may hold anything: the state, and the parent
        fields = _read(process / "stat").rpartition(b")")[2].split()
        number = int(fields[1]) if len(fields) > 1 else 0


def _marks(process: Path) -> Mapping[str, str]:
    for row in _read(process / "environ").split(b"\0"):
        name, _, value = row.partition(b"=")
        if value and os.fsdecode(name) in AGENT_MARKS:
            return {os.fsdecode(name): os.fsdecode(value)}
    # An agent itself is started without them; one of a script's language stands behind that
    for word in _read(process / "cmdline").split(b"\0")[:2]:
        mark = AGENT_PROGRAMS.get(os.fsdecode(word).rpartition("/")[2])
        if mark:
            return {mark: "1"}
    return {}


def _read(path: Path) -> bytes:
    """A process that has ended, or is somebody else's, tells nothing."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
