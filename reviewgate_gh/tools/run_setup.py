"""What an orchestrated run would do here: its triggers, the programs and reviewers that they need,
and whose commits count."""

import os.path
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from ..git import Git
from ..git.tree_files import read_own_file, uncommitted_files
from ..model.config import Config
from ..model.errors import Exit, GateError
from ..model.question import Availability
from ..model.triggers import CodeReview, Trigger, TriggerType
from ..orchestrate.commands import resolve_commands
from ..orchestrate.trigger_context import reviewers_of_trigger
from ..orchestrate.trigger_rules import EffectiveTriggers, resolve_triggers
from ..reporters._words import count_noun
from ..reviewers.gates.find import find_gate
from ..settings.check import major_version
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE
from ..trust.approvals import git_blob_id, load_approvals
from .doctor import (
    HealthCheck,
    HealthReport,
    HealthState,
    check_config_file,
    check_network,
    check_tracker_line,
    model_availability,
)


class _RunSetup(Struct, frozen=True):
    """What the checks of one configuration share."""

    config: Config
    effective: EffectiveTriggers
    git: Git
    environment: Environment

    @property
    def path(self) -> str:
        """Where programs are looked for."""
        return self.environment.variables.get("PATH", "")


def check_runs(git: Git, environment: Environment) -> HealthReport:
    """Look at everything that `orchestrate` needs; whatever is wrong is a line, never an
    exception."""
    config, settings = check_config_file(git)
    if config is None:
        return HealthReport((settings,), Exit.CONFIG)
    setup = _RunSetup(config, resolve_triggers(config, major_version()), git, environment)
    triggers, reviewers = tuple(_triggers(setup)), tuple(_reviewers(setup))
    models = model_availability(config, git, environment)
    rest = (
        *_remediation(setup),
        *_trust(setup),
        check_tracker_line(config, git, environment),
        check_network(config, models),
    )
    told = [*setup.effective.warnings, *setup.effective.deprecations]
    warnings = (HealthCheck("config", HealthState.WARNING, " ".join(each.split())) for each in told)
    checks = (settings, *warnings, *triggers, *reviewers, *rest)
    return HealthReport(checks, _exit(triggers, reviewers))


def with_triggers(health: HealthReport, git: Git, environment: Environment) -> HealthReport:
    """The report of `doctor` with the triggers that are on and what they need; unchanged where
    there are none."""
    config, _ = check_config_file(git)
    if config is None:
        return health
    setup = _RunSetup(config, resolve_triggers(config, major_version()), git, environment)
    if not setup.effective.active:
        return health
    return replace(
        health, checks=(*health.checks, *_triggers(setup), *_reviewers(setup), *_remediation(setup))
    )


def _exit(triggers: Iterable[HealthCheck], reviewers: Iterable[HealthCheck]) -> Exit:
    """78 where a trigger cannot run as it is written, 4 where a reviewer of one cannot answer."""
    if any(check.state is HealthState.BROKEN for check in triggers):
        return Exit.CONFIG
    missing = any(check.state is HealthState.MISSING for check in reviewers)
    return Exit.NO_REVIEWERS if missing else Exit.OK


def _triggers(setup: _RunSetup) -> Iterator[HealthCheck]:
    for name in get_args(TriggerType):
        trigger, label = setup.effective.triggers.trigger_of(name), f"trigger {name}"
        if name not in setup.effective.active:
            yield HealthCheck(label, HealthState.OK, "off: it does nothing")
            continue
        if trigger is not None and trigger.commands:
            yield _commands(label, trigger, setup)
        if review := setup.effective.review_of(name):
            yield HealthCheck(label, HealthState.OK, _review_text(review))
        if name == "epic_completion":
            yield _epics(label, setup.config)


def _review_text(review: CodeReview) -> str:
    fails = f"it fails on findings from {review.finding_threshold}"
    fails = "findings alone fail nothing" if review.finding_threshold == "none" else fails
    return f"review by {review.reviewer_type}; {fails}; without an answer: {review.failure_mode}"


def _epics(label: str, config: Config) -> HealthCheck:
    how = config.epic_verification
    said = f"verified by {how.reviewer_type}" if how.enabled else "not verified"
    return HealthCheck(label, HealthState.OK, f"completed epics are {said}")


def _commands(label: str, trigger: Trigger, setup: _RunSetup) -> HealthCheck:
    try:
        revision = setup.git.resolve("HEAD") or setup.git.empty_tree
        found = resolve_commands(trigger.commands, setup.config, setup.git, revision)
    except GateError as error:
        return HealthCheck(label, HealthState.BROKEN, f"{error.message}; {error.hint}")
    absent = [name for name, argv in found.items() if not _is_there(argv[0], setup)]
    names = ", ".join(found)
    if absent:
        programs = ", ".join(f"{name} ({found[name][0]})" for name in absent)
        return HealthCheck(label, HealthState.MISSING, f"commands not found: {programs}")
    how = f"{count_noun(len(found), 'command')} ({names}); a failure: {trigger.failure_mode}"
    return HealthCheck(label, HealthState.OK, how)


def _is_there(program: str, setup: _RunSetup) -> bool:
    """A program on PATH, or at a path that is absolute or in the work tree."""
    if "/" not in program:
        return shutil.which(program, path=setup.path) is not None
    tree = setup.git.tree or Path()
    return (tree / os.path.expanduser(program)).is_file()


def _reviewers(setup: _RunSetup) -> Iterator[HealthCheck]:
    """Each reviewer_type that a trigger or the verification of epics asks, once."""
    asked: dict[str, CodeReview] = {}
    for name in get_args(TriggerType):
        if review := setup.effective.review_of(name):
            asked.setdefault(review.reviewer_type, review)
    epics = setup.config.epic_verification
    if setup.effective.triggers.epic_completion and epics.enabled:
        asked.setdefault(
            epics.reviewer_type, CodeReview(enabled=True, reviewer_type=epics.reviewer_type)
        )
    for kind, review in asked.items():
        yield _answers(kind, review, setup)


def _answers(kind: str, review: CodeReview, setup: _RunSetup) -> HealthCheck:
    label = f"reviewer_type {kind}"
    entries = reviewers_of_trigger(setup.config, review)
    if kind == "cerberus":
        return _gate(label, [str(each.options.get("path", "")) for each in entries.values()], setup)
    config = replace(setup.config, reviewers=entries) if entries else setup.config
    models = model_availability(config, setup.git, setup.environment)
    able = [name for name, model in models.items() if not model.error]
    if able:
        return HealthCheck(label, HealthState.OK, f"can be asked: {', '.join(able)}")
    return HealthCheck(label, HealthState.MISSING, _why_not(models))


def _why_not(models: Mapping[str, Availability]) -> str:
    said = "; ".join(f"{name}: {model.error}" for name, model in models.items())
    return said or "no language model is configured under reviewers"


def _gate(label: str, paths: Iterable[str], setup: _RunSetup) -> HealthCheck:
    try:
        programs = [str(find_gate(path, setup.environment)) for path in paths]
    except GateError as error:
        return HealthCheck(label, HealthState.MISSING, f"{error.message}; {error.hint}")
    return HealthCheck(label, HealthState.OK, ", ".join(programs))


def _remediation(setup: _RunSetup) -> Iterator[HealthCheck]:
    for name, argv in (
        ("fixer", setup.config.remediation.fixer),
        ("resume", setup.config.remediation.resume),
    ):
        if not argv:
            continue
        there = _is_there(argv[0], setup)
        state = HealthState.OK if there else HealthState.MISSING
        said = " ".join(argv) if there else f"{argv[0]} was not found"
        yield HealthCheck(f"remediation {name}", state, said)


def _trust(setup: _RunSetup) -> Iterator[HealthCheck]:
    """Which configuration counts, and whose commits."""
    git, label = setup.git, "configuration"
    data = read_own_file(git, CONFIG_FILE) if git.tree else None
    if data is not None and CONFIG_FILE in uncommitted_files(git):
        said = f"{CONFIG_FILE} is not committed as it is: runs use the committed one"
        yield HealthCheck(label, HealthState.WARNING, said)
    elif data is not None:
        approved = load_approvals(git).is_approved(CONFIG_FILE, git_blob_id(git, data))
        state = HealthState.OK if approved else HealthState.WARNING
        how = "approved" if approved else "not approved: triggers fire after `reviewgate-gh trust`"
        yield HealthCheck(label, state, how)
    if setup.environment.in_ci:
        said = (
            "in CI nobody's count: commands run only with --trusted, or on commits of agents that "
            "`orchestrate start --agents` names"
        )
        yield HealthCheck("commits", HealthState.WARNING, said)
    else:
        said = (
            "those that you make in this clone count, and those of agents that `orchestrate start "
            "--agents` names; --trusted approves others for one call"
        )
        yield HealthCheck("commits", HealthState.OK, said)
