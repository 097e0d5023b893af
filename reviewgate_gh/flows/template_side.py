"""Whose files count in a template's review: those here where they are approved, else those of the trusted commit."""

import posixpath
import re
from collections.abc import Iterable, Mapping

from ..model.approvals import Approvals
from ..model.config import Config
from ..model.errors import UsageError
from ..model.values import dataclass
from ..system import tree_file
from ..system.approvals import approved_content, load_approvals, with_tree
from ..system.git import Git, open_repository
from ..system.git.objects import list_folders, read_files
from ..system.git.ranges import merge_base
from ..system.git.trust import settings_side, trusted_branch
from ..system.git.uncommitted import uncommitted
from ..system.settings import CONFIG_FILE, parse
from ..system.world import World
from .approval import may_run
from .settings import raise_to, read_floor
from .settings_check import Source, check

_YAML = re.compile(r"[^.].*\.ya?ml", re.DOTALL)  # one that is named wrongly, too: it is listed as such


@dataclass(frozen=True, slots=True)
class Side:
    """`git` is None outside of a repository. `own`: the whole work tree is approved; else `commit` counts ("" where none is known), and
    in the place of its files those here whose content was approved."""

    git: Git | None
    own: bool
    commit: str = ""
    approvals: Approvals = Approvals()

    @property
    def is_head(self) -> bool:
        """The trusted commit is the one that is checked out."""
        return self.git is not None and self.git.resolve("HEAD") == self.commit

    def read(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """The content of those of the repository's files that are there."""
        if self.git is None or self.git.tree is None:
            return {}
        names = tuple(names)
        found = {name: tree_file.read(self.git.tree / name) for name in names if self.own or self.approvals.blobs(name)}
        here = {name: data for name, data in found.items() if data is not None}
        if self.own:
            return here
        ours = {name: data for name, data in here.items() if approved_content(self.git, self.approvals, name, data)}
        return {**(read_files(self.git, self.commit, names) if self.commit else {}), **ours}

    def listed(self, folder: str) -> tuple[str, ...]:
        """The YAML files of a folder, by path."""
        if self.git is None or self.git.tree is None:
            return ()
        there = self.git.tree / folder
        names = (entry.name for entry in there.iterdir()) if there.is_dir() else ()
        here = [posixpath.join(folder, name) for name in sorted(names) if _is_yaml(name)]
        if self.own:
            return tuple(here)
        known = [entry.path for entry in list_folders(self.git, self.commit, [f"{folder}/"], _is_yaml)] if self.commit else []
        return tuple(sorted({*known, *(path for path in here if self.approvals.blobs(path))}))


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
    head = git.resolve("HEAD")
    if trusted:
        return Side(git, own=True)
    if world.in_ci:
        default = trusted_branch(git, "")[1]
        return Side(git, own=False, commit=(head and default and merge_base(git, default, head)) or "")
    approvals = load_approvals(git)
    if head and approvals.trees and git.resolve("HEAD", "tree") in approvals.trees:
        # Approving the tree does not approve uncommitted files beside it.
        return Side(git, False, head, with_tree(git, approvals, head)) if uncommitted(git) else Side(git, own=True)
    return Side(git, False, settings_side(git, head or git.empty_tree, approvals.branch), approvals)


def config_of(side: Side, world: World, policy: str) -> Config:
    """The config of this side, raised to the organisation's floor.

    Raises:
        ConfigError: it is wrong.
    """
    data, floor = side.read([CONFIG_FILE]).get(CONFIG_FILE), read_floor(policy, world)
    mine = parse(data, Config, CONFIG_FILE) if data is not None else Config()
    config = raise_to(floor, mine)[0] if floor else mine
    check(config, [Source(CONFIG_FILE, data)] if data is not None else [])
    return config


def is_approved(side: Side, world: World) -> bool:
    """What the config of this side declares may run here."""
    if side.own or side.git is None:
        return True
    return may_run(side.read([CONFIG_FILE]).get(CONFIG_FILE), side.approvals, side.git, world)
