"""An organisation's floor (`--policy`) under a repository's config: it may tighten, never
loosen."""

from collections.abc import Mapping
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
from ..model.triggers import CodeReview, EpicCompletion, RunEnd, Trigger

_MODES = ("continue", "remediate", "abort")


def apply_trigger_floor(config: Config, floor: Config, said: Mapping[str, Any]) -> Config:
    """The config with the floor's triggers, commands and remediation.

    `said` is the floor's file: only its keys count.
    """
    raised = config
    if "validation_triggers" in said:
        named = said["validation_triggers"] or {}
        triggers = {
            key: _trigger(
                getattr(config.validation_triggers, key), getattr(floor.validation_triggers, key)
            )
            for key in named
        }
        raised = replace(
            raised, validation_triggers=replace(config.validation_triggers, **triggers)
        )
    if "per_issue_review" in said:
        raised = replace(
            raised, per_issue_review=_review(config.per_issue_review, floor.per_issue_review)
        )
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


_THRESHOLDS = ("none", "P0", "P1", "P2", "P3")


def apply_floor(
    config: Config, floor: Config, said: Mapping[str, Any]
) -> tuple[Config, tuple[str, ...]]:
    """The config raised to the floor, and the keys where that changed something.

    `said` is the floor's file: only its keys count.
    """
    raised = config
    if "mode" in said and floor.mode == "block":
        raised = replace(raised, mode="block")
    if "policy" in said:
        raised = replace(raised, policy=_policy(raised.policy, floor.policy, said["policy"] or {}))
    if "secrets" in said:
        raised = replace(raised, secrets=_secrets(raised.secrets, floor.secrets))
    if "publish" in said:
        raised = replace(
            raised, publish=_publish(raised.publish, floor.publish, said["publish"] or {})
        )
    if "ensemble" in said:
        raised = replace(
            raised, ensemble=_ensemble(raised.ensemble, floor.ensemble, said["ensemble"] or {})
        )
    if "hook" in said:
        raised = replace(raised, hook=_chosen(raised, floor.hook, said["hook"] or {}))
    if "reviewers" in said:
        wanted = {n: entry for n, entry in floor.reviewers.items() if n in said["reviewers"]}
        raised = replace(
            raised, reviewers={**raised.reviewers, **wanted}, hook=_hook(raised.hook, wanted)
        )
    if "rules" in said:
        raised = replace(raised, rules=_rules(raised.rule_weights, floor.rule_weights))
    if "linters" in said:
        raised = replace(
            raised,
            linters={
                **raised.linters,
                **{n: _linter(raised, n, o) for n, o in floor.linters.items()},
            },
        )
    if "tracker" in said and floor.tracker.type != "none":
        raised = replace(raised, tracker=floor.tracker)
    if "required_version" in said:
        both = [wanted for wanted in (config.required_version, floor.required_version) if wanted]
        raised = replace(raised, required_version=",".join(both) or None)
    raised = apply_trigger_floor(raised, floor, said)
    return raised, tuple(
        f.name for f in fields(config) if getattr(raised, f.name) != getattr(config, f.name)
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
