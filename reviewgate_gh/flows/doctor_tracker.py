"""What `doctor` says of the tracker: which one it is, what it lacks here, and what waits for it."""

from ..model.config import Config
from ..model.errors import GateError
from ..reporters._words import counted
from ..system import plugins
from ..system.git import Git
from ..system.settings import validate
from ..system.site import Site
from ..system.waiting import waiting
from ..system.world import World

_LATER = "reviewgate-gh findings sync"


def tracker_health(config: Config, git: Git, world: World) -> tuple[str, bool]:
    """A sentence, and whether all is well; a tracker that fails decides nothing, so it never stops a run."""
    kind = config.tracker.type
    if kind == "none":
        return "none: findings are not turned into issues", True
    try:
        module = plugins.load("trackers", kind)
        options = validate(dict(config.tracker.options), module.Options, "tracker.options") if config.tracker.options else module.Options()
        lacks = module.lacks(options, Site(git, world, []))
    except GateError as error:
        return f"{kind}: {error.message}; {error.hint}", False
    left = waiting(git.common).issues
    late = f"{counted(len(left), 'finding')} waiting: {_LATER}" if left else ""
    return f"{kind}: {'; '.join(filter(None, (lacks, late)))}".removesuffix(": "), not (lacks or late)
