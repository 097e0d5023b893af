"""Whom the review of a trigger asks."""

from collections.abc import Mapping
from dataclasses import replace

from ..model.config import Config, Reviewer
from ..model.triggers import Cerberus, CodeReview

_PLUG_INS = {"cerberus": "review_gate", "agent_sdk": "agent_sdk"}


def reviewers_of(config: Config, review: CodeReview) -> Mapping[str, Reviewer]:
    """The reviewers behind its reviewer_type, by name: those that are declared with that plug-in, or else the plug-in as it is.

    None for `ensemble`, which is everybody whom the config declares. What the review says of its gate goes before the gate's own entry.
    """
    plug_in = _PLUG_INS.get(review.reviewer_type)
    if plug_in is None:
        return {}
    declared = {name: entry for name, entry in config.reviewers.items() if entry.type == plug_in}
    chosen = declared or {plug_in: Reviewer(type=plug_in)}
    gate = review.cerberus if review.reviewer_type == "cerberus" else None
    return {name: _told(entry, gate) for name, entry in chosen.items()} if gate else chosen


def _told(entry: Reviewer, gate: Cerberus) -> Reviewer:
    """Arguments for spawning reach the spawn alone, those for waiting the wait."""
    said = {"spawn_args": [*gate.spawn_args], "wait_args": [*gate.wait_args], "env": {**gate.env}}
    return replace(entry, timeout=gate.timeout, options={**entry.options, **said})
