"""Which templates there are here: those that come with us, and the project's own from its trusted side."""

import json
import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from ..model.errors import ConfigError, UsageError
from ..system import plugins
from ..system.world import World

if TYPE_CHECKING:
    from ..templates.schema import ReviewTemplate
    from .template_side import Side

FOLDER = ".reviewgate-gh/templates"
TAKEN = ("cleanup", "list", "presubmit")  # words after `review` that mean something else
OURS, _ENDS = "templates/builtin", ".yaml"


def find_template(name: str, side: "Side") -> "ReviewTemplate":
    """The template of that name; a project's own one replaces ours.

    Raises:
        TemplateValidationError: it is not valid.
        UsageError: there is no such template.
    """
    from ..templates.loader import read_template

    own = _own(side)
    if name in own:
        _check_file(name)
        template = read_template(own[name], _path(name))
        _check_name(template.name, name)
        return template
    if name not in plugins.data_names(OURS):
        known = ", ".join(sorted({*filter(_may_follow, own), *plugins.data_names(OURS)}))
        raise UsageError(f"unknown review template {name!r}; available: {known}", f"use one of these, or write {FOLDER}/{name}.yaml")
    return read_template(plugins.data(OURS, name), f"{name}.yaml")


def list_here(world: World) -> str:
    """Every template with its description, or what is wrong with it, a line each."""
    said = {name: _first_words(plugins.data(OURS, name)) for name in plugins.data_names(OURS)}
    if any((folder / FOLDER).is_dir() for folder in (world.cwd, *world.cwd.parents)):
        from ..reporters._doors import line
        from .template_side import take_side

        said |= {line(name): _description(name, data) for name, data in _own(take_side(world, trusted=False)).items()}
    width = max(map(len, said))
    return "\n".join(["Available review templates:", *(f"  {name:<{width}}   {said[name]}" for name in sorted(said)), ""])


def _first_words(data: bytes) -> str:
    """The description of a template of ours, which stands on a line of its own: no parser is loaded for it."""
    quoted = next(line.partition(b":")[2] for line in data.splitlines() if line.startswith(b"description:"))
    words: str = json.loads(quoted)
    return words


def _description(name: str, data: bytes) -> str:
    from ..reporters._doors import line
    from ..templates.loader import described

    try:
        _check_file(name)
        own, words = described(data, _path(name))
        _check_name(own, name)
        return line(words)
    except ConfigError as error:
        return f"cannot be used: {line(error.message)}"


def _own(side: "Side") -> Mapping[str, bytes]:
    """The project's templates by their files' names; one whose name does not end as it must keeps the end."""
    return {posixpath.basename(path).removesuffix(_ENDS): data for path, data in side.read(side.listed(FOLDER)).items()}


def _may_follow(name: str) -> bool:
    return name.isidentifier() and name.islower() and name not in TAKEN


def _check_file(name: str) -> None:
    if name in TAKEN:
        _refuse(name, f"`review {name}` already means something else")
    if not _may_follow(name):
        _refuse(name, f"the file name must be one lower-case word that ends in {_ENDS}")


def _check_name(own: str, name: str) -> None:
    if own != name:
        _refuse(name, f"it must match the file name, {name}")


def _refuse(name: str, why: str) -> NoReturn:
    from ..templates.schema import TemplateValidationError

    raise TemplateValidationError(f"{_path(name)}: name: {why}", "rename it")


def _path(name: str) -> str:
    return posixpath.join(FOLDER, name if name.endswith(".yml") else f"{name}{_ENDS}")
