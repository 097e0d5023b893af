"""Where a tracker works: the repository, the surroundings, and GitHub as the caller reaches it."""

from dataclasses import field
from typing import TYPE_CHECKING

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
