"""What leaves the machine with a configuration, and when: said before anything is sent."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import get_args

from ..model.config import KEYLESS, Config
from ..model.errors import GateError
from ..model.question import Availability
from ..model.triggers import TriggerType
from ..system import plugins

_GATE = "an external review gate, wherever that sends it"
_BY = {
    "cerberus": _GATE,
    "agent_sdk": "the agent SDK's vendor",
    "ensemble": "the language models above",
}


def data_destinations(config: Config, models: Mapping[str, Availability]) -> list[str]:
    """A clause for each thing that is sent somewhere, now or once what is missing is there."""
    return [*_of_reviewers(config, models), *_of_runs(config), *_of_tracker(config)]


def unknown_reviewers(config: Config, models: Mapping[str, Availability]) -> Sequence[str]:
    """Reviewers that run a program of which nobody knows what it sends."""
    return [
        name
        for name, entry in config.reviewers.items()
        if entry.type not in KEYLESS and name not in models
    ]


def _of_reviewers(config: Config, models: Mapping[str, Availability]) -> Iterator[str]:
    for name, model in models.items():
        where = model.destination or "the endpoint in its own settings"
        if model.error:
            yield f"{name} would send the change to {where} if it could be asked"
        else:
            yield f"{name} sends the change to {where}"
    if unknown := unknown_reviewers(config, models):
        yield f"unknown: {', '.join(unknown)} may use the network"


def _of_runs(config: Config) -> Iterator[str]:
    """What an orchestrated run sends."""
    triggers = config.validation_triggers
    for name in get_args(TriggerType):
        trigger = triggers.trigger_of(name)
        review = trigger.code_review if trigger else None
        if name == "session_end" and review is None:
            review = config.per_issue_review
        if review and review.enabled:
            yield f"at {name} the change goes to {_BY[review.reviewer_type]}"
        if trigger and trigger.commands:
            yield f"unknown: the commands of {name} may use the network"
    if triggers.epic_completion and config.epic_verification.enabled:
        by = _BY[config.epic_verification.reviewer_type]
        yield f"epics and their commits go to {by} when they are verified"
    if config.remediation.fixer or config.remediation.resume:
        yield "unknown: the programs of remediation may use the network"


def _of_tracker(config: Config) -> Iterator[str]:
    kind = config.tracker.type
    with suppress(GateError):  # no such tracker: another line says so
        if kind != "none" and not plugins.load("trackers", kind).IN_CLONE:
            yield f"findings go to the tracker {kind} as issues"
