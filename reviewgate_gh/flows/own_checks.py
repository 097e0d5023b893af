"""The project's own build and tests on a change of the user's own, for the lens that looks at their output."""

import shlex
from collections.abc import Callable, Mapping

from ..model.change import Change
from ..model.config import Config
from ..model.values import dataclass
from ..system.checkout import checkout
from ..system.git import Git
from ..system.world import World
from .project_commands import Ran, discovered, run_command

KINDS = ("build", "typecheck", "test")  # linters are reviewers of their own
_SHARE = 0.8  # of the run's seconds: a model still has to read the output
_NOT_OWN = (
    "it runs the project's own code, so the change must be approved (reviewgate-gh trust --change RANGE, or --trusted), "
    "and the work tree must be exactly the reviewed commit"
)
_NONE = f"neither the config nor the project's files define a command named {', '.join(KINDS)}"


@dataclass(frozen=True, slots=True)
class OwnChecks:
    """`run` gives what the commands said; where they cannot run it is None, and `why` says so."""

    run: Callable[[], str] | None
    why: str = ""


def own_checks(change: Change, config: Config, end: float, git: Git, world: World) -> OwnChecks:
    """The commands of the config, else those that the project's files of the trusted side hold; nothing is run yet."""
    with checkout(git, change, lambda _path, data: data) as files:
        tree = files.in_place if change.trusted else None
    if tree is None:
        return OwnChecks(None, _NOT_OWN)
    argvs = commands(config, git, change.rules)
    if not argvs:
        return OwnChecks(None, _NONE)

    def run() -> str:
        return "\n\n".join(
            _told(run_command(name, argv, tree, world, max(1.0, _SHARE * (end - world.clock())))) for name, argv in argvs.items()
        )

    return OwnChecks(run)


def commands(config: Config, git: Git, revision: str) -> Mapping[str, tuple[str, ...]]:
    """Argument lists by kind, in the order in which they are run."""
    found = discovered(git, revision) if not all(kind in config.commands for kind in KINDS) else {}
    known = {**{name: command.argv for name, command in found.items()}, **config.commands}
    return {kind: known[kind] for kind in KINDS if kind in known}


def _told(ran: Ran) -> str:
    """One command, without its seconds: unchanged output must stay the same text."""
    return f"$ {shlex.join(ran.argv)}\n{ran.error or 'passed'}\n{ran.output}".rstrip()
