"""Faults at every request that a scene sends: which there are, and how they are counted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.peers.github.faults import MODES

from .publishing import Stage

NEVER = 10_000
TEXTS = (
    (
        "Pull request review thread line must be part of the diff and Pull request review thread "
        "diff hunk can't be blank"
    ),
    "Pull request review thread start line must precede the end line.",
    "Path could not be resolved",
    "Body is too long (maximum is 65536 characters)",
    "Start commit oid is not part of the pull request",
)
SLOW = ("stall", "drip")
# What only a read can suffer.
READS = ("no-link", "loop-link", "short-page", "duplicate-page", "stale")
# What is said twice is hidden then, at once or by the next run that sees it.
HIDDEN = ("stale",)
# After these nobody knows whether it was stored.
DOUBTFUL = ("500", "502", "503", "html", "empty", "bad-json", "other-json", "reset", "stall")


@dataclass(frozen=True)
class Cell:
    """A fault at one request of a scene, or at it and all that follow."""

    mode: str
    method: str
    path: str
    nth: int
    stored: bool = False
    always: bool = False
    text: str = ""

    def __str__(self) -> str:
        stored, times = ("stored " if self.stored else ""), (" and on" if self.always else "")
        return (
            f"{stored}{self.mode} {self.text[:30]} at {self.method} {self.path} #{self.nth}{times}"
        )


def cells(requests: list[tuple[str, str, bool]]) -> Iterator[Cell]:
    """Every fault at every request; at the last of its kind, the fault may stay."""
    seen: Counter[tuple[str, str]] = Counter()
    for method, path, writes in requests:
        seen[method, path] += 1
        nth = seen[method, path]
        for mode in [mode for mode in MODES if not (writes and mode in READS)]:
            for stored in (False, True) if writes and mode in DOUBTFUL else (False,):
                yield Cell(mode, method, path, nth, stored)
                yield Cell(mode, method, path, nth, stored, always=True)
        if posts(Cell("", method, path, nth)):
            yield from (Cell("422", method, path, nth, text=text) for text in TEXTS)


def requests_of(stage: Stage) -> list[tuple[str, str, bool]]:
    """The requests of a run, and which of them change something."""
    return [(each.method, each.path, _writes(each)) for each in stage.github.journal.entries]


def posts(cell: Cell) -> bool:
    """It is at a request that must not be sent twice."""
    return cell.method == "POST" and cell.path != "/graphql"


def _writes(entry: Any) -> bool:
    return entry.method != "GET" and (entry.path != "/graphql" or b"mutation " in entry.body)
