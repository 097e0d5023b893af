"""What a reviewer is handed to work with."""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from ..model.config import Config
from ..model.values import dataclass
from .checkout import Checkout
from .git import Git
from .world import World


@dataclass(frozen=True, slots=True)
class Kit:
    """The repository, the reviewed files on disk (made when first asked for), the surroundings, the config, seconds left.

    `excluded` are the paths that linters and models do not read; `meanwhile` is to be called when a program of theirs is at work;
    `refused_linters` says of some why they must not run.
    """

    git: Git
    files: Checkout
    world: World
    config: Config
    timeout: float
    excluded: frozenset[str] = frozenset()
    meanwhile: Callable[[], object] = bool
    refused_linters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seat:
    """What a language model is asked with: the surroundings, seconds left, and whether the change is the user's own.

    `tree` is the user's work tree; only a model that is told so by its options may read it, and only for a trusted change.
    `again` is to be asked before a question is sent once more: each time is a call of the budget. `private`: some files of the tree are
    denied to models, and no tool could tell which.
    """

    world: World
    timeout: float
    trusted: bool = False
    tree: Path | None = None
    again: Callable[[], bool] = lambda: True
    private: bool = False
