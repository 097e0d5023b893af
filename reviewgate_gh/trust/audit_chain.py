"""The audit log as text: entries in a chain, each of which names the one before it by its hash. No
line can be changed, moved, added or taken out without that being seen; whether lines at the end are
gone shows only who knows a later hash."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert

from ..model.finding import sha256_hex
from ..text.safe import json_without_commands

FIRST = "0" * 64  # what the first entry names
GAP = "gap"  # the kind of an entry before which it was not known where the log had ended


class AuditEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that was done: when (ISO 8601 in UTC), of which kind, by whom, and what it was.
    `number` counts from 1; `previous` is the hash of the entry before."""

    number: int
    time: str
    kind: str
    who: str
    what: Mapping[str, Any]
    previous: str
    hash: str


class ChainHead(Struct, frozen=True):
    """The end of a chain: the number and the hash of its last entry."""

    number: int = 0
    hash: str = FIRST

    def __str__(self) -> str:
        """As people pass it on."""
        return f"{self.number}:{self.hash}"


class AuditLog(Struct, frozen=True):
    """The entries that can be read, and a sentence for each thing that is wrong."""

    entries: tuple[AuditEntry, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def head(self) -> ChainHead:
        """The last entry that can be read."""
        return head_of(self.entries[-1]) if self.entries else ChainHead()


def head_of(entry: AuditEntry) -> ChainHead:
    """The end of a chain that ends with this entry."""
    return ChainHead(entry.number, entry.hash)


def make_entry(
    before: ChainHead, time: str, kind: str, who: str, what: Mapping[str, Any]
) -> AuditEntry:
    """The entry that follows."""
    number = before.number + 1
    digest = _digest((number, time, kind, who, what, before.hash))
    return AuditEntry(number, time, kind, who, what, before.hash, digest)


def entry_line(entry: AuditEntry) -> str:
    """The entry's line, which a workflow may print as it is."""
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return f"{json_without_commands(json.dumps(fields, sort_keys=True))}\n"


def read_line(line: str) -> AuditEntry:
    """The entry of a line.

    Raises:
        ValueError: it is none, or holds something else than its hash says.
    """
    entry = convert(json.loads(line), AuditEntry)
    fields = (entry.number, entry.time, entry.kind, entry.who, entry.what, entry.previous)
    if entry.hash != _digest(fields):
        raise ValueError("it was changed")
    if entry_line(entry) != f"{line}\n":
        raise ValueError("it was written in another way")
    return entry


def read_log(text: str, recorded: ChainHead | None, known: Sequence[ChainHead] = ()) -> AuditLog:
    """The whole log. `recorded` is where it ended when it was written last, None where that is not
    known; `known` are ends of it that somebody kept elsewhere."""
    entries, problems = list[AuditEntry](), list[str]()
    before = ChainHead()
    for number, line in enumerate(text.split("\n")[:-1], 1):
        try:
            entry = read_line(line)
        except (ValueError, RecursionError) as error:
            problems.append(f"line {number} cannot be trusted: {error}")
            continue
        if (entry.number, entry.previous) != (before.number + 1, before.hash):
            problems.append(
                f"line {number}: entry {entry.number} does not follow entry {before.number}: "
                "entries were taken out, added or moved"
            )
        if entry.kind == GAP:
            problems.append(
                f"entry {entry.number}: where the log had ended was not recorded any more at "
                f"{entry.time}: entries before it may have been taken out"
            )
        entries.append(entry)
        before = head_of(entry)
    if not text.endswith("\n") and text:
        problems.append("the last line is not complete")
    return AuditLog(tuple(entries), (*problems, *_ends(entries, recorded, known, before)))


def _ends(
    entries: Sequence[AuditEntry],
    recorded: ChainHead | None,
    known: Sequence[ChainHead],
    last: ChainHead,
) -> Iterator[str]:
    if recorded is None and entries:
        yield "where the log ended is not recorded any more"
    for what, end in (("recorded", recorded), *(("known", end) for end in known)):
        if end is None or end == ChainHead() or end in map(head_of, entries):
            continue
        if end.number > last.number:
            yield (
                f"the log ends with entry {last.number}, but entry {end.number} was {what}: "
                "entries at its end were taken away"
            )
        else:
            yield f"entry {end.number} is not the one that was {what}: the log was written anew"


def _digest(fields: Sequence[Any]) -> str:
    """Of all fields of an entry but this one, in their order."""
    return sha256_hex(json.dumps([*fields], sort_keys=True))
