"""Which settings apply to a change: the trusted side's files, raised to the organisation's floor."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

from .. import __version__
from ..model.change import Change
from ..model.config import Config, Tracker
from ..model.errors import ConfigError, UsageError
from ..model.values import dataclass
from ..model.waiver import Waiver
from ..steps.exclude import unusable
from ..system import plugins
from ..system.git import Git
from ..system.git.objects import read_files
from ..system.own_files import of_commit
from ..system.settings import CONFIG_FILE, WAIVER_FILE, digest, key_lines, parse, plain, read_waivers, validate
from ..system.world import World

_POLICY = "REVIEWGATE_GH_POLICY"


@dataclass(frozen=True, slots=True)
class Settings:
    """The config, where it came from, its digest, the waivers, and what a person should know about them.

    `former` maps the paths of today to the ones that waivers know them by.
    """

    config: Config
    source: str
    digest: str
    waivers: tuple[Waiver, ...]
    notices: tuple[str, ...]
    former: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Source:
    """A config file: its name as errors call it, and its content."""

    name: str
    data: bytes


def load_settings(git: Git, change: Change, world: World, policy: str) -> Settings:
    """The settings for this change.

    Raises:
        ConfigError: a file is wrong, the version is not the required one, or a plug-in does not exist.
    """
    found = of_commit(git, change.rules, (CONFIG_FILE, WAIVER_FILE))
    side = "the change itself" if change.rules == change.head else "the base"
    config, source, raised = _config(found.get(CONFIG_FILE), side, world, policy)
    waivers = read_waivers(found[WAIVER_FILE], WAIVER_FILE) if WAIVER_FILE in found else ()
    return Settings(config, source, digest(config), waivers, (*_changed(git, change), *raised), _former(git, change, waivers))


def config_at(git: Git, revision: str, world: World, policy: str) -> Config:
    """The config as a commit or tree holds it, raised to the organisation's floor.

    Raises:
        ConfigError: it is wrong.
        UsageError: no such commit or tree is here.
    """
    if not git.exists(revision):
        raise UsageError(f"the settings of {revision[:12]} would count, which is not in this clone", "fetch it, or review again here")
    return config_in(of_commit(git, revision, (CONFIG_FILE,)).get(CONFIG_FILE), revision, world, policy)


def config_in(data: bytes | None, revision: str, world: World, policy: str) -> Config:
    """The same of a file that was read there; None where there is none.

    Raises:
        ConfigError: it is wrong.
    """
    return _config(data, revision[:12], world, policy)[0]


def _config(data: bytes | None, side: str, world: World, policy: str) -> tuple[Config, str, tuple[str, ...]]:
    """The config, where it comes from, and what the floor set."""
    config = parse(data, Config, CONFIG_FILE) if data is not None else Config()
    source = f"{CONFIG_FILE} of {side}" if data is not None else "defaults"
    sources = [Source(CONFIG_FILE, data)] if data is not None else []
    notices: tuple[str, ...] = ()
    if floor := read_floor(policy, world):
        config, raised = raise_to(floor, config)
        sources.append(floor)
        source = f"{source}, floor {floor.name}"
        notices = (f"the floor {floor.name} set: {', '.join(raised)}",) if raised else ()
    check(config, sources)
    return config, source, notices


def _former(git: Git, change: Change, waivers: Sequence[Waiver]) -> Mapping[str, tuple[str, ...]]:
    """Renames before this change; those within it are known to its findings. A tree has no history, its base has."""
    paths = {waiver.path for waiver in waivers if waiver.path}
    commit = paths and (git.resolve(change.rules) or git.resolve(change.base))
    if not commit:
        return {}
    from ..system.git.renames import former_names

    return former_names(git, commit, paths)


def check(config: Config, sources: Sequence[Source] = ()) -> None:
    """What only we can check: the version, that every named plug-in exists, and its options. Errors point into the sources.

    Raises:
        ConfigError: something does not hold.
    """
    if config.required_version:
        with _placed(sources, "required_version"):
            _check_version(config.required_version)
    if (place := unusable(config.policy.exclude)) is not None:
        with _placed(sources, "policy", "exclude", place):
            raise ConfigError(f"policy.exclude[{place}]: {config.policy.exclude[place]!r} is no pattern", "write it as in .gitignore")
    known = plugins.names("linters")
    for name in config.linters:
        with _placed(sources, "linters", name):
            if name not in known:
                raise ConfigError(f"linters.{name}: there is no such linter", f"use one of: {', '.join(known)}")
    for name, reviewer in config.reviewers.items():
        with _placed(sources, "reviewers", name, "type"):
            module = plugins.load("reviewers", reviewer.type)
        with _placed(sources, "reviewers", name, "options"):
            if reviewer.options or needs_some(module.Options):
                validate(dict(reviewer.options), module.Options, f"reviewers.{name}.options")
        if reviewer.fallback is not None:
            with _placed(sources, "reviewers", name, "fallback"):
                _check_fallback(name, reviewer.fallback, config)
    if config.tracker not in (Config().tracker, Tracker(type="none")):
        _check_tracker(config.tracker, sources)
    for name in config.hook.reviewers or ():
        if name not in config.reviewers:
            with _placed(sources, "hook", "reviewers"):
                raise ConfigError(f"hook.reviewers: there is no reviewer {name!r}", f"declared are: {', '.join(config.reviewers)}")


def _check_fallback(name: str, other: str, config: Config) -> None:
    """One language model stands in for another."""
    both = [config.reviewers[each] for each in (name, other) if each in config.reviewers]
    if other == name or len(both) < 2 or not all(plugins.is_model(each.type) for each in both):
        raise ConfigError(f"reviewers.{name}.fallback: {other!r} is no other language model", "name a declared reviewer that asks a model")


def _check_tracker(tracker: Tracker, sources: Sequence[Source]) -> None:
    if tracker.type != "none":
        with _placed(sources, "tracker", "type"):
            module = plugins.load("trackers", tracker.type)
        with _placed(sources, "tracker", "options"):
            validate(dict(tracker.options), module.Options, "tracker.options")


def needs_some(options: Any) -> bool:
    """There are options without a default."""
    return any(option.default is MISSING and option.default_factory is MISSING for option in fields(options))


@contextmanager
def _placed(sources: Sequence[Source], *key: str | int) -> Iterator[None]:
    """Errors from within begin with file and line of this key, or of the nearest one above it that is written."""
    try:
        yield
    except ConfigError as error:
        known = [(source.name, key_lines(source.data, source.name)) for source in sources]
        places = (f"{name}:{lines[key[:end]]}: " for end in range(len(key), 0, -1) for name, lines in known if key[:end] in lines)
        place = next(places, "")
        raise ConfigError(f"{place}{error.message}", error.hint) from None


def _check_version(wanted: str) -> None:
    from ..steps.version import satisfies

    try:
        fits = satisfies(__version__, wanted)
    except ValueError as error:
        raise ConfigError(f"required_version: {error}") from None
    if not fits:
        raise ConfigError(f"this is reviewgate-gh {__version__}, the config asks for {wanted}", "pip install -U reviewgate-gh")


def read_floor(policy: str, world: World) -> Source | None:
    """The organisation's floor: the file that the user names, or else REVIEWGATE_GH_POLICY.

    Raises:
        ConfigError: it cannot be read.
    """
    name = policy or world.env.get(_POLICY, "")
    if not name:
        return None
    path = world.cwd / name
    try:
        return Source(name, path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read the policy {path}: {error.strerror}", "name an existing file with --policy") from None


def raise_to(floor: Source, config: Config) -> tuple[Config, tuple[str, ...]]:
    """The config raised to the floor, and the keys where that changed something."""
    from ..steps.floor import tighten

    return tighten(config, parse(floor.data, Config, floor.name), plain(floor.data, floor.name))


def refuse_left_out(names: Sequence[str], door: str, policy: str, world: World) -> None:
    """Whoever names reviewers on the command line must name those that the organisation's floor requires at this door.

    Raises:
        UsageError: one of them is left out.
    """
    left_out = [name for name in (required_by_floor(door, policy, world) if names else ()) if name not in names]
    if left_out:
        every = " ".join(f"--reviewer {name}" for name in left_out)
        floor = policy or world.env.get(_POLICY, "")
        raise UsageError(f"--reviewer leaves out {', '.join(left_out)}, which the policy {floor} requires", f"add {every}")


def required_by_floor(door: str, policy: str, world: World) -> tuple[str, ...]:
    """The reviewers that the organisation's floor requires at this door, whoever else is asked."""
    floor = read_floor(policy, world)
    if floor is None or "reviewers" not in plain(floor.data, floor.name):
        return ()
    declared = parse(floor.data, Config, floor.name).reviewers
    return tuple(name for name, entry in declared.items() if entry.required and (entry.where is None or door in entry.where))


def _changed(git: Git, change: Change) -> tuple[str, ...]:
    """What to say about gate files that the change itself touches; a whole tree changes nothing."""
    if change.whole:
        return ()
    touched = [file.path for file in change.files if file.path in (CONFIG_FILE, WAIVER_FILE) and file.mode != "000000"]
    if change.rules == change.head:
        return tuple(f"{path} is changed here and honoured; on a pull request it applies after the merge" for path in touched)
    contents = read_files(git, change.head, touched) if touched else {}
    return tuple(f"{path} is changed here: {_valid(path, contents.get(path))}; it applies after the merge" for path in touched)


def _valid(path: str, data: bytes | None) -> str:
    try:
        if data is None:
            return "it is not valid (it is no regular file)"
        parse(data, Config, path) if path == CONFIG_FILE else read_waivers(data, path)
    except ConfigError as error:
        return f"it is not valid ({error.message})"
    return "it is valid"
