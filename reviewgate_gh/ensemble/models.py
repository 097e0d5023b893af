"""Which reviewers a run asks at an entry point, and which of them are language models."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..model.config import Config, ReviewerConfig
from ..model.errors import ConfigError
from ..reviewers._context import ModelContext
from ..settings.check import has_required_options
from ..system import plugins
from ..system.parallel import map_parallel
from ..text.config_file import validate_settings

if TYPE_CHECKING:
    from ..model.question import Availability


_MODELS_AT = ("cli", "pr")


class ModelReviewer(Struct, frozen=True):
    """A configured language model with its options, and whether it can be used here."""

    name: str
    config: ReviewerConfig
    module: Any
    options: Any
    availability: "Availability"


def declared_reviewers(
    config: Config, door: str, only: tuple[str, ...]
) -> Mapping[str, ReviewerConfig]:
    """The reviewers of this entry point, or the named ones; for the hook, those that the config
    names for it.

    Raises:
        ConfigError: a named one is not declared.
    """
    named = only or (config.hook.reviewers if door == "hook" else None)
    for name in named or ():
        if name not in config.reviewers:
            raise ConfigError(
                f"unknown reviewer {name!r}", f"the config has: {', '.join(config.reviewers)}"
            )
    return {
        name: entry
        for name, entry in config.reviewers.items()
        if (name in named if named else door in _entry_points(entry, door))
    }


def model_reviewers(reviewers: Mapping[str, ReviewerConfig]) -> dict[str, ReviewerConfig]:
    """Those of them that are language models."""
    return {name: entry for name, entry in reviewers.items() if plugins.is_model(entry.type)}


def check_models(
    wanted: Mapping[str, ReviewerConfig], context: ModelContext
) -> dict[str, ModelReviewer]:
    """The models with their options, each looked at, at once.

    Raises:
        ConfigError: the options are wrong.
    """
    found = []
    for name, entry in wanted.items():
        module = plugins.load("reviewers", entry.type)
        found.append((name, entry, module, read_options(name, entry, module)))
    standings = map_parallel(lambda each: each[2].check(each[3], context), found, len(found) or 1)
    return {
        row[0]: ModelReviewer(*row, standing)
        for row, standing in zip(found, standings, strict=True)
    }


def read_options(name: str, entry: ReviewerConfig, module: Any) -> Any:
    """The plug-in's own options.

    Raises:
        ConfigError: they are wrong.
    """
    if not entry.options and not has_required_options(module.Options):
        return module.Options()
    return validate_settings(dict(entry.options), module.Options, f"reviewers.{name}.options")


def _entry_points(entry: ReviewerConfig, door: str) -> tuple[str, ...]:
    if entry.where is not None:
        return entry.where
    own: tuple[str, ...] = getattr(plugins.load("reviewers", entry.type), "WHERE", (door,))
    return _MODELS_AT if plugins.is_model(entry.type) else own
