"""Where events go: standard error, and a file beside the run, a JSON object a line."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..model.event import Event
from ..steps.events import json_line, text_line
from .world import World

FILE = "events.jsonl"
_MOST_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class EventLog:
    """Call it with an event. A disk or a reader that refuses changes nothing. `folder` None: no file."""

    folder: Path | None
    world: World
    run_id: str = ""
    as_json: bool = False

    def __call__(self, event: Event) -> None:
        """Write the event down in both places."""
        record = json_line(event, self.world.now(), self.run_id)
        with suppress(OSError, AttributeError):
            print(record if self.as_json else text_line(event), file=sys.stderr, flush=True)
        if self.folder:
            with suppress(OSError):
                _append(self.folder / FILE, record.encode() + b"\n")


def _append(path: Path, line: bytes) -> None:
    """One write, so that lines of several processes stay whole; after a line that was cut off a new one begins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(handle).st_size
        if size > _MOST_BYTES:
            os.replace(path, path.with_name(f"{path.name}.1"))
        cut = size and os.pread(handle, 1, size - 1) != b"\n"
        os.write(handle, b"\n" + line if cut else line)
    finally:
        os.close(handle)


def read_events(folder: Path) -> list[dict[str, Any]]:
    """What was written down, oldest first; lines that are damaged are left out."""
    found = []
    for path in (folder / f"{FILE}.1", folder / FILE):
        with suppress(FileNotFoundError):
            for line in path.read_bytes().splitlines():
                with suppress(ValueError, RecursionError):
                    record = json.loads(line)
                    found += [record] if isinstance(record, dict) else []
    return found
