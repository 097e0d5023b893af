"""A file of records, a JSON object a line: appended to by many processes, and read whatever became of them."""

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

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
        fcntl.flock(handle, fcntl.LOCK_EX)  # while another one writes, the file's size may lie within its line
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
