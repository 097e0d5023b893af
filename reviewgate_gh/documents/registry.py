"""Which templates there are: the built-in ones, and the project's own from its trusted side."""

import json
import posixpath
from collections.abc import Mapping
from typing import NoReturn

from ..model.errors import ConfigError, UsageError
from ..system import plugins
from ..system.environment import Environment
from ..text.safe import safe_line
from .loader import read_template, template_summary
from .template import ReviewTemplate, TemplateValidationError
from .trusted_side import TrustedSide, find_trusted_side

_OURS = "documents/builtin"
_TEMPLATES: dict[str, ReviewTemplate] = {}


def register_template(template: ReviewTemplate) -> None:
    """Add a template; the last one of a name counts."""
    _TEMPLATES[template.name] = template


def get_template(name: str) -> ReviewTemplate | None:
    """The template of that name, None where there is none."""
    return _TEMPLATES.get(name)


def list_templates() -> list[ReviewTemplate]:
    """All of them, by name."""
    return [_TEMPLATES[name] for name in sorted(_TEMPLATES)]


def load_builtin_templates() -> None:
    """Register every template that comes with us.

    Raises:
        TemplateValidationError: one of them is damaged.
    """
    for name in plugins.data_names(_OURS):
        register_template(read_template(plugins.data(_OURS, name), f"{name}.yaml"))


TEMPLATES_FOLDER = ".reviewgate-gh/templates"
RESERVED_NAMES = ("cleanup", "list", "presubmit")  # words after `review` that mean something else
OURS, _ENDS = "documents/builtin", ".yaml"


def find_template(name: str, side: "TrustedSide") -> "ReviewTemplate":
    """The template of that name; a project's own one replaces ours.

    Raises:
        TemplateValidationError: it is not valid.
        UsageError: there is no such template.
    """

    own = _own(side)
    if name in own:
        _check_file(name)
        template = read_template(own[name], _path(name))
        _check_name(template.name, name)
        return template
    if name not in plugins.data_names(OURS):
        known = ", ".join(sorted({*filter(_may_follow, own), *plugins.data_names(OURS)}))
        raise UsageError(
            f"unknown review template {name!r}; available: {known}",
            f"use one of these, or write {TEMPLATES_FOLDER}/{name}.yaml",
        )
    return read_template(plugins.data(OURS, name), f"{name}.yaml")


def describe_templates(environment: Environment) -> str:
    """Every template with its description, or what is wrong with it, a line each."""
    said = {name: _first_words(plugins.data(OURS, name)) for name in plugins.data_names(OURS)}
    if any(
        (folder / TEMPLATES_FOLDER).is_dir()
        for folder in (environment.cwd, *environment.cwd.parents)
    ):
        said |= {
            safe_line(name): _description(name, data)
            for name, data in _own(find_trusted_side(environment, trusted=False)).items()
        }
    width = max(map(len, said))
    return "\n".join(
        [
            "Available review templates:",
            *(f"  {name:<{width}}   {said[name]}" for name in sorted(said, key=template_order)),
            "",
        ]
    )


def template_order(name: str) -> tuple[int, str]:
    """The built-in templates in the order of a project's work (R004-058), then the others by
    name."""
    known = ("arch", "tasks", "code")
    return known.index(name) if name in known else len(known), name


def _first_words(data: bytes) -> str:
    """The description of a template of ours, which stands on a line of its own: no parser is loaded
    for it."""
    quoted = next(
        line.partition(b":")[2] for line in data.splitlines() if line.startswith(b"description:")
    )
    words: str = json.loads(quoted)
    return words


def _description(name: str, data: bytes) -> str:
    try:
        _check_file(name)
        own, words = template_summary(data, _path(name))
        _check_name(own, name)
        return safe_line(words)
    except ConfigError as error:
        return f"cannot be used: {safe_line(error.message)}"


def _own(side: "TrustedSide") -> Mapping[str, bytes]:
    """The project's templates by their files' names; one whose name does not end as it must keeps
    the end."""
    return {
        posixpath.basename(path).removesuffix(_ENDS): data
        for path, data in side.read(side.list_paths(TEMPLATES_FOLDER)).items()
    }


def _may_follow(name: str) -> bool:
    return name.isidentifier() and name.islower() and name not in RESERVED_NAMES


def _check_file(name: str) -> None:
    if name in RESERVED_NAMES:
        _refuse(name, f"`review {name}` already means something else")
    if not _may_follow(name):
        _refuse(name, f"the file name must be one lower-case word that ends in {_ENDS}")


def _check_name(own: str, name: str) -> None:
    if own != name:
        _refuse(name, f"it must match the file name, {name}")


def _refuse(name: str, why: str) -> NoReturn:

    raise TemplateValidationError(f"{_path(name)}: name: {why}", "rename it")


def _path(name: str) -> str:
    return posixpath.join(TEMPLATES_FOLDER, name if name.endswith(".yml") else f"{name}{_ENDS}")
