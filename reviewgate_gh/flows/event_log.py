"""Where events go: standard error, and a file beside the run."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..model.event import Event
from ..model.values import dataclass
from ..steps.events import json_line, text_line
from ..system.journal import append_record, read_records
from ..system.world import World

FILE = "events.jsonl"


@dataclass(frozen=True, slots=True)
class EventLog:
    """Call it with an event. A disk or a reader that refuses changes nothing."""

    folder: Path
    world: World
    run_id: str = ""
    as_json: bool = False

    def __call__(self, event: Event, told: bool = False) -> None:
        """Write the event down in both places; what a person is `told` as the answer is not shown twice."""
        record = json_line(event, self.world.now(), self.run_id)
        if self.as_json or not told:
            with suppress(OSError):
                print(record if self.as_json else text_line(event), file=sys.stderr, flush=True)
        with suppress(OSError):
            append_record(self.folder / FILE, record)


def read_events(folder: Path) -> list[dict[str, Any]]:
    """What was written down beside a run, oldest first."""
    return read_records(folder / FILE)
