"""The lenses of a run: those that come with us, and the project's own from its trusted side."""

import posixpath

from ..model.change import Change
from ..model.config import Config
from ..model.errors import ConfigError
from ..model.lens import Lens
from ..model.values import dataclass
from ..steps.exclude import excluded, unusable
from ..steps.rulings import is_stage
from ..system import plugins
from ..system.git import Git
from ..system.git.objects import read_files
from ..system.own_files import in_tree, of_commit
from ..system.settings import CONFIG_FILE, parse
from .settings import approved_files
from .settings_check import Source, placed

FOLDER = ".reviewgate-gh/lenses"
OURS = "templates/lenses"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A lens by its id, and those of the shown paths that it is about."""

    id: str
    lens: Lens
    paths: tuple[str, ...]


def load_lenses(config: Config, change: Change, git: Git) -> dict[str, Lens]:
    """Every lens that the config names, by id; a project's own one takes the place of ours.

    Raises:
        ConfigError: there is no such lens, or it is not valid.
    """
    wanted = config.ensemble.lenses
    paths = [_path(name) for name in wanted if _is_name(name)]
    own = read_files(git, change.rules, paths) | approved_files(git, change, paths)
    try:
        return {name: _load(name, own) for name in wanted}
    except ConfigError:
        known = of_commit(git, change.rules, (CONFIG_FILE,)) | approved_files(git, change, (CONFIG_FILE,))
        sources = [Source(name, data) for name, data in known.items()]
        with placed(sources, "ensemble", "lenses"):
            raise


def check_lenses(config: Config, git: Git) -> None:
    """As the work tree has them.

    Raises:
        ConfigError: there is no such lens, or it is not valid.
    """
    wanted = filter(_is_name, config.ensemble.lenses)
    own = {path: data for path in map(_path, wanted) if (data := in_tree(git, path)) is not None}
    for name in config.ensemble.lenses:
        _load(name, own)


def choose(lenses: dict[str, Lens], paths: tuple[str, ...]) -> tuple[Chosen, ...]:
    """Those that are about any of these paths."""
    chosen = []
    for name, lens in lenses.items():
        about = excluded(paths, lens.applies_to) if lens.applies_to else frozenset(paths)
        if about:
            chosen.append(Chosen(name, lens, tuple(path for path in paths if path in about)))
    return tuple(chosen)


def _load(name: str, own: dict[str, bytes]) -> Lens:
    path = _path(name)
    if is_stage(name):
        raise ConfigError(f"ensemble.lenses: {name!r} is a stage of every review, not a lens", "rename the lens")
    if path in own:
        lens = parse(own[path], Lens, path)
        if (place := unusable(lens.applies_to)) is not None:
            what = f"{path}: applies_to[{place}]: {lens.applies_to[place]!r} is not a valid pattern"
            raise ConfigError(what, "use .gitignore syntax")
        return lens
    if name not in plugins.data_names(OURS):
        known = ", ".join(plugins.data_names(OURS))
        raise ConfigError(f"ensemble.lenses: unknown lens {name!r}", f"use {known}, or write {FOLDER}/NAME.yaml and commit it")
    return parse(plugins.data(OURS, name), Lens, f"{name}.yaml")


def _path(name: str) -> str:
    return posixpath.join(FOLDER, f"{name}.yaml")


def _is_name(name: str) -> bool:
    return name.replace("-", "").replace("_", "").isalnum() and name.isascii()
