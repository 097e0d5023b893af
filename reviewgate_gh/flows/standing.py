"""The state of the configured language models: what would be asked, on whose account, and where the change would be sent."""

from contextlib import suppress

from ..model.asked import Standing
from ..model.config import Config
from ..model.errors import ConfigError
from ..system.git import Git
from ..system.kit import Seat
from ..system.world import World
from .seats import models, seat_all

_SECONDS = 30.0  # for a model's program to say its version


def standings(config: Config, git: Git, world: World) -> dict[str, Standing]:
    """By the reviewer's name; none if the options are wrong, which the config check reports."""
    seat = Seat(world, _SECONDS, trusted=True, tree=git.tree, private=bool(config.policy.denied_paths))
    with suppress(ConfigError):
        return {name: seated.standing for name, seated in seat_all(models(config.reviewers), seat).items()}
    return {}


def told(kind: str, model: Standing) -> str:
    """One line about it."""
    if model.error:
        return f"{kind}: {model.error}"
    pays, runs = f"pays: {model.login}" if model.login else "", f"runs: {model.runs}" if model.runs else ""
    return "; ".join(filter(None, (f"{kind} {model.version}".strip(), pays, *model.notes, runs)))


def sent(models: dict[str, Standing]) -> list[str]:
    """Which model sends the change where; one that cannot be asked sends nothing."""
    return [
        f"{name} sends the change to {model.sends or 'the endpoint in its own settings'}"
        for name, model in models.items()
        if not model.error
    ]
