"""An organisation's floor (`--policy`) under a repository's config: it may tighten, never
loosen."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import fields, replace

from ..model.config import (
    Budget,
    Config,
    EnsembleConfig,
    HookConfig,
    LinterOptions,
    Policy,
    PublishConfig,
    ReviewerConfig,
    SecretsConfig,
)
from ..model.coverage import CoverageMode, CoveragePolicy
from ..model.rule_weights import RuleWeight, stricter
from ..model.triggers import CodeReview, EpicCompletion, RunEnd, Trigger, ValidationTriggers

_MODES = ("continue", "remediate", "abort")
_THRESHOLDS = ("none", "P0", "P1", "P2", "P3")


def apply_floor(
    config: Config, floor: Config, said: Mapping[str, Any]
) -> tuple[Config, tuple[str, ...]]:
    """The config raised to the floor, and the keys where that changed something.

    `said` is the floor's file: only its keys count.
    """
    raised = replace(
        config,
        **{
            key: raise_value(config, floor, said[key] or {})
            for key, raise_value in _RAISED.items()
            if key in said
        },
    )
    if "reviewers" in said:
        due = _declared(floor, said["reviewers"] or {})
        raised = replace(raised, hook=_hook(raised.hook, due))
    return raised, tuple(
        f.name for f in fields(config) if getattr(raised, f.name) != getattr(config, f.name)
    )


def _triggers(
    mine: ValidationTriggers, floor: ValidationTriggers, said: Mapping[str, Any]
) -> ValidationTriggers:
    return replace(mine, **{key: _trigger(getattr(mine, key), getattr(floor, key)) for key in said})


def _trigger(mine: Any, floor: Any) -> Any:
    """The floor's commands come first; a mode is the stricter one; a trigger fires whenever either
    of them says so."""
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
        finding_threshold=max(
            strict.finding_threshold, floor.finding_threshold, key=_THRESHOLDS.index
        ),
    )


def _ensemble(
    mine: EnsembleConfig, floor: EnsembleConfig, said: Mapping[str, Any]
) -> EnsembleConfig:
    """As the floor says; a repository may add lenses, have the whole looked at each time, and spend
    less."""
    held = replace(mine, **{key: getattr(floor, key) for key in said})
    return replace(
        held,
        lenses=tuple(dict.fromkeys((*floor.lenses, *mine.lenses)))
        if "lenses" in said
        else mine.lenses,
        incremental=mine.incremental and held.incremental,
        cache=mine.cache and held.cache,
        budget=_budget(mine.budget, floor.budget, said.get("budget", {})),
        reverse_audit=replace(
            mine.reverse_audit,
            **{key: getattr(floor.reverse_audit, key) for key in said.get("reverse_audit", {})},
        ),
    )


def _budget(mine: Budget, floor: Budget, said: Mapping[str, Any]) -> Budget:
    """The lesser of two limits; null is none."""
    limits = {
        key: [limit for limit in (getattr(mine, key), getattr(floor, key)) if limit is not None]
        for key in said
    }
    return replace(mine, **{key: min(both, default=None) for key, both in limits.items()})


def _chosen(config: Config, floor: HookConfig, said: Mapping[str, Any]) -> HookConfig:
    """The floor's deadline, and its choice of reviewers at the least."""
    held = replace(config.hook, deadline=floor.deadline) if "deadline" in said else config.hook
    if floor.reviewers is None:
        return held
    mine = (
        [name for name, entry in config.reviewers.items() if "hook" in (entry.where or ())]
        if held.reviewers is None
        else held.reviewers
    )
    return replace(held, reviewers=tuple(dict.fromkeys((*floor.reviewers, *mine))))


def _declared(floor: Config, said: Mapping[str, Any]) -> Mapping[str, ReviewerConfig]:
    """The reviewers that the floor's file names, not those that are there anyway."""
    return {name: entry for name, entry in floor.reviewers.items() if name in said}


def _hook(mine: HookConfig, floor: Mapping[str, ReviewerConfig]) -> HookConfig:
    """A repository's choice of reviewers for the hook leaves out none of the floor's."""
    if mine.reviewers is None:
        return mine
    due = [
        name
        for name, reviewer in floor.items()
        if reviewer.where is None or "hook" in reviewer.where
    ]
    return replace(mine, reviewers=tuple(dict.fromkeys((*mine.reviewers, *due))))


def _policy(mine: Policy, floor: Policy, said: Mapping[str, Any]) -> Policy:
    threshold = max(mine.finding_threshold, floor.finding_threshold, key=_THRESHOLDS.index)
    return replace(
        mine,
        finding_threshold=threshold if "finding_threshold" in said else mine.finding_threshold,
        exclude=_exclude(mine.exclude, floor.exclude) if "exclude" in said else mine.exclude,
        denied_paths=tuple(dict.fromkeys((*mine.denied_paths, *floor.denied_paths))),
        require_ci=mine.require_ci or floor.require_ci,
        coverage=_coverage(mine.covers, floor.covers) if "coverage" in said else mine.covers,
        max_file_bytes=max(mine.max_file_bytes, floor.max_file_bytes)
        if "max_file_bytes" in said
        else mine.max_file_bytes,
    )


def _secrets(mine: SecretsConfig, floor: SecretsConfig) -> SecretsConfig:
    """The patterns of both, and only what both allow."""
    return SecretsConfig(
        patterns=tuple(dict.fromkeys((*floor.patterns, *mine.patterns))),
        allow=tuple(digest for digest in mine.allow if digest in floor.allow),
        baseline=mine.baseline if mine.baseline == floor.baseline else None,
    )


def _coverage(mine: CoveragePolicy, floor: CoveragePolicy) -> CoveragePolicy:
    """The stricter of the two, and the languages that both allow."""
    common = {name.lower() for name in floor.allow}
    unread: CoverageMode = "require" if "require" in (mine.unread, floor.unread) else "report"
    return CoveragePolicy(
        unread=unread, allow=tuple(name for name in mine.allow if name.lower() in common)
    )


def _exclude(mine: tuple[str, ...], floor: tuple[str, ...]) -> tuple[str, ...]:
    """What both leave out. Patterns that take files back in (`!`) come last, where none undoes
    them, and count whoever wrote them."""
    both = [glob for glob in mine if glob in floor and not glob.startswith("!")]
    return tuple(
        dict.fromkeys((*both, *(glob for glob in (*mine, *floor) if glob.startswith("!"))))
    )


def _publish(mine: PublishConfig, floor: PublishConfig, said: Mapping[str, Any]) -> PublishConfig:
    """What a floor forbids stays forbidden, what it demands is done; how much is posted is the
    repository's own choice."""
    return replace(
        mine,
        approve=mine.approve and floor.approve if "approve" in said else mine.approve,
        request_changes=mine.request_changes or floor.request_changes,
        check_run=mine.check_run or floor.check_run,
        author_dismisses=mine.author_dismisses
        and (floor.author_dismisses or "author_dismisses" not in said),
    )


def _rules(
    mine: Mapping[str, RuleWeight], floor: Mapping[str, RuleWeight]
) -> Mapping[str, RuleWeight]:
    """The repository's weights, and the floor's as what they may not fall below."""
    raised = dict(mine)
    for glob, rule in floor.items():
        same = mine.get(glob)
        stronger = same if same and same.paths == rule.paths else rule
        if stricter(stronger.level, rule.level) == rule.level:
            stronger = rule
        raised[glob] = replace(rule, priority=stronger.priority, at_least=True)
    return raised


def _linter(config: Config, name: str, floor: LinterOptions) -> LinterOptions:
    """The floor's, since arguments can loosen anything; a repository may switch on what the floor
    leaves to it, and not off."""
    mine = config.linters.get(name)
    return (
        replace(floor, enabled=True) if mine and mine.enabled and floor.enabled is None else floor
    )


def _versions(mine: Config, floor: Config) -> str | None:
    both = [wanted for wanted in (mine.required_version, floor.required_version) if wanted]
    return ",".join(both) or None


# The value of a key that the floor's file writes, from the config, the floor, and what the file
# writes under that key
_RAISED: Mapping[str, Callable[[Config, Config, Mapping[str, Any]], object]] = {
    "mode": lambda mine, floor, _: "block" if floor.mode == "block" else mine.mode,
    "policy": lambda mine, floor, said: _policy(mine.policy, floor.policy, said),
    "secrets": lambda mine, floor, _: _secrets(mine.secrets, floor.secrets),
    "publish": lambda mine, floor, said: _publish(mine.publish, floor.publish, said),
    "ensemble": lambda mine, floor, said: _ensemble(mine.ensemble, floor.ensemble, said),
    "hook": lambda mine, floor, said: _chosen(mine, floor.hook, said),
    "reviewers": lambda mine, floor, said: {**mine.reviewers, **_declared(floor, said)},
    "rules": lambda mine, floor, _: _rules(mine.rule_weights, floor.rule_weights),
    "linters": lambda mine, floor, _: {
        **mine.linters,
        **{name: _linter(mine, name, options) for name, options in floor.linters.items()},
    },
    "tracker": lambda mine, floor, _: (
        mine.tracker if floor.tracker.type == "none" else floor.tracker
    ),
    "required_version": lambda mine, floor, _: _versions(mine, floor),
    "validation_triggers": lambda mine, floor, said: _triggers(
        mine.validation_triggers, floor.validation_triggers, said
    ),
    "per_issue_review": lambda mine, floor, _: _review(
        mine.per_issue_review, floor.per_issue_review
    ),
    "reviewer_type": lambda mine, floor, _: floor.reviewer_type or mine.reviewer_type,
    "commands": lambda mine, floor, _: {**mine.commands, **floor.commands},
    "epic_verification": lambda _mine, floor, _: floor.epic_verification,
    "remediation": lambda _mine, floor, _: floor.remediation,
}
