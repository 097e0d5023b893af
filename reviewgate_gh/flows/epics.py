"""Epics, as far as the configured tracker knows them."""

from collections.abc import Iterable

from ..model.config import Config
from ..model.epic import Epic
from ..model.errors import GateError
from ..system import plugins
from ..system.settings import validate
from ..system.site import Site

_DEEPEST = 20


def epic_named(name: str, config: Config, site: Site) -> Epic | None:
    """The epic of that name; None if the tracker does not know it or has no epics, or no tracker is configured.

    Raises:
        GateError, OSError: the tracker fails.
    """
    return _asked("epic", name, config, site)


def issue_named(name: str, config: Config, site: Site) -> Epic | None:
    """The issue or epic of that name, without what is below it; None as above.

    Raises:
        GateError, OSError: the tracker fails.
    """
    return _asked("issue", name, config, site)


def _asked(what: str, name: str, config: Config, site: Site) -> Epic | None:
    settings = config.tracker
    if settings.type == "none":
        return None
    module = plugins.load("trackers", settings.type)
    if not hasattr(module, what):
        return None
    options = validate(dict(settings.options), module.Options, "tracker.options") if settings.options else module.Options()
    found: Epic | None = getattr(module, what)(options, site, name)
    return found


def epics_above(issues: Iterable[str], config: Config, site: Site) -> tuple[str, ...]:
    """The epics that these issues are in, inner ones first; what the tracker cannot report now is left out, with a message."""
    found: dict[str, None] = {}
    for issue in issues:
        try:
            name = issue
            for _ in range(_DEEPEST):
                known = epic_named(name, config, site)
                if known is None or not known.parent:
                    break
                name = known.parent
                found[name] = found.pop(name, None)  # outer ones come last
        except (GateError, OSError) as error:
            site.told.append(f"could not read the epics of {issue}: {error}")
    return tuple(found)
