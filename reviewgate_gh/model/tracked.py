"""A finding as an issue: what a tracker holds of it, and on which occasion it was found."""

from enum import StrEnum

from .finding import Priority
from .values import dataclass


class Status(StrEnum):
    """How an issue stands; every other word of a tracker's own counts as open."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Tracked:
    """An issue. `id` is the tracker's own name for it, "" while it has none; `reason` says why it is closed.

    `fingerprint` and `place` (path, lines and title in one hash) are the two identities; `known_as` holds fingerprints that
    the finding had under former names of its file, `origin` is the name that a stored issue's fingerprint was made under.
    `link` is the issue that this one was found for.
    """

    fingerprint: str
    title: str
    body: str
    priority: Priority
    path: str
    line: int
    labels: tuple[str, ...] = ()
    notes: str = ""
    place: str = ""
    known_as: tuple[str, ...] = ()
    origin: str = ""
    link: str = ""
    id: str = ""
    status: Status = Status.OPEN
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why the review ran, as an issue says it. `source` "cumulative_review" marks reviews across several issues.

    `link` is the issue under review or the epic; `run` names a run whose findings, without a link, hang on one summary issue.
    """

    source: str = "review"
    trigger: str = ""
    epic: str = ""
    link: str = ""
    run: str = ""
    pull: int = 0
