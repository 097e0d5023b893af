"""The events of a run: as lines for people and machines, on standard error and in a file beside the
run."""

import fcntl
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..model.run import LogEvent
from ..system.environment import Environment
from ..text.escape import terminal_line
from ..text.redact import redact

LOGGER = "cumulative_review"
_MOST = 600


def text_line(event: LogEvent) -> str:
    """`LEVEL  cumulative_review: Event key=value key=value`; a sentence stands as it is."""
    if not event.fields:
        return _inert(_sentences(event.name))
    pairs = " ".join(f"{key}={_value(value)}" for key, value in event.fields.items())
    return _inert(f"{event.level:<5} {LOGGER}: {event.name} {pairs}")


def json_line(event: LogEvent, time: str, run_id: str) -> str:
    """The same as one JSON object on one line."""
    fields = {
        key: _shown(value) if isinstance(value, str) else value
        for key, value in event.fields.items()
    }
    what = {"event": event.name} if event.fields else {"message": _sentences(event.name)}
    return json.dumps(
        {"time": time, "level": event.level, "logger": LOGGER, "run_id": run_id, **what, **fields}
    ).replace("##[", "#\\u0023[")


def started(trigger: str, mode: str, base: str, head: str) -> LogEvent:
    """A review begins."""
    return LogEvent(
        "INFO",
        "Review started",
        {"trigger_type": trigger, "baseline_mode": mode, "baseline_sha": base, "head_sha": head},
    )


def empty(trigger: str, base: str, head: str) -> LogEvent:
    """There is nothing to review."""
    return LogEvent(
        "INFO",
        "Empty diff skip",
        {
            "trigger_type": trigger,
            "baseline_sha": base,
            "head_sha": head,
            "skip_reason": "empty_diff",
        },
    )


def large(trigger: str, lines: int, threshold: int, base: str, head: str) -> LogEvent:
    """There is much to review."""
    fields = {
        "trigger_type": trigger,
        "diff_lines": lines,
        "threshold": threshold,
        "baseline_sha": base,
        "head_sha": head,
    }
    return LogEvent("WARN", "Large diff warning", fields)


def missing(trigger: str, mode: str) -> LogEvent:
    """Nobody knows where the review should begin."""
    return LogEvent(
        "WARN",
        "Missing baseline",
        {"trigger_type": trigger, "baseline_mode": mode, "skip_reason": "baseline_not_found"},
    )


def completed(trigger: str, status: str, findings: int, milliseconds: int) -> LogEvent:
    """The reviewers have answered."""
    fields = {
        "trigger_type": trigger,
        "status": status,
        "finding_count": findings,
        "duration_ms": milliseconds,
    }
    return LogEvent("INFO", "Review completed", fields)


def advanced(trigger: str, old: str, new: str) -> LogEvent:
    """The next review begins here."""
    return LogEvent(
        "DEBUG",
        "Baseline advanced",
        {"trigger_type": trigger, "old_baseline": old or "none", "new_baseline": new},
    )


def failed(trigger: str, kind: str, message: str) -> LogEvent:
    """A reviewer gave no result."""
    return LogEvent(
        "ERROR",
        "Reviewer error",
        {"trigger_type": trigger, "error_type": kind, "error_message": message},
    )


def _value(value: Any) -> str:
    text = _shown(str(value))
    plain = text and not any(char in ' "=\\' for char in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _shown(text: str) -> str:
    return terminal_line(redact(terminal_line(redact(text), 8 * _MOST)), _MOST)


def _inert(text: str) -> str:
    """Nothing in it is a command to the runner of GitHub Actions; none of our lines begins with
    foreign words."""
    return text.replace("##[", "##\\[")


def _sentences(text: str) -> str:
    """Each line on a line of its own."""
    return "\n".join(map(_shown, text.splitlines()))


_MOST_BYTES = 5_000_000


def append_record(path: Path, record: str) -> None:
    """Add a line, one process after another; after a line that was cut off a new one begins.

    A file of more than 5 MB becomes `NAME.1` first.

    Raises:
        OSError: the disk or the rights do not allow it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if path.stat().st_size > _MOST_BYTES:
            os.replace(path, _older(path))
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        # While another one writes, the file's size may lie within its line
        fcntl.flock(handle, fcntl.LOCK_EX)
        size = os.fstat(handle).st_size
        cut = bool(size) and os.pread(handle, 1, size - 1) != b"\n"
        os.write(handle, b"\n" * cut + record.encode() + b"\n")
    finally:
        os.close(handle)


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records, oldest first; lines that are damaged are left out."""
    found = []
    for part in (_older(path), path):
        with suppress(OSError):
            for line in part.read_bytes().splitlines():
                with suppress(ValueError, RecursionError):
                    record = json.loads(line)
                    found += [record] if isinstance(record, dict) else []
    return found


def _older(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


EVENTS_FILE = "events.jsonl"


class EventLog(Struct, frozen=True):
    """Call it with an event. A disk or a reader that refuses changes nothing."""

    folder: Path
    environment: Environment
    run_id: str = ""
    as_json: bool = False

    def __call__(self, event: LogEvent, told: bool = False) -> None:
        """Write the event down in both places; what a person is `told` as the answer is not shown
        twice."""
        record = json_line(event, self.environment.now(), self.run_id)
        if self.as_json or not told:
            with suppress(OSError):
                print(record if self.as_json else text_line(event), file=sys.stderr, flush=True)
        with suppress(OSError):
            append_record(self.folder / EVENTS_FILE, record)


def read_events(folder: Path) -> list[dict[str, Any]]:
    """What was written down beside a run, oldest first."""
    return read_records(folder / EVENTS_FILE)
