"""Issues in a file of this clone: a line each, as `bd import` takes them."""

import json
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...model.limits import ConfigSection
from ...system.environment import Environment
from ...system.files import STATE_FOLDER, keep_copy, write_atomic
from ...text.patterns import lazy_pattern
from ..epics import Epic, epic_of_records
from ..tracked import IssueStatus, TrackedIssue, Workspace
from ._beads import issue_of_record, priority_number, short_issue_id

IN_CLONE = True
ISSUES_FILE = "issues.jsonl"
# Where a line names what is looked for. Three plain searches: reading ten thousand lines whole
# takes longer than all the rest of a run.
_NAMES = [
    lazy_pattern(beginning + rb"([0-9a-f-]+)")
    for beginning in (b"fp:", b"Fingerprint: ", b"Place: ")
]


class Options(ConfigSection, frozen=True):
    """None."""


def lacks(options: Options, workspace: Workspace) -> str:
    """A file needs nothing."""
    return ""


@contextmanager
def opened(options: Options, workspace: Workspace) -> Iterator["LocalIssues"]:
    """The file, read whole; it is written once, at the end, whole or not at all.

    Raises:
        OSError: it cannot be read or written.
    """
    path = workspace.git.common / STATE_FOLDER / ISSUES_FILE
    issues = LocalIssues(_read(path, workspace.messages), workspace.environment)
    yield issues
    if issues.dirty:
        write_atomic(path, b"".join(line + b"\n" for line in issues.lines))


def all_records(workspace: Workspace) -> list[dict[str, Any]]:
    """Every issue of the file as it stands there.

    Raises:
        OSError: the file cannot be read.
    """
    path = workspace.git.common / STATE_FOLDER / ISSUES_FILE
    return [record for line in _read(path, workspace.messages) if (record := _read_line(line))]


def write_records(workspace: Workspace, records: Sequence[Mapping[str, Any]]) -> None:
    """Add these issues, each in the place of one with its id; the other lines stay byte for byte.
    The caller holds the tracker's lock.

    Raises:
        OSError: the file cannot be read or written.
    """
    path = workspace.git.common / STATE_FOLDER / ISSUES_FILE
    new = {str(record["id"]): _line(record) for record in records}
    kept = [
        new.pop(str(_read_line(line).get("id", "")), line)
        for line in _read(path, workspace.messages)
    ]
    write_atomic(path, b"".join(line + b"\n" for line in (*kept, *new.values())))


def epic(options: Options, workspace: Workspace, name: str) -> Epic | None:
    """An epic with its issues, as records of beads in the file say it; None where it is not there.

    Raises:
        OSError: the file cannot be read.
    """
    return epic_of_records(
        map(
            _read_line, _read(workspace.git.common / STATE_FOLDER / ISSUES_FILE, workspace.messages)
        ),
        name,
    )


issue = epic  # the file is read whole for either


class LocalIssues:
    """The lines; those that nobody changes stay as they are, byte for byte."""

    def __init__(self, lines: list[bytes], environment: Environment) -> None:
        self.lines, self.dirty, self._world = lines, False, environment
        self._where: dict[str, int] = {}
        self._ids: set[str] | None = None

    def find(self, names: Collection[str] | None) -> Sequence[TrackedIssue]:
        """Our issues with these fingerprints or places, or all.

        A line that cannot be read is none, and stays as it is.
        """
        rows = range(len(self.lines)) if names is None else self._naming(names)
        found = []
        for at in rows:
            issue = issue_of_record(_read_line(self.lines[at]))
            if issue is not None:
                self._where[issue.id] = at
                found.append(issue)
        return found

    def _naming(self, names: Collection[str]) -> list[int]:
        wanted = {name.encode() for name in names}
        text = b"\n".join(self.lines)
        hits = {
            found.start()
            for pattern in _NAMES
            for found in pattern.finditer(text)
            if found[1] in wanted
        }
        starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        return sorted({bisect_right(starts, hit) - 1 for hit in hits})

    def add(self, issue: TrackedIssue) -> str:
        """One line more."""
        if self._ids is None:
            self._ids = {str(_read_line(line).get("id", "")) for line in self.lines}
        name = short_issue_id(issue.fingerprint, self._ids)
        self._ids.add(name)
        self._where[name] = len(self.lines)
        self.lines.append(_line(_record(replace(issue, id=name), self._world.now())))
        self.dirty = True
        return name

    def change(self, before: TrackedIssue, after: TrackedIssue) -> None:
        """Another line in its place; what else stands in it stays."""
        at = self._where[before.id]
        self.lines[at] = _line(_changed(_read_line(self.lines[at]), after, self._world.now()))
        self.dirty = True


def _read(path: Path, told: list[str]) -> list[bytes]:
    """The lines of the file. A damaged file is kept aside, and what is whole in it goes on."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    lines = [line for line in data.split(b"\n") if line]
    if (
        b"\0" not in data
        and data[-1:] in (b"", b"\n")
        and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)
    ):
        return lines
    whole = [line for line in lines if _read_line(line)]
    if len(whole) == len(lines):
        return whole  # only the last newline is missing
    kept = keep_copy(path, data)
    write_atomic(path, b"".join(line + b"\n" for line in whole))
    told.append(
        f"{path.name} was damaged: {len(lines) - len(whole)} of {len(lines)} lines could not be "
        f"read; the damaged file is {kept}"
    )
    return whole


def _read_line(line: bytes) -> dict[str, Any]:
    """The record; an empty one for a line that holds none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record).encode()


def _record(issue: TrackedIssue, now: str) -> dict[str, Any]:
    link = {
        "issue_id": issue.id,
        "depends_on_id": issue.link,
        "type": "discovered-from",
        "created_at": now,
        "created_by": "reviewgate-gh",
    }
    return {
        "id": issue.id,
        "title": issue.title,
        "description": issue.body,
        "notes": issue.notes,
        "status": "open",
        "priority": priority_number(issue.priority),
        "issue_type": "task",
        "created_at": now,
        "created_by": "reviewgate-gh",
        "updated_at": now,
        "labels": list(issue.labels),
        "dependencies": [link] if issue.link else [],
    }


def _changed(record: dict[str, Any], after: TrackedIssue, now: str) -> dict[str, Any]:
    fresh = {
        **record,
        "notes": after.notes,
        "priority": priority_number(after.priority),
        "updated_at": now,
    }
    for key in ("closed_at", "close_reason"):
        fresh.pop(key, None)
    if after.status is IssueStatus.CLOSED:
        return {**fresh, "status": "closed", "closed_at": now, "close_reason": after.reason}
    return {
        **fresh,
        "status": "open" if record.get("status") == "closed" else record.get("status", "open"),
    }
