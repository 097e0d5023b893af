"""Whose word counts in a template's review: the files here where they are the user's own, else those of the trusted commit."""

import posixpath
import re
from collections.abc import Iterable, Mapping

from ..model.config import Config
from ..model.errors import UsageError
from ..model.values import dataclass
from ..system import tree_file
from ..system.git import Git, open_repository
from ..system.git.objects import list_folders, read_files
from ..system.git.ranges import merge_base, remote_default
from ..system.git.trust import made_here
from ..system.settings import CONFIG_FILE, parse
from ..system.world import World
from .settings import config_at, raise_to, read_floor
from .settings_check import Source, check

_YAML = re.compile(r"[^.].*\.ya?ml", re.DOTALL)  # one that is named wrongly, too: it is listed as such
_MOST = 10_000  # commits; who has more that no remote's default branch holds waits no longer


@dataclass(frozen=True, slots=True)
class Side:
    """`git` is None outside of a repository. `own`: what lies here is the user's; else `commit` counts, "" where none is known."""

    git: Git | None
    own: bool
    commit: str = ""

    def read(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """The content of those of the repository's files that are there."""
        if self.git is None or self.git.tree is None:
            return {}
        if not self.own:
            return read_files(self.git, self.commit, names) if self.commit else {}
        found = {name: tree_file.read(self.git.tree / name) for name in names}
        return {name: data for name, data in found.items() if data is not None}

    def listed(self, folder: str) -> tuple[str, ...]:
        """The YAML files of a folder, by path."""
        if self.git is None or self.git.tree is None or (not self.own and not self.commit):
            return ()
        if not self.own:
            return tuple(entry.path for entry in list_folders(self.git, self.commit, [f"{folder}/"], _is_yaml))
        there = self.git.tree / folder
        names = (entry.name for entry in there.iterdir()) if there.is_dir() else ()
        return tuple(posixpath.join(folder, name) for name in sorted(names) if _is_yaml(name))


def _is_yaml(name: str) -> bool:
    return _YAML.fullmatch(name) is not None


def take_side(world: World, trusted: bool) -> Side:
    """The side for the folder of this run; without a repository all there is was named by the user.

    Raises:
        UsageError: git refuses the repository.
    """
    try:
        git = open_repository(world.cwd, world.env)
    except UsageError as error:
        if "is not in a git repository" not in error.message:
            raise
        return Side(None, own=trusted or not world.in_ci)
    head, default = git.resolve("HEAD"), _default(git)
    if trusted or (not world.in_ci and (head is None or _made(git, head, default))):
        return Side(git, own=True)
    return Side(git, own=False, commit=(head and default and merge_base(git, default, head)) or "")


def _default(git: Git) -> str:
    """The commit of the default branch of `origin`, or of another remote."""
    remotes = sorted(git.text("remote").splitlines(), key=lambda name: name != "origin")
    return next((found[1] for remote in remotes if (found := remote_default(git, remote))), "")


def _made(git: Git, head: str, default: str) -> bool:
    """Every commit that the default branch does not have was made here; so is what a repository without remotes holds."""
    if not default and not git.text("remote"):
        return True
    rows = git.text("rev-list", f"--max-count={_MOST}", head, *(("--not", default) if default else ()))
    return set(rows.split()) <= made_here(git)


def config_of(side: Side, world: World, policy: str) -> Config:
    """The config of this side, raised to the organisation's floor.

    Raises:
        ConfigError: it is wrong.
    """
    if side.git is not None and not side.own and side.commit:
        return config_at(side.git, side.commit, world, policy)
    data, floor = side.read([CONFIG_FILE]).get(CONFIG_FILE), read_floor(policy, world)
    mine = parse(data, Config, CONFIG_FILE) if data is not None else Config()
    config = raise_to(floor, mine)[0] if floor else mine
    check(config, [Source(CONFIG_FILE, data)] if data is not None else [])
    return config
