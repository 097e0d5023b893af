"""An epic verified in the background: `review-gate spawn-epic-verify`."""

from collections.abc import Mapping
from typing import Any

from ..model.config import Config, Reviewer
from ..model.epic_verification import EpicTask
from ..steps.contract_epic import epic_answer
from ..system.git import Git
from ..system.world import World
from .approval import require_approved
from .changes import load_change
from .epic_verifiers import ModelVerifier
from .order import Order
from .seats import declared, models
from .settings import load_settings


def epic_models(order: Order, git: Git, world: World) -> list[str]:
    """Who will be asked.

    Raises:
        GateError: the config is wrong.
    """
    return [*_settled(order, git, world)[1]]


def verify_session(order: Order, epic: str, git: Git, world: World) -> dict[str, Any]:
    """What all declared models say about the epic that the context describes, in the words of the contract."""
    config, wanted, trusted = _settled(order, git, world)
    verifier = ModelVerifier(wanted, config, git, world, trusted, order.range)
    return epic_answer(verifier.each(EpicTask(epic, epic, world.context()), config.ensemble.deadline) if wanted else {})


def _settled(order: Order, git: Git, world: World) -> tuple[Config, Mapping[str, Reviewer], bool]:
    change = load_change(git, order.range, world, order.trusted)
    settings = load_settings(git, change, world, order.policy)
    wanted = models(declared(settings.config, order.door, order.reviewers))
    allowed = {name: entry for name, entry in wanted.items() if name not in settings.refused_reviewers}
    require_approved(not wanted or bool(allowed), f"{', '.join(wanted)} cannot be asked")
    return settings.config, allowed, change.trusted
