"""What a tracker must offer as a plug-in, and where it works: the repository, the surroundings, and GitHub as the caller reaches it."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

from ..model.tracked import Tracked
from ..model.values import dataclass
from .git import Git
from .world import World

if TYPE_CHECKING:
    from .github.client import Client


@dataclass(frozen=True, slots=True)
class Site:
    """`client` is None where the caller has none; the environment then says how GitHub is reached. `told` collects notices.

    `borrowed`: the repository is gone after this run, and what is kept in it. `failures` collects what trackers failed by, `lost` the
    findings that neither a tracker nor this disk has taken.
    """

    git: Git
    world: World
    told: list[str]
    client: "Client | None" = None
    borrowed: bool = False
    failures: list[Exception] = field(default_factory=list)
    lost: list[Tracked] = field(default_factory=list)


class Ledger(Protocol):
    """An open tracker. Each method raises a GateError or an OSError for a tracker that fails; a caller then counts nothing as done."""

    def find(self, names: Collection[str] | None) -> Sequence[Tracked]:
        """Our issues, open and closed, whose fingerprint or place is among the names; all of them for None."""

    def add(self, issue: Tracked) -> str:
        """Make the issue, and return the tracker's name for it."""

    def change(self, before: Tracked, after: Tracked) -> None:
        """Bring notes, priority, status and reason from one to the other; what people write beside that stays."""


class Tracker(Protocol):
    """A module of `trackers/`. The caller holds the repository's lock for as long as it is open."""

    Options: type  # a frozen dataclass, the plug-in's own part of the config
    IN_CLONE: bool  # it lives in this clone alone: where clones are thrown away nothing is written unless somebody asks
    # Optional: epic(options, site, name) gives the `Epic` of that name, None where the tracker does not know it;
    # issue(options, site, name) any issue in that form, without what is below it.

    def lacks(self, options: Any, site: Site) -> str:
        """What it would need here and has not got, "" for nothing; found out without the network."""

    def opened(self, options: Any, site: Site) -> AbstractContextManager[Ledger]:
        """The tracker; what was added and changed is safe when the context has ended well."""
