"""What of the settings may run programs or send code away: only what was approved by content on
this machine, or in CI its base."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..git import Git
from ..model.change import Approvals, Change
from ..model.config import Config, ReviewerConfig
from ..model.errors import ConfigError, GateError
from ..system import plugins
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE
from .approvals import approved_content, with_tree
from .named_files import unapproved_file

APPROVE_HINT = "see what it would run and approve it: reviewgate-gh trust"
KEYLESS = ("linters", "builtin", "change")  # our own code, and programs that only read
_NOT_APPROVED = (
    f"{CONFIG_FILE} is not approved on this machine, so this does not run; {APPROVE_HINT}"
)
_FOREIGN = (
    "it runs in the work tree, so it needs changes that you made or approved (reviewgate-gh "
    "trust --change RANGE); "
    "for other changes set `where: [cli, hook]` or `required: false`"
)


def may_execute(
    data: bytes | None, approvals: Approvals, git: Git, environment: Environment
) -> bool:
    """What this config file declares may run and send code away; None is no file, so the defaults.

    In CI the base's file is approved.
    """
    return data is None or environment.in_ci or approved_content(git, approvals, CONFIG_FILE, data)


def refused_reviewers(
    config: Config, floor: Config | None, approved: bool, change: Change, git: Git
) -> Mapping[str, str]:
    """Why each declared reviewer that must not run here does not; `floor` are the organisation's
    settings, which the user named."""
    found = {}
    for name, entry in config.reviewers.items():
        known = (
            approved or change.trusted or (floor is not None and floor.reviewers.get(name) == entry)
        )
        if why := _refused(entry, known, change, git):
            found[name] = why
    return found


def refused_trigger_reviewers(
    also: Mapping[str, ReviewerConfig], approved: bool, change: Change, git: Git
) -> Mapping[str, str]:
    """The same for reviewers that a trigger of the config declares."""
    return {
        name: why for name, entry in also.items() if (why := _refused(entry, approved, change, git))
    }


def _refused(entry: ReviewerConfig, approved: bool, change: Change, git: Git) -> str:
    # By --trusted; an approved tree does not cover untracked files around it
    by_word = change.trusted and not change.approvals.trees
    if entry.type in KEYLESS or by_word:
        return ""
    if not (approved or change.trusted):
        return _NOT_APPROVED
    if not runs_in_tree(entry):
        return ""
    if not change.made_here:
        return _FOREIGN
    return _runs_unapproved(
        entry,
        with_tree(git, change.approvals, change.head) if change.trusted else change.approvals,
        git,
    )


def not_approved(
    data: bytes | None, config: Config, approvals: Approvals, git: Git, environment: Environment
) -> Mapping[str, str]:
    """Why each reviewer of this config file would not run on a change of the user's own."""
    approved = may_execute(data, approvals, git, environment)
    wanted = {name: entry for name, entry in config.reviewers.items() if entry.type not in KEYLESS}
    if not approved:
        return dict.fromkeys(wanted, _NOT_APPROVED)
    here = {
        name: entry
        for name, entry in wanted.items()
        if not environment.in_ci and runs_in_tree(entry)
    }
    return {
        name: why
        for name, entry in here.items()
        if (why := _runs_unapproved(entry, approvals, git))
    }


def _runs_unapproved(entry: ReviewerConfig, known: Approvals, git: Git) -> str:
    """Which file would run with it that is not approved; "" where all are."""
    try:
        file = unapproved_file(git, known, [*option_texts(entry.options)])
    except GateError as error:
        return f"{error.message}; {error.hint}"
    return (
        f"it would run {file}, whose current content is not approved; {APPROVE_HINT}"
        if file
        else ""
    )


def refused_linters(config: Config, approved: bool) -> Mapping[str, str]:
    """Why a linter does not run whose arguments could start a program, or name its configuration,
    and are not approved."""
    if approved:
        return {}
    return {
        name: (
            f"linters.{name}.args of {CONFIG_FILE} are not approved on this machine; {APPROVE_HINT}"
        )
        for name, options in config.linters.items()
        if options.args and args_may_execute(name)
    }


def runs_in_tree(entry: ReviewerConfig) -> bool:
    """The reviewer is a program of the user's choice that runs in the work tree."""
    return bool(getattr(plugins.load("reviewers", entry.type), "RUNS_IN_TREE", False))


def args_may_execute(linter: str) -> bool:
    """Arguments of this linter can start a program, or name a configuration that does."""
    return bool(plugins.load("linters", linter).ARGS_EXECUTE)


def require_approved(approved: bool, what: str) -> None:
    """For work that is nothing but what the config declares.

    Raises:
        ConfigError: it is not approved.
    """
    if not approved:
        raise ConfigError(f"{CONFIG_FILE} is not approved on this machine, so {what}", APPROVE_HINT)


def option_texts(value: Any) -> Iterator[str]:
    """Every text among the values of options."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from option_texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from option_texts(inner)
