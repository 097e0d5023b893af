"""The audit log of this clone: a file below the git directory that is only ever added to."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import convert

from ..git import Git
from ..system.environment import Environment
from ..system.files import STATE_FOLDER, file_lock, write_atomic
from ..text.redact import redact
from .audit_chain import (
    GAP,
    AuditEntry,
    AuditLog,
    ChainHead,
    entry_line,
    head_of,
    make_entry,
    read_line,
    read_log,
)
from .audit_facts import AuditFact

_WAIT = 10.0  # seconds for another process that is writing
_TAIL = 1_000_000  # bytes; no entry is longer


def audit_folder(common: Path) -> Path:
    """Where the log and its end are; all work trees of a clone share them."""
    return common / STATE_FOLDER / "audit"


def record(common: Path | None, who: str, facts: Iterable[AuditFact]) -> ChainHead | None:
    """Add an entry for each kind and what it was; the end of the log, None where there is no place
    for one. A disk that refuses is said, and stops nobody."""
    return _recorded_facts(common, who, lambda _: facts)


def record_news(
    common: Path | None, who: str, facts: Callable[[AuditLog], Iterable[AuditFact]]
) -> ChainHead | None:
    """The same, where what is new depends on what the log holds."""
    return _recorded_facts(common, who, lambda folder: facts(_load(folder)))


def _recorded_facts(
    common: Path | None, who: str, facts: Callable[[Path], Iterable[AuditFact]]
) -> ChainHead | None:
    if common is None:
        return None
    folder = audit_folder(common)
    try:
        with file_lock(folder / "lock", _WAIT) as held:
            if not held:
                raise OSError(0, "it is locked, or its folder cannot be written")
            return _added(folder, who, facts(folder))
    except OSError as error:
        print(
            f"reviewgate-gh: the audit log {folder} could not be written: {error.strerror}",
            file=sys.stderr,
        )
        return None


def actor(git: Git, environment: Environment) -> str:
    """Who acts here: in a workflow its account, else who commits here."""
    return environment.variables.get("GITHUB_ACTOR") or git.user[0]


def last_entry(common: Path, kind: str) -> AuditEntry | None:
    """The newest entry of a kind that can be read; None where there is none."""
    try:
        text = _log(audit_folder(common)).read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    for line in reversed(text.split("\n")):
        if f'"kind": "{kind}"' in line:
            with suppress(ValueError, RecursionError):
                entry = read_line(line)
                if entry.kind == kind:
                    return entry
    return None


def load_audit_log(common: Path, known: Iterable[ChainHead] = ()) -> AuditLog:
    """The log with all that is wrong with it; an empty one where nothing was recorded.

    Raises:
        OSError: it cannot be read.
    """
    folder = audit_folder(common)
    with file_lock(folder / "lock", _WAIT):
        return _load(folder, tuple(known))


def _load(folder: Path, known: tuple[ChainHead, ...] = ()) -> AuditLog:
    try:
        text = _log(folder).read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        text = ""
    recorded, damaged = _recorded(folder)
    if not text and recorded is None and not damaged:
        recorded = ChainHead()
    found = read_log(text, recorded, known)
    said = ("the record of where the log ended is damaged",) if damaged else ()
    return AuditLog(found.entries, (*found.problems, *said))


def _added(folder: Path, who: str, facts: Iterable[AuditFact]) -> ChainHead:
    """A chain goes on from where it was when it was written last, so that what was taken out since
    then leaves a gap; where that is not known any more, an entry says so for ever."""
    end, torn = _end(folder)
    entries = list[AuditEntry]()
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    new = [*facts]
    if new and _recorded(folder)[0] is None:
        if end == ChainHead() and not torn:
            # Before the first entry, so that a run that is killed leaves no log without its end
            _keep(folder, end)
        else:
            new.insert(0, (GAP, {}))
    for kind, what in new:
        entries.append(make_entry(end, now, kind, redact(who), _redacted(what)))
        end = head_of(entries[-1])
    if entries:
        _append(_log(folder), "\n" * torn + "".join(map(entry_line, entries)))
        _keep(folder, end)
    return end


def _keep(folder: Path, end: ChainHead) -> None:
    write_atomic(folder / "head.json", json.dumps([end.number, end.hash]).encode())


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: _redacted(item) for key, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list | tuple) else value


def _append(path: Path, text: str) -> None:
    """All of it, on the disk, or nothing."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(handle).st_size
        data = text.encode()
        try:
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)


def _end(folder: Path) -> tuple[ChainHead, bool]:
    """Where the chain goes on, and whether the last line is not complete. A run that was killed
    between the two files leaves the log one step ahead."""
    recorded, _ = _recorded(folder)
    try:
        with _log(folder).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            tail = file.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return recorded or ChainHead(), False
    last = ChainHead()
    for line in tail.split("\n")[::-1]:
        try:
            last = head_of(read_line(line))
            break
        except (ValueError, RecursionError):
            continue
    ahead = recorded is None or last.number > recorded.number
    return (last if ahead else recorded or last), bool(tail) and not tail.endswith("\n")


def _recorded(folder: Path) -> tuple[ChainHead | None, bool]:
    """The end as it was recorded, and whether that record is damaged."""
    try:
        number, digest = convert(json.loads((folder / "head.json").read_bytes()), tuple[int, str])
    except FileNotFoundError:
        return None, False
    except (OSError, ValueError, RecursionError):
        return None, True
    return ChainHead(number, digest), False


def _log(folder: Path) -> Path:
    return folder / "log.jsonl"
