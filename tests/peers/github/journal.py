"""Every request, what became of it, and what the product saw."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit


@dataclass(slots=True)
class Entry:
    """One request. `answered` is the fake's own status (0: it never arrived), `status` the one that
    the product saw (0: none)."""

    number: int
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    started: float
    ended: float = 0
    login: str = ""
    answered: int = 0
    created: bool = False
    status: int = 0
    fault: str = ""
    refused: str = ""  # what Prism says is wrong with the request
    broken: str = ""  # what Prism says is wrong with the fake's own answer

    @property
    def path(self) -> str:
        """The path without the query."""
        return urlsplit(self.target).path

    def json(self) -> Any:
        """The request's body."""
        return json.loads(self.body)

    def __str__(self) -> str:
        seen = (
            f"{self.answered}{' created' if self.created else ''} -> "
            f"{self.status}{' by ' + self.fault if self.fault else ''}"
        )
        return f"{self.method} {self.target} {seen}"


@dataclass(slots=True)
class Journal:
    """The requests of one test, in the order in which they came."""

    entries: list[Entry] = field(default_factory=list)

    def at(self, number: int) -> Entry:
        """An entry; a request that nobody entered is not kept."""
        return self.entries[number] if number >= 0 else Entry(-1, "", "", {}, b"", 0)

    def of(self, method: str = "*", path: str = "*") -> list[Entry]:
        """The entries with a method and a path pattern such as `/repos/*/reviews`."""
        return [
            entry
            for entry in self.entries
            if fnmatchcase(entry.method, method) and fnmatchcase(entry.path, path)
        ]

    def count(self, method: str = "*", path: str = "*") -> int:
        """How many of them."""
        return len(self.of(method, path))

    def by_call(self) -> Counter[str]:
        """Requests by method and path."""
        return Counter(f"{entry.method} {entry.path}" for entry in self.entries)

    @property
    def created(self) -> list[Entry]:
        """The requests that left something new at GitHub."""
        return [entry for entry in self.entries if entry.created]

    @property
    def overlapping(self) -> list[tuple[Entry, Entry]]:
        """Writes that were under way at one time."""
        writes = [
            entry
            for entry in self.entries
            if entry.method not in ("GET", "HEAD") and entry.path != "/graphql"
        ]
        return [
            (one, two)
            for one in writes
            for two in writes
            if one.number < two.number and two.started < (one.ended or two.started + 1)
        ]

    def as_json(self) -> list[dict[str, Any]]:
        """All of it without secrets, for people."""
        return [
            {**asdict(entry), "headers": {}, "body": entry.body.decode("utf-8", "replace")}
            for entry in self.entries
        ]

    def __str__(self) -> str:
        return "\n".join(map(str, self.entries))
