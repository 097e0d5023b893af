"""What a reviewer is handed to work with."""

from dataclasses import dataclass

from ..model.config import Config
from .checkout import Checkout
from .git import Git
from .world import World


@dataclass(frozen=True, slots=True)
class Kit:
    """The repository, the reviewed files on disk (made when first asked for), the surroundings, the config, seconds left.

    `excluded` are the paths that linters and models do not read.
    """

    git: Git
    files: Checkout
    world: World
    config: Config
    timeout: float
    excluded: frozenset[str] = frozenset()
