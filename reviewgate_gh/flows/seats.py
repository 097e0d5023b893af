"""The reviewers of an entry point, and those of them that are language models."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..model.config import Config, Reviewer
from ..model.errors import ConfigError
from ..model.values import dataclass
from ..system import plugins
from ..system.kit import Seat
from ..system.settings import validate
from ..system.together import together
from .settings_check import needs_some

if TYPE_CHECKING:
    from ..model.asked import Standing

_MODELS_AT = ("cli", "pr")


@dataclass(frozen=True, slots=True)
class Panelist:
    """A configured language model with its options, and whether it can be used here."""

    name: str
    entry: Reviewer
    module: Any
    options: Any
    standing: "Standing"


def declared(config: Config, door: str, only: tuple[str, ...]) -> Mapping[str, Reviewer]:
    """The reviewers of this entry point, or the named ones; for the hook, those that the config names for it.

    Raises:
        ConfigError: a named one is not declared.
    """
    named = only or (config.hook.reviewers if door == "hook" else None)
    for name in named or ():
        if name not in config.reviewers:
            raise ConfigError(f"unknown reviewer {name!r}", f"the config has: {', '.join(config.reviewers)}")
    return {name: entry for name, entry in config.reviewers.items() if (name in named if named else door in _doors(entry, door))}


def models(reviewers: Mapping[str, Reviewer]) -> dict[str, Reviewer]:
    """Those of them that are language models."""
    return {name: entry for name, entry in reviewers.items() if plugins.is_model(entry.type)}


def seat_all(wanted: Mapping[str, Reviewer], seat: Seat) -> dict[str, Panelist]:
    """The models with their options, each looked at, at once.

    Raises:
        ConfigError: the options are wrong.
    """
    found = []
    for name, entry in wanted.items():
        module = plugins.load("reviewers", entry.type)
        found.append((name, entry, module, options_of(name, entry, module)))
    standings = together(lambda each: each[2].check(each[3], seat), found, len(found) or 1)
    return {row[0]: Panelist(*row, standing) for row, standing in zip(found, standings, strict=True)}


def options_of(name: str, entry: Reviewer, module: Any) -> Any:
    """The plug-in's own options.

    Raises:
        ConfigError: they are wrong.
    """
    if not entry.options and not needs_some(module.Options):
        return module.Options()
    return validate(dict(entry.options), module.Options, f"reviewers.{name}.options")


def _doors(entry: Reviewer, door: str) -> tuple[str, ...]:
    if entry.where is not None:
        return entry.where
    own: tuple[str, ...] = getattr(plugins.load("reviewers", entry.type), "WHERE", (door,))
    return _MODELS_AT if plugins.is_model(entry.type) else own
