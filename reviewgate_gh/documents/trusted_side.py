"""Whose files count in a template's review: those here where they are approved, else those of the
trusted commit."""

import posixpath
import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from ..git import Git, open_repository, tree_files
from ..git.objects import list_files_in, read_files
from ..git.ranges import merge_base
from ..git.tree_files import uncommitted_files
from ..model.change import Approvals
from ..model.config import Config
from ..model.errors import UsageError
from ..settings.check import ConfigSource, check_config
from ..settings.settings import raise_to_floor, read_floor
from ..system.environment import Environment
from ..text.config_file import CONFIG_FILE, parse_settings
from ..text.patterns import lazy_pattern
from ..trust.approvals import approved_content, load_approvals, with_tree
from ..trust.may_run import may_execute
from ..trust.provenance import settings_side, trusted_branch

# One that is named wrongly, too: it is listed as such
_YAML = lazy_pattern(r"[^.].*\.ya?ml", re.DOTALL)


class TrustedSide(Struct, frozen=True):
    """`git` is None outside of a repository. `all_approved`: the whole work tree is approved; else
    `commit` counts ("" where none is known), and in the place of its files those here whose content
    was approved."""

    git: Git | None
    all_approved: bool
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
        found = {
            name: tree_files.read_or_none(self.git.tree / name)
            for name in names
            if self.all_approved or self.approvals.approved_blobs(name)
        }
        here = {name: data for name, data in found.items() if data is not None}
        if self.all_approved:
            return here
        ours = {
            name: data
            for name, data in here.items()
            if approved_content(self.git, self.approvals, name, data)
        }
        return {**(read_files(self.git, self.commit, names) if self.commit else {}), **ours}

    def list_paths(self, folder: str) -> tuple[str, ...]:
        """The YAML files of a folder, by path."""
        if self.git is None or self.git.tree is None:
            return ()
        there = self.git.tree / folder
        names = (entry.name for entry in there.iterdir()) if there.is_dir() else ()
        here = [posixpath.join(folder, name) for name in sorted(names) if _is_yaml(name)]
        if self.all_approved:
            return tuple(here)
        known = (
            [entry.path for entry in list_files_in(self.git, self.commit, [f"{folder}/"], _is_yaml)]
            if self.commit
            else []
        )
        return tuple(
            sorted({*known, *(path for path in here if self.approvals.approved_blobs(path))})
        )


def _is_yaml(name: str) -> bool:
    return _YAML.fullmatch(name) is not None


def find_trusted_side(environment: Environment, trusted: bool) -> TrustedSide:
    """The side for the folder of this run; without a repository all there is was named by the user.

    Raises:
        UsageError: git refuses the repository.
    """
    try:
        git = open_repository(environment.cwd, environment.variables)
    except UsageError as error:
        if "is not in a git repository" not in error.message:
            raise
        return TrustedSide(None, all_approved=trusted or not environment.in_ci)
    head = git.resolve("HEAD")
    if trusted:
        return TrustedSide(git, all_approved=True)
    if environment.in_ci:
        default = trusted_branch(git, "")[1]
        return TrustedSide(
            git,
            all_approved=False,
            commit=(head and default and merge_base(git, default, head)) or "",
        )
    approvals = load_approvals(git)
    if head and approvals.trees and git.resolve("HEAD", "tree") in approvals.trees:
        # Approving the tree does not approve uncommitted files beside it.
        return (
            TrustedSide(git, False, head, with_tree(git, approvals, head))
            if uncommitted_files(git)
            else TrustedSide(git, all_approved=True)
        )
    return TrustedSide(
        git, False, settings_side(git, head or git.empty_tree, approvals.branch), approvals
    )


def config_of_side(side: TrustedSide, environment: Environment, policy: str) -> Config:
    """The config of this side, raised to the organisation's floor.

    Raises:
        ConfigError: it is wrong.
    """
    data, floor = side.read([CONFIG_FILE]).get(CONFIG_FILE), read_floor(policy, environment)
    mine = parse_settings(data, Config, CONFIG_FILE) if data is not None else Config()
    config = raise_to_floor(floor, mine)[0] if floor else mine
    check_config(config, [ConfigSource(CONFIG_FILE, data)] if data is not None else [])
    return config


def is_config_approved(side: TrustedSide, environment: Environment) -> bool:
    """What the config of this side declares may run here."""
    if side.all_approved or side.git is None:
        return True
    return may_execute(
        side.read([CONFIG_FILE]).get(CONFIG_FILE), side.approvals, side.git, environment
    )
