"""Checks of the config beyond its types: version, plug-ins and their options, patterns, names."""

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from typing import Any

from msgspec import Struct

from .. import __version__
from ..model.config import Config, Policy, TrackerConfig
from ..model.errors import ConfigError
from ..system import plugins
from ..text.config_file import key_lines, validate_settings
from ..text.paths import invalid_pattern
from ..text.patterns import lazy_pattern
from .secret_rules import wrong_pattern


class ConfigSource(Struct, frozen=True):
    """A config file: its name as errors call it, and its content."""

    name: str
    data: bytes


def check_config(config: Config, sources: Sequence[ConfigSource] = ()) -> None:
    """What only we can check: the version, that every named plug-in exists, and its options. Errors
    point into the sources.

    Raises:
        ConfigError: something does not hold.
    """
    if config.required_version:
        with located_errors(sources, "required_version"):
            _check_version(config.required_version)
    _check_path_patterns(config.policy, sources)
    if config.secrets.patterns:
        _check_secret_patterns(config, sources)
    _check_linters(config, sources)
    _check_reviewers(config, sources)
    if config.tracker not in (Config().tracker, TrackerConfig(type="none")):
        _check_tracker(config.tracker, sources)
    for name in config.hook.reviewers or ():
        if name not in config.reviewers:
            with located_errors(sources, "hook", "reviewers"):
                raise ConfigError(
                    f"hook.reviewers: unknown reviewer {name!r}",
                    f"the config has: {', '.join(config.reviewers)}",
                )


def _check_path_patterns(policy: Policy, sources: Sequence[ConfigSource]) -> None:
    for key, patterns in (("exclude", policy.exclude), ("denied_paths", policy.denied_paths)):
        if (at := invalid_pattern(patterns)) is not None:
            with located_errors(sources, "policy", key, at):
                raise ConfigError(
                    f"policy.{key}[{at}]: {patterns[at]!r} is not a valid pattern",
                    "use .gitignore syntax",
                )


def _check_linters(config: Config, sources: Sequence[ConfigSource]) -> None:
    known = plugins.names("linters")
    for name in config.linters:
        with located_errors(sources, "linters", name):
            if name not in known:
                raise ConfigError(
                    f"linters.{name}: unknown linter", f"use one of: {', '.join(known)}"
                )


def _check_reviewers(config: Config, sources: Sequence[ConfigSource]) -> None:
    for name, reviewer in config.reviewers.items():
        with located_errors(sources, "reviewers", name, "type"):
            module = _plugin("reviewers", reviewer.type, f"reviewers.{name}.type")
        with located_errors(sources, "reviewers", name, "options"):
            if reviewer.options or has_required_options(module.Options):
                validate_settings(
                    dict(reviewer.options), module.Options, f"reviewers.{name}.options"
                )
        if reviewer.fallback is not None:
            with located_errors(sources, "reviewers", name, "fallback"):
                _check_fallback(name, reviewer.fallback, config)


def _check_secret_patterns(config: Config, sources: Sequence[ConfigSource]) -> None:
    """They compile, and no text makes them take long."""
    for at, each in enumerate(config.secrets.patterns):
        if why := wrong_pattern(each.pattern):
            with located_errors(sources, "secrets", "patterns", at, "pattern"):
                raise ConfigError(
                    f"secrets.patterns[{at}].pattern: {why}",
                    "use a Python regular expression with bounded repetitions",
                )


def _check_fallback(name: str, other: str, config: Config) -> None:
    """Only one language model can replace another."""
    both = [config.reviewers[each] for each in (name, other) if each in config.reviewers]
    if other == name or len(both) < 2 or not all(plugins.is_model(each.type) for each in both):
        what = f"reviewers.{name}.fallback: {other!r} is not another language model"
        raise ConfigError(what, "name another reviewer from the config that is a language model")


def _check_tracker(tracker: TrackerConfig, sources: Sequence[ConfigSource]) -> None:
    if tracker.type != "none":
        with located_errors(sources, "tracker", "type"):
            module = _plugin("trackers", tracker.type, "tracker.type")
        with located_errors(sources, "tracker", "options"):
            validate_settings(dict(tracker.options), module.Options, "tracker.options")


def _plugin(group: str, name: str, key: str) -> Any:
    try:
        return plugins.load(group, name)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error.message}", error.hint) from None


def has_required_options(options: Any) -> bool:
    """There are options without a default."""
    return any(
        option.default is Parameter.empty for option in signature(options).parameters.values()
    )


@contextmanager
def located_errors(sources: Sequence[ConfigSource], *key: str | int) -> Iterator[None]:
    """Errors from within begin with file and line of this key, or of the nearest one above it that
    is written."""
    try:
        yield
    except ConfigError as error:
        known = [(source.name, key_lines(source.data, source.name)) for source in sources]
        places = (
            f"{name}:{lines[key[:end]]}: "
            for end in range(len(key), 0, -1)
            for name, lines in known
            if key[:end] in lines
        )
        place = next(places, "")
        raise ConfigError(f"{place}{error.message}", error.hint) from None


def _check_version(wanted: str) -> None:

    try:
        fits = satisfies_version(__version__, wanted)
    except ValueError as error:
        raise ConfigError(f"required_version: {error}") from None
    if not fits:
        raise ConfigError(
            f"this is reviewgate-gh {__version__}, but the config requires {wanted}",
            "pip install -U reviewgate-gh",
        )


_TERM = lazy_pattern(r"\s*(>=|<=|==|!=|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")
_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
    "<": operator.lt,
}  # fmt: skip


def satisfies_version(version: str, wanted: str) -> bool:
    """The version meets every comparison.

    Raises:
        ValueError: `wanted` is not such a list.
    """
    terms = [_TERM.fullmatch(term) for term in wanted.split(",")]
    if not all(terms):
        raise ValueError(f"not a version range: {wanted!r}; write for example >=0.1,<1")
    have = _numbers(version)
    return all(_COMPARE[term[1]](have, _numbers(term[2])) for term in terms if term)


def major_version() -> int:
    """The major version of this release."""
    return (*_numbers(__version__), 0)[0]


def _numbers(version: str) -> tuple[int, ...]:
    release = version[: len(version) - len(version.lstrip("0123456789."))]
    numbers = [int(part) for part in release.split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
