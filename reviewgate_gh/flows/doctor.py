"""Can the gate run here? What it would run with, what is missing, and what leaves the machine."""

import platform
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from .. import __version__
from ..model.asked import Standing
from ..model.config import Config, LinterOptions
from ..model.errors import ConfigError, GateError
from ..model.exits import Exit
from ..model.values import dataclass
from ..reporters._doors import line
from ..reporters._look import Look
from ..reporters._table import table
from ..reviewers._program import find_program
from ..reviewers._version import linter_version
from ..steps.git_release import weakness
from ..system import plugins, process
from ..system.approvals import load_approvals
from ..system.git import Git
from ..system.git.ranges import is_shallow
from ..system.hooks import find_place
from ..system.own_files import in_tree
from ..system.settings import CONFIG_FILE, parse
from ..system.world import World
from .approval import not_approved
from .doctor_tracker import tracker_health
from .settings_check import Source, check
from .standing import sent, standings, told

# Reviewers that are known to open no connection; of any other but a model we say that we do not know.
_LOCAL = ("linters", "builtin")


class State(StrEnum):
    """The state of a part of the set-up."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the screen."""

    name: str
    state: State
    detail: str


@dataclass(frozen=True, slots=True)
class Health:
    """All lines, and the exit code that they come to."""

    checks: tuple[Check, ...]
    exit: int


def examine(git: Git, world: World) -> Health:
    """Look at everything that a run needs; whatever is wrong is a line, never an exception."""
    config, settings = _config(git)
    linters = tuple(_linters(config or Config(), git, world))
    models = standings(config or Config(), git, world)
    refused = _not_approved(config, git, world) if config else {}
    reviewers = tuple(_asked(check, refused) for check in _reviewers(config or Config(), linters, models))
    rest = _hook(git, world), _tracker(config or Config(), git, world), _leaves(config or Config(), models)
    checks = (*_machine(git, world), _repository(git), settings, *linters, *reviewers, *rest)
    if config is None:
        return Health(checks, Exit.CONFIG)
    return Health(checks, Exit.OK if any(check.state is State.OK for check in reviewers) else Exit.NO_REVIEWERS)


def _machine(git: Git, world: World) -> Iterator[Check]:
    yield Check("reviewgate-gh", State.OK, __version__)
    yield Check("Python", State.OK, platform.python_version())
    version = git.text("version").removeprefix("git version ")
    weak = weakness(version)
    yield Check("git", State.WARNING if weak else State.OK, f"{version}: {weak}" if weak else version)


def _repository(git: Git) -> Check:
    where = str(git.tree or git.directory)
    if not git.resolve("HEAD"):
        return Check("repository", State.WARNING, f"{where}: no commit yet; review what is staged with --staged")
    if is_shallow(git):
        return Check("repository", State.WARNING, f"{where}: a shallow clone; git fetch --unshallow fetches the whole history")
    if not git.text("remote"):
        return Check("repository", State.WARNING, f"{where}: no remote to compare with; name the base with --base")
    return Check("repository", State.OK, where)


def _config(git: Git) -> tuple[Config | None, Check]:
    """The config of the work tree; None where it is broken."""
    try:
        data = in_tree(git, CONFIG_FILE) if git.tree else None
        if data is None:
            return Config(), Check("config", State.OK, "none: the defaults apply")
        config = parse(data, Config, CONFIG_FILE)
        check(config, [Source(CONFIG_FILE, data)])
    except GateError as error:
        return None, Check("config", State.BROKEN, f"{error.message}; {error.hint}" if error.hint else error.message)
    return config, Check("config", State.OK, f"{CONFIG_FILE} is valid")


def _linters(config: Config, git: Git, world: World) -> Iterator[Check]:
    """The tools that the config does not switch off: those of the default gate, and those that are there or asked for."""
    for name in plugins.names("linters"):
        tool, settings = plugins.load("linters", name), config.linters.get(name, LinterOptions())
        program = find_program(tool.PROGRAM, git, True, world.env.get("PATH", ""))
        if settings.enabled is False:
            continue
        if program:
            yield _linter(name, tool, program, settings.enabled is True or tool.DEFAULT, world)
        elif tool.DEFAULT or settings.enabled:
            yield Check(f"linter {name}", State.MISSING, tool.INSTALL)


def _linter(name: str, tool: Any, program: str, wanted: bool, world: World) -> Check:
    """One that does not say its version is a broken one: no review of its would count."""
    known = linter_version(program, tool, process.clean_environment(world.env))
    if known.error:
        return Check(f"linter {name}", State.BROKEN if wanted else State.WARNING, f"{program}: {known.error}")
    return Check(f"linter {name}", State.OK, f"{known.number} {program}")


def _reviewers(config: Config, linters: tuple[Check, ...], models: dict[str, Standing]) -> Iterator[Check]:
    for name, entry in config.reviewers.items():
        if entry.type == "linters" and not any(check.state is State.OK for check in linters):
            yield Check(f"reviewer {name}", State.MISSING, "none of its linters is installed")
        elif name in models:
            state = State.MISSING if models[name].error else State.OK
            yield Check(f"reviewer {name}", state, told(entry.type, models[name]))
        else:
            yield _loaded(name, entry.type)


def _not_approved(config: Config, git: Git, world: World) -> Mapping[str, str]:
    """By the name of a line, why a reviewer of this config would be left out."""
    data = in_tree(git, CONFIG_FILE) if git.tree else None
    return {f"reviewer {name}": why for name, why in not_approved(data, config, load_approvals(git), git, world).items()}


def _asked(check: Check, refused: Mapping[str, str]) -> Check:
    """The line of a reviewer; one that is here and not approved is not asked."""
    if check.state is not State.OK or check.name not in refused:
        return check
    return Check(check.name, State.WARNING, f"{check.detail}; {refused[check.name]}")


def _loaded(name: str, kind: str) -> Check:
    try:
        plugins.load("reviewers", kind)
    except ConfigError as error:
        return Check(f"reviewer {name}", State.BROKEN, error.message)
    return Check(f"reviewer {name}", State.OK, kind)


def _hook(git: Git, world: World) -> Check:
    try:
        place = find_place(git, world.env)
    except GateError as error:
        return Check("hook", State.WARNING, error.message)
    if place.caller:
        return Check("hook", State.OK, f"{place.caller}; to test it: reviewgate-gh hook status")
    return Check("hook", State.WARNING, "not installed, so pushes are not reviewed; to install it: reviewgate-gh hook install")


def _tracker(config: Config, git: Git, world: World) -> Check:
    """Where findings become issues; it decides nothing, so nothing of it is an error."""
    said, well = tracker_health(config, git, world)
    return Check("tracker", State.OK if well else State.WARNING, said)


def _leaves(config: Config, models: dict[str, Standing]) -> Check:
    """What the reviewers of this config send away."""
    leaving = sent(models)
    unknown = [name for name, entry in config.reviewers.items() if entry.type not in _LOCAL and name not in models]
    if unknown:
        leaving.append(f"unknown: {', '.join(unknown)} may use the network")
    if leaving:
        return Check("network", State.WARNING if unknown else State.OK, f"{'; '.join(leaving)}; the other reviewers send nothing")
    return Check("network", State.OK, "nothing is sent: no reviewer in this config uses the network")


def drawn(health: Health, look: Look) -> str:
    """One screen for a person."""
    styles = {State.OK: "green", State.WARNING: "yellow", State.MISSING: "yellow", State.BROKEN: "bold red"}
    cells = ([(check.name, ""), (check.state, styles[check.state]), (line(check.detail, 400), "")] for check in health.checks)
    return table(("part", "state", "detail"), cells, look)
