"""An organisation's floor under a repository's triggers: what it writes is done, and done no less strictly."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..model.config import Config
from ..model.triggers import CodeReview, EpicCompletion, RunEnd, Trigger

_THRESHOLDS = ("none", "P0", "P1", "P2", "P3")
_MODES = ("continue", "remediate", "abort")


def tighten_triggers(config: Config, floor: Config, said: Mapping[str, Any]) -> Config:
    """The config with the floor's triggers, commands and remediation. `said` is the floor's file: only its keys count."""
    raised = config
    if "validation_triggers" in said:
        named = said["validation_triggers"] or {}
        triggers = {key: _trigger(getattr(config.validation_triggers, key), getattr(floor.validation_triggers, key)) for key in named}
        raised = replace(raised, validation_triggers=replace(config.validation_triggers, **triggers))
    if "per_issue_review" in said:
        raised = replace(raised, per_issue_review=_review(config.per_issue_review, floor.per_issue_review))
    if "reviewer_type" in said and floor.reviewer_type:
        raised = replace(raised, reviewer_type=floor.reviewer_type)
    if "commands" in said:
        raised = replace(raised, commands={**config.commands, **floor.commands})
    if "epic_verification" in said:
        raised = replace(raised, epic_verification=floor.epic_verification)
    if "remediation" in said:
        raised = replace(raised, remediation=floor.remediation)
    return raised


def _trigger(mine: Any, floor: Any) -> Any:
    """The floor's commands come first; a mode is the stricter one; a trigger fires whenever either of them says so."""
    if mine is None or floor is None:
        return mine or floor
    both: Trigger = replace(
        mine,
        commands=tuple(dict.fromkeys((*floor.commands, *mine.commands))),
        failure_mode=max(mine.failure_mode, floor.failure_mode, key=_MODES.index),
        code_review=_review(mine.code_review, floor.code_review),
    )
    if isinstance(both, EpicCompletion | RunEnd) and both.fire_on != floor.fire_on:
        both = replace(both, fire_on="both")
    if isinstance(both, EpicCompletion) and floor.epic_depth == "all":
        both = replace(both, epic_depth="all")
    return both


def _review(mine: CodeReview | None, floor: CodeReview | None) -> CodeReview | None:
    """The floor's reviewer and baseline; the stricter threshold and mode of the two."""
    if mine is None or floor is None or not floor.enabled:
        return mine or floor
    strict = mine if mine.enabled else floor
    return replace(
        floor,
        failure_mode=max(strict.failure_mode, floor.failure_mode, key=_MODES.index),
        finding_threshold=max(strict.finding_threshold, floor.finding_threshold, key=_THRESHOLDS.index),
    )
