"""A finding as an issue, and what a tracker must offer as a plug-in."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from ..git import Git
from ..model.finding import Priority
from ..system.environment import Environment

if TYPE_CHECKING:
    from ..github.client import Client


class IssueStatus(StrEnum):
    """How an issue stands; every other word of a tracker's own counts as open."""

    OPEN = "open"
    CLOSED = "closed"


class TrackedIssue(Struct, frozen=True, forbid_unknown_fields=True):
    """An issue. `id` is the tracker's own name for it, "" while it has none; `reason` says why it
    is closed.

    `fingerprint`, `place` (path, lines and title in one hash) and `unit` (rule, path and unit) are
    its identities; `known_as` holds other fingerprints of the finding: under former names of its
    file, and of the first format. `says_rule`: they tell which problem it is. `origin` is the name
    that a stored issue's fingerprint was made under. `link` is the issue that this one was found
    for.
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
    unit: str = ""
    says_rule: bool = True
    origin: str = ""
    link: str = ""
    id: str = ""
    status: IssueStatus = IssueStatus.OPEN
    reason: str = ""


class IssueOrigin(Struct, frozen=True):
    """Why the review ran, as an issue says it. `source` "cumulative_review" marks reviews across
    several issues.

    `link` is the issue under review or the epic; `run` names a run whose findings, without a link,
    hang on one summary issue.
    """

    source: str = "review"
    trigger: str = ""
    epic: str = ""
    link: str = ""
    run: str = ""
    pull: int = 0


class Workspace(Struct, frozen=True):
    """`client` is None where the caller has none; the environment then says how GitHub is reached.
    `messages` collects notices.

    `temporary`: the repository is gone after this run, and what is kept in it. `failures` collects
    what trackers failed by, `undelivered` the findings that neither a tracker nor this disk has
    taken. `lock_seconds` is how long to wait for another run that holds the tracker.
    """

    git: Git
    environment: Environment
    messages: list[str]
    client: "Client | None" = None
    temporary: bool = False
    failures: list[Exception] = field(default_factory=list)
    undelivered: list[TrackedIssue] = field(default_factory=list)
    lock_seconds: float = 30.0


class IssueStore(Protocol):
    """An open tracker.

    Each method raises a GateError or an OSError for a tracker that fails; a caller then counts
    nothing as done.
    """

    def find(self, names: Collection[str] | None) -> Sequence[TrackedIssue]:
        """Our issues, open and closed, whose fingerprint or place is among the names; all of them
        for None."""

    def add(self, issue: TrackedIssue) -> str:
        """Make the issue, and return the tracker's name for it."""

    def change(self, before: TrackedIssue, after: TrackedIssue) -> None:
        """Bring notes, priority, status and reason from one to the other; what people write beside
        that stays."""


class TrackerPlugin(Protocol):
    """A module of `trackers/`. The caller holds the repository's lock for as long as it is open."""

    Options: type  # a frozen dataclass, the plug-in's own part of the config
    # It lives in this clone alone: where clones are thrown away nothing is written unless somebody
    # asks
    IN_CLONE: bool
    # Optional: epic(options, workspace, name) gives the `Epic` of that name, None where the tracker
    # does not know it; issue(options, workspace, name) any issue in that form, without what is
    # below it.

    def lacks(self, options: Any, workspace: Workspace) -> str:
        """What it would need here and has not got, "" for nothing; found out without the
        network."""

    def opened(self, options: Any, workspace: Workspace) -> AbstractContextManager[IssueStore]:
        """The tracker; what was added and changed is safe when the context has ended well."""
