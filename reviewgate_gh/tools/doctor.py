"""Can the gate run here? The reviewers, tools, models and tracker it would use, and what is
missing."""

import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any

from msgspec import Struct

from .. import __version__
from ..ensemble.models import check_models, model_reviewers
from ..ensemble.repository_tools import ReadableTree, RepositoryTools
from ..git import Git
from ..git.ranges import is_shallow
from ..git.tree_files import read_own_file
from ..hook.install import find_hook_location
from ..issues.sync import read_waiting
from ..issues.tracked import Workspace
from ..model.config import Config, LinterOptions
from ..model.errors import ConfigError, Exit, GateError
from ..model.question import Availability
from ..reporters._layout import render_table
from ..reporters._look import OutputStyle
from ..reporters._words import count_noun
from ..reviewers._context import ModelContext
from ..reviewers._program import find_program, linter_version
from ..reviewers.linters._settings import find_linter_settings
from ..settings.check import ConfigSource, check_config
from ..system import plugins, process
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE, parse_settings, validate_settings
from ..text.patterns import lazy_pattern
from ..text.safe import safe_line
from ..trust.approvals import load_approvals
from ..trust.may_run import not_approved
from .destinations import data_destinations
from .languages import list_languages

_LATER = "reviewgate-gh findings sync"


def check_tracker(config: Config, git: Git, environment: Environment) -> tuple[str, bool]:
    """A sentence, and whether all is well; a tracker that fails decides nothing, so it never stops
    a run."""
    kind = config.tracker.type
    if kind == "none":
        return "none: findings are not turned into issues", True
    try:
        module = plugins.load("trackers", kind)
        options = (
            validate_settings(dict(config.tracker.options), module.Options, "tracker.options")
            if config.tracker.options
            else module.Options()
        )
        lacks = module.lacks(options, Workspace(git, environment, []))
    except GateError as error:
        return f"{kind}: {error.message}; {error.hint}", False
    left = read_waiting(git.common).issues
    late = f"{count_noun(len(left), 'finding')} waiting: {_LATER}" if left else ""
    return f"{kind}: {'; '.join(filter(None, (lacks, late)))}".removesuffix(": "), not (
        lacks or late
    )


_SECONDS = 30.0  # for a model's program to say its version


def model_availability(
    config: Config, git: Git, environment: Environment
) -> dict[str, Availability]:
    """By the reviewer's name; none if the options are wrong, which the config check reports."""
    # To be named in commands, not to be called
    tools = RepositoryTools(ReadableTree(git, "", "", frozenset))
    context = ModelContext(
        environment,
        _SECONDS,
        trusted=True,
        work_tree=git.tree,
        has_denied_files=bool(config.policy.denied_paths),
        tools=tools if config.ensemble.context.tools else None,
    )
    with suppress(ConfigError):
        return {
            name: seated.availability
            for name, seated in check_models(model_reviewers(config.reviewers), context).items()
        }
    return {}


def availability_line(kind: str, model: Availability) -> str:
    """One line about it."""
    if model.error:
        return f"{kind}: {model.error}"
    pays, runs = (
        f"pays: {model.login}" if model.login else "",
        f"runs: {model.program}" if model.program else "",
    )
    return "; ".join(filter(None, (f"{kind} {model.version}".strip(), pays, *model.notes, runs)))


_OLDEST = (2, 39)
# CVE-2024-32002 and CVE-2025-48384: the first release of each line in which the later of the two is
# mended. https://github.com/git/git/blob/master/Documentation/RelNotes/2.45.1.adoc
# https://github.com/git/git/blob/master/Documentation/RelNotes/2.50.1.adoc
_MENDED = {
    (2, 43): 7,
    (2, 44): 4,
    (2, 45): 4,
    (2, 46): 4,
    (2, 47): 3,
    (2, 48): 2,
    (2, 49): 1,
    (2, 50): 1,
}
_NUMBERS = lazy_pattern(r"(\d+)\.(\d+)(?:\.(\d+))?")


def git_warning(version: str) -> str:
    """Why this release is a worry, and what to do; "" for a good one.

    `version` is git's own words, such as 2.47.1.
    """
    found = _NUMBERS.match(version)
    if not found:
        return "an unknown version"
    line, patch = (int(found[1]), int(found[2])), int(found[3] or 0)
    if line < _OLDEST:
        return "older than 2.39: update it"
    if line <= max(_MENDED) and patch < _MENDED.get(line, 1_000_000):
        return (
            "cloning submodules with it can run untrusted code (CVE-2025-48384) unless your "
            "distribution has patched it;"
            " the gate never enters a submodule"
        )
    return ""


class HealthState(StrEnum):
    """The state of a part of the set-up."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"
    BROKEN = "broken"


class HealthCheck(Struct, frozen=True):
    """One line of the screen."""

    name: str
    state: HealthState
    detail: str


class HealthReport(Struct, frozen=True):
    """All lines, and the exit code that they come to."""

    checks: tuple[HealthCheck, ...]
    exit: int


def check_setup(git: Git, environment: Environment) -> HealthReport:
    """Look at everything that a run needs; whatever is wrong is a line, never an exception."""
    config, settings = check_config_file(git)
    linters = tuple(_linters(config or Config(), git, environment))
    models = model_availability(config or Config(), git, environment)
    refused = _not_approved(config, git, environment) if config else {}
    reviewers = tuple(
        _asked(check_config, refused)
        for check_config in _reviewers(config or Config(), linters, models)
    )
    rest = (
        _hook(git, environment),
        check_tracker_line(config or Config(), git, environment),
        check_network(config or Config(), models),
    )
    languages = _languages(config or Config(), linters, models, git)
    machine = (*_machine(git, environment), _repository(git), settings)
    checks = (*machine, *linters, *languages, *reviewers, *rest)
    if config is None:
        return HealthReport(checks, Exit.CONFIG)
    return HealthReport(
        checks,
        Exit.OK
        if any(check_config.state is HealthState.OK for check_config in reviewers)
        else Exit.NO_REVIEWERS,
    )


def _machine(git: Git, environment: Environment) -> Iterator[HealthCheck]:
    yield HealthCheck("reviewgate-gh", HealthState.OK, __version__)
    yield HealthCheck("Python", HealthState.OK, platform.python_version())
    version = git.text("version").removeprefix("git version ")
    weak = git_warning(version)
    yield HealthCheck(
        "git",
        HealthState.WARNING if weak else HealthState.OK,
        f"{version}: {weak}" if weak else version,
    )


def _repository(git: Git) -> HealthCheck:
    where = str(git.tree or git.directory)
    if not git.resolve("HEAD"):
        return HealthCheck(
            "repository",
            HealthState.WARNING,
            f"{where}: no commit yet; review what is staged with --staged",
        )
    if is_shallow(git):
        return HealthCheck(
            "repository",
            HealthState.WARNING,
            f"{where}: a shallow clone; git fetch --unshallow fetches the whole history",
        )
    if not git.text("remote"):
        return HealthCheck(
            "repository",
            HealthState.WARNING,
            f"{where}: no remote, so a review without --base takes all of HEAD as new",
        )
    return HealthCheck("repository", HealthState.OK, where)


def check_config_file(git: Git) -> tuple[Config | None, HealthCheck]:
    """The config of the work tree; None where it is broken."""
    try:
        data = read_own_file(git, CONFIG_FILE) if git.tree else None
        if data is None:
            return Config(), HealthCheck("config", HealthState.OK, "none: the defaults apply")
        config = parse_settings(data, Config, CONFIG_FILE)
        check_config(config, [ConfigSource(CONFIG_FILE, data)])
    except GateError as error:
        return None, HealthCheck(
            "config",
            HealthState.BROKEN,
            f"{error.message}; {error.hint}" if error.hint else error.message,
        )
    return config, HealthCheck("config", HealthState.OK, f"{CONFIG_FILE} is valid")


def _linters(config: Config, git: Git, environment: Environment) -> Iterator[HealthCheck]:
    """The tools that the config does not switch off: those of the default gate, and those that are
    there or asked for."""
    for name in plugins.names("linters"):
        tool, settings = plugins.load("linters", name), config.linters.get(name, LinterOptions())
        program = find_program(tool.PROGRAM, git, True, environment.variables.get("PATH", ""))
        if settings.enabled is False:
            continue
        if program:
            yield _linter(
                name, tool, program, settings.enabled is True or tool.DEFAULT, environment
            )
        elif tool.DEFAULT or settings.enabled:
            yield HealthCheck(f"linter {name}", HealthState.MISSING, tool.INSTALL)


def _linter(
    name: str, tool: Any, program: str, wanted: bool, environment: Environment
) -> HealthCheck:
    """One that does not say its version is a broken one: no review of its would count."""
    known = linter_version(program, tool, process.clean_environment(environment.variables))
    if known.error:
        return HealthCheck(
            f"linter {name}",
            HealthState.BROKEN if wanted else HealthState.WARNING,
            f"{program}: {known.error}",
        )
    return HealthCheck(f"linter {name}", HealthState.OK, f"{known.number} {program}")


def _reviewers(
    config: Config, linters: tuple[HealthCheck, ...], models: dict[str, Availability]
) -> Iterator[HealthCheck]:
    for name, entry in config.reviewers.items():
        if entry.type == "linters" and not any(
            check_config.state is HealthState.OK for check_config in linters
        ):
            yield HealthCheck(
                f"reviewer {name}", HealthState.MISSING, "none of its linters is installed"
            )
        elif name in models:
            state = HealthState.MISSING if models[name].error else HealthState.OK
            yield HealthCheck(
                f"reviewer {name}", state, availability_line(entry.type, models[name])
            )
        else:
            yield _loaded(name, entry.type)


def _not_approved(config: Config, git: Git, environment: Environment) -> Mapping[str, str]:
    """By the name of a line, why a reviewer of this config would be left out."""
    data = read_own_file(git, CONFIG_FILE) if git.tree else None
    return {
        f"reviewer {name}": why
        for name, why in not_approved(data, config, load_approvals(git), git, environment).items()
    }


def _asked(check: HealthCheck, refused: Mapping[str, str]) -> HealthCheck:
    """The line of a reviewer; one that is here and not approved is not asked."""
    if check.state is not HealthState.OK or check.name not in refused:
        return check
    return HealthCheck(check.name, HealthState.WARNING, f"{check.detail}; {refused[check.name]}")


def _loaded(name: str, kind: str) -> HealthCheck:
    try:
        plugins.load("reviewers", kind)
    except ConfigError as error:
        return HealthCheck(f"reviewer {name}", HealthState.BROKEN, error.message)
    return HealthCheck(f"reviewer {name}", HealthState.OK, kind)


def _hook(git: Git, environment: Environment) -> HealthCheck:
    try:
        place = find_hook_location(git, environment.variables)
    except GateError as error:
        return HealthCheck("hook", HealthState.WARNING, error.message)
    if place.caller:
        return HealthCheck(
            "hook", HealthState.OK, f"{place.caller}; to test it: reviewgate-gh hook status"
        )
    return HealthCheck(
        "hook",
        HealthState.WARNING,
        "not installed, so pushes are not reviewed; to install it: reviewgate-gh hook install",
    )


def check_tracker_line(config: Config, git: Git, environment: Environment) -> HealthCheck:
    """Where findings become issues; it decides nothing, so nothing of it is an error."""
    said, well = check_tracker(config, git, environment)
    return HealthCheck("tracker", HealthState.OK if well else HealthState.WARNING, said)


def _languages(
    config: Config,
    linters: Iterable[HealthCheck],
    models: Mapping[str, Availability],
    git: Git,
) -> Iterator[HealthCheck]:
    """Who reads each language of the repository, and what would where nobody does."""
    if not git.resolve("HEAD"):
        return
    working = {
        check.name.removeprefix("linter ") for check in linters if check.state is HealthState.OK
    }
    configured = {each.name for each in find_linter_settings(git)} if git.tree else set()
    asked = {name for name, options in config.linters.items() if options.enabled}
    tools = {name: plugins.load("linters", name) for name in working}
    default = {
        name
        for name, tool in tools.items()
        if tool.DEFAULT or getattr(tool, "WHEN_INSTALLED", False)
    }
    installed = working & (configured | asked | default)
    able = [name for name, model in models.items() if not model.error]
    for row in list_languages(config, installed, able, git):
        state = HealthState.OK if row.readers else HealthState.WARNING
        who = f"read by {', '.join(row.readers)}" if row.readers else row.possible
        detail = f"{count_noun(row.files, 'file')}: {who}"
        yield HealthCheck(f"language {row.name}", state, detail)


def check_network(config: Config, models: dict[str, Availability]) -> HealthCheck:
    """What is sent away with this config."""
    leaving = data_destinations(config, models)
    if not leaving:
        return HealthCheck(
            "network", HealthState.OK, "nothing is sent: nothing in this config uses the network"
        )
    unknown = any(clause.startswith("unknown: ") for clause in leaving)
    return HealthCheck(
        "network",
        HealthState.WARNING if unknown else HealthState.OK,
        f"{'; '.join(leaving)}; nothing else is sent",
    )


def render_health(health: HealthReport, style: OutputStyle) -> str:
    """One screen for a person."""
    styles = {
        HealthState.OK: "green",
        HealthState.WARNING: "yellow",
        HealthState.MISSING: "yellow",
        HealthState.BROKEN: "bold red",
    }
    cells = (
        [
            (check_config.name, ""),
            (check_config.state, styles[check_config.state]),
            (safe_line(check_config.detail, 400), ""),
        ]
        for check_config in health.checks
    )
    return render_table(("part", "state", "detail"), cells, style)
