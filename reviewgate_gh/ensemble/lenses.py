"""The lenses of a run: those that come with us, and the project's own from its trusted side."""

import posixpath
from collections.abc import Collection

from msgspec import Struct

from ..git import Git
from ..git.objects import read_files
from ..git.tree_files import read_own_file, read_own_files_at
from ..model.change import Change
from ..model.config import Config
from ..model.errors import ConfigError
from ..settings.check import ConfigSource, located_errors
from ..settings.settings import approved_files
from ..system import plugins
from ..text.config_file import CONFIG_FILE, parse_settings
from ..text.paths import invalid_pattern, matching_paths
from .consensus import is_reserved_part
from .prompt import Lens

ISSUE_FIDELITY = "issue-fidelity"  # asked wherever it is known what a change is meant to do
BUILD_AND_TEST = "build-and-test"  # asked by itself where the project's own checks may run
LENSES_FOLDER = ".reviewgate-gh/lenses"
OURS = "ensemble/builtin_lenses"


class ChosenLens(Struct, frozen=True):
    """A lens by its id, and those of the shown paths that it is about."""

    id: str
    lens: Lens
    paths: tuple[str, ...]

    @property
    def about(self) -> tuple[str, ...]:
        """The paths of a lens that is about some files only; none of one about all."""
        return self.paths if self.lens.applies_to else ()


def load_lenses(
    config: Config, change: Change, git: Git, by_themselves: Collection[str]
) -> dict[str, Lens]:
    """Every lens that the config names or that comes by itself, by id; a project's own one takes
    the place of ours. Those that read what a change is meant to do are there if that is known, and
    then one always is.

    Raises:
        ConfigError: there is no such lens, or it is not valid.
    """
    has_intent = ISSUE_FIDELITY in by_themselves
    wanted = tuple(dict.fromkeys((*config.ensemble.lenses, *by_themselves)))
    paths = [_path(name) for name in wanted if _is_name(name)]
    own = read_files(git, change.settings_commit, paths) | approved_files(git, change, paths)
    try:
        found = {name: _load(name, own) for name in wanted}
        return {name: lens for name, lens in found.items() if has_intent or not lens.reads_intent}
    except ConfigError:
        known = read_own_files_at(git, change.settings_commit, (CONFIG_FILE,)) | approved_files(
            git, change, (CONFIG_FILE,)
        )
        sources = [ConfigSource(name, data) for name, data in known.items()]
        with located_errors(sources, "ensemble", "lenses"):
            raise


def check_lenses(config: Config, git: Git) -> None:
    """As the work tree has them.

    Raises:
        ConfigError: there is no such lens, or it is not valid.
    """
    wanted = filter(_is_name, config.ensemble.lenses)
    own = {
        path: data for path in map(_path, wanted) if (data := read_own_file(git, path)) is not None
    }
    for name in config.ensemble.lenses:
        _load(name, own)


def choose_lenses(lenses: dict[str, Lens], paths: tuple[str, ...]) -> tuple[ChosenLens, ...]:
    """Those that are about any of these paths."""
    chosen = []
    for name, lens in lenses.items():
        about = matching_paths(paths, lens.applies_to) if lens.applies_to else frozenset(paths)
        if about:
            chosen.append(ChosenLens(name, lens, tuple(path for path in paths if path in about)))
    return tuple(chosen)


def _load(name: str, own: dict[str, bytes]) -> Lens:
    path = _path(name)
    if is_reserved_part(name):
        raise ConfigError(
            f"ensemble.lenses: {name!r} is a stage of every review, not a lens", "rename the lens"
        )
    if path in own:
        lens = parse_settings(own[path], Lens, path)
        if (place := invalid_pattern(lens.applies_to)) is not None:
            what = f"{path}: applies_to[{place}]: {lens.applies_to[place]!r} is not a valid pattern"
            raise ConfigError(what, "use .gitignore syntax")
        return lens
    if name not in plugins.data_names(OURS):
        known = ", ".join(plugins.data_names(OURS))
        raise ConfigError(
            f"ensemble.lenses: unknown lens {name!r}",
            f"use {known}, or write {LENSES_FOLDER}/NAME.yaml and commit it",
        )
    return parse_settings(plugins.data(OURS, name), Lens, f"{name}.yaml")


def _path(name: str) -> str:
    return posixpath.join(LENSES_FOLDER, f"{name}.yaml")


def _is_name(name: str) -> bool:
    return name.replace("-", "").replace("_", "").isalnum() and name.isascii()
