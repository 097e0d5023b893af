"""What of the settings only we can check, beside their form: the version, plug-ins and their options, patterns, names."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Any

from .. import __version__
from ..model.config import Config, Tracker
from ..model.errors import ConfigError
from ..model.values import dataclass
from ..steps.exclude import unusable
from ..system import plugins
from ..system.settings import key_lines, validate


@dataclass(frozen=True, slots=True)
class Source:
    """A config file: its name as errors call it, and its content."""

    name: str
    data: bytes


def check(config: Config, sources: Sequence[Source] = ()) -> None:
    """What only we can check: the version, that every named plug-in exists, and its options. Errors point into the sources.

    Raises:
        ConfigError: something does not hold.
    """
    if config.required_version:
        with placed(sources, "required_version"):
            _check_version(config.required_version)
    for key, patterns in (("exclude", config.policy.exclude), ("denied_paths", config.policy.denied_paths)):
        if (at := unusable(patterns)) is not None:
            with placed(sources, "policy", key, at):
                raise ConfigError(f"policy.{key}[{at}]: {patterns[at]!r} is not a valid pattern", "use .gitignore syntax")
    known = plugins.names("linters")
    for name in config.linters:
        with placed(sources, "linters", name):
            if name not in known:
                raise ConfigError(f"linters.{name}: unknown linter", f"use one of: {', '.join(known)}")
    for name, reviewer in config.reviewers.items():
        with placed(sources, "reviewers", name, "type"):
            module = _plugin("reviewers", reviewer.type, f"reviewers.{name}.type")
        with placed(sources, "reviewers", name, "options"):
            if reviewer.options or needs_some(module.Options):
                validate(dict(reviewer.options), module.Options, f"reviewers.{name}.options")
        if reviewer.fallback is not None:
            with placed(sources, "reviewers", name, "fallback"):
                _check_fallback(name, reviewer.fallback, config)
    if config.tracker not in (Config().tracker, Tracker(type="none")):
        _check_tracker(config.tracker, sources)
    for name in config.hook.reviewers or ():
        if name not in config.reviewers:
            with placed(sources, "hook", "reviewers"):
                raise ConfigError(f"hook.reviewers: unknown reviewer {name!r}", f"the config has: {', '.join(config.reviewers)}")


def _check_fallback(name: str, other: str, config: Config) -> None:
    """Only one language model can replace another."""
    both = [config.reviewers[each] for each in (name, other) if each in config.reviewers]
    if other == name or len(both) < 2 or not all(plugins.is_model(each.type) for each in both):
        what = f"reviewers.{name}.fallback: {other!r} is not another language model"
        raise ConfigError(what, "name another reviewer from the config that is a language model")


def _check_tracker(tracker: Tracker, sources: Sequence[Source]) -> None:
    if tracker.type != "none":
        with placed(sources, "tracker", "type"):
            module = _plugin("trackers", tracker.type, "tracker.type")
        with placed(sources, "tracker", "options"):
            validate(dict(tracker.options), module.Options, "tracker.options")


def _plugin(group: str, name: str, key: str) -> Any:
    try:
        return plugins.load(group, name)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error.message}", error.hint) from None


def needs_some(options: Any) -> bool:
    """There are options without a default."""
    return any(option.default is MISSING and option.default_factory is MISSING for option in fields(options))


@contextmanager
def placed(sources: Sequence[Source], *key: str | int) -> Iterator[None]:
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
        raise ConfigError(f"this is reviewgate-gh {__version__}, but the config requires {wanted}", "pip install -U reviewgate-gh")
