"""Which files configure a linter, on the trusted side and in the work tree, and whether they run
code."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import cache
from posixpath import dirname, join, normpath
from typing import Any

from msgspec import Struct

from ...git import Git, tree_files
from ...git.objects import TreeEntry
from ...system import plugins
from ...text.paths import glob_matcher
from .._context import ReviewContext

_SHARED_FILES = ("pyproject.toml", "setup.cfg", "tox.ini", "package.json")
# Workflows are often named after the tool that they run, and are nobody's settings
_WORKFLOWS = ".github/workflows/"
RULE_FILES = ("*.yml", "*.yaml")
IGNORE_FILES = (
    ".semgrepignore", ".gitleaksignore", ".sqruffignore", ".sqlfluffignore", ".htmlvalidateignore",
)  # fmt: skip


@cache
def config_names() -> tuple[str, ...]:
    """Every tool's, so that the folders are listed once."""
    return tuple(
        sorted(
            {
                glob
                for name in plugins.names("linters")
                for glob in plugins.load("linters", name).CONFIG
            }
        )
    )


def known_settings(tool: Any, context: ReviewContext) -> list[TreeEntry]:
    """The files beside the changed ones, or above them, that have the names of this tool's
    settings. Those in a folder whose name a template engine writes are templates themselves, which
    end the tools that read them."""
    beside, is_its = context.checkout.find_settings(config_names()), glob_matcher(tool.CONFIG)
    return [
        entry
        for base, found in beside.items()
        if is_its(base)
        for entry in found
        if _TEMPLATE not in entry.path
    ]


_TEMPLATE = "{{"  # https://cookiecutter.readthedocs.io/en/stable/tutorials/tutorial1.html


def own_configs(name: str, tool: Any, context: ReviewContext) -> list[tuple[str, bytes]]:
    """Path and content of the project's files that configure this tool."""
    if hasattr(tool, "CONFIG_FOLDER"):
        return [*context.checkout.settings_in(tool.CONFIG_FOLDER, RULE_FILES).items()]
    contents = context.checkout.settings_contents(
        entry for entry in known_settings(tool, context) if not entry.path.startswith(_WORKFLOWS)
    )
    return [(path, data) for path, data in contents.items() if _configures(name, tool, path, data)]


def _configures(name: str, tool: Any, path: str, data: bytes) -> bool:
    if not getattr(tool, "configures", _any)(path, data):
        return False
    if path.rpartition("/")[2] not in _SHARED_FILES:
        return True
    word = re.escape(name.replace("_", "-").encode())
    return (
        re.search(
            rb"(?m)^\s*\[\[?(?:tool\.)?" + word + rb'\b|^\s*"' + word + rb'(?:Config)?"\s*:', data
        )
        is not None
    )


def _any(_path: str, _data: bytes) -> bool:
    return True


def is_same_for(name: str, path: str, old: bytes, new: bytes) -> bool:
    """Two contents of one file say the same to this tool, as where only others' tables of a
    `pyproject.toml` differ."""
    if old == new or path.rpartition("/")[2] not in _SHARED_FILES:
        return old == new or (path.endswith((".json", "rc")) and _is_same_json(old, new))
    if path.endswith(".json"):
        return _is_same_json(old, new)
    word = re.escape(name.replace("_", "-").encode())
    table = re.compile(rb"(?ms)^\[\[?(?:tool\.)?" + word + rb"\b.*?(?=^\[|\Z)")
    return table.findall(old) == table.findall(new)


def _is_same_json(old: bytes, new: bytes) -> bool:
    """Laid out in another way."""
    try:
        was, now = (
            json.dumps(json.loads(data, object_pairs_hook=lambda pairs: {"object": pairs}))
            for data in (old, new)
        )
    except (ValueError, RecursionError):
        return False
    return was == now


def extended_settings(
    tool: Any, own: list[tuple[str, bytes]], context: ReviewContext
) -> Iterator[tuple[str, bytes]]:
    """The files of the trusted side that the project's config builds on, and those that they build
    on."""
    extends = getattr(tool, "extends", None)
    known, new = {path for path, _data in own}, own if extends else []
    while extends and new:
        named = {
            normpath(join(dirname(path), name)) for path, data in new for name in extends(data)
        }
        new = [
            *context.checkout.read_trusted(
                sorted(name for name in named - known if not name.startswith(("/", "../")))
            ).items()
        ]
        known |= named
        yield from new


def executes_code(name: str, tool: Any, context: ReviewContext) -> bool:
    """It runs the project's own code: always, or since the settings that it would take say so."""
    if tool.EXECUTES_CONFIG or not hasattr(tool, "executes"):
        return bool(tool.EXECUTES_CONFIG)
    own = own_configs(name, tool, context)
    return any(
        tool.executes(data) for _path, data in (*own, *extended_settings(tool, own, context))
    )


def is_linter_settings(path: str) -> bool:
    """A name under which a linter that reads foreign changes looks for its settings: those of the
    change itself must not count."""
    return (
        not path.startswith(_WORKFLOWS)
        and _settings_names().fullmatch(path.rpartition("/")[2]) is not None
    )


@cache
def _settings_names() -> re.Pattern[str]:
    tools = (plugins.load("linters", name) for name in plugins.names("linters"))
    globs = {
        *IGNORE_FILES,
        *(glob for tool in tools if not tool.EXECUTES_CONFIG for glob in tool.CONFIG),
    }
    return re.compile("|".join(translate(glob) for glob in sorted(globs)), re.IGNORECASE)


class LinterSettingsFiles(Struct, frozen=True):
    """A linter's settings in the work tree, and whether they can run code."""

    name: str
    executes: bool
    paths: tuple[str, ...]


def find_linter_settings(git: Git) -> tuple[LinterSettingsFiles, ...]:
    """Every linter that files of the work tree configure, among those that git tracks or would
    add."""
    rows = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", in_tree=True)
    fits = glob_matcher(config_names())
    names = plugins.names("linters")
    paths_here = dict.fromkeys(os.fsdecode(rows).split("\0"))
    folders = {getattr(plugins.load("linters", name), "CONFIG_FOLDER", None) for name in names}
    paths = [
        path
        for path in paths_here
        if fits(path.rpartition("/")[2]) or path.rpartition("/")[0] in folders
    ]
    data = {
        path: data
        for path in paths
        if not path.startswith(_WORKFLOWS) and (data := _regular(git, path)) is not None
    }
    found = []
    for name in names:
        tool = plugins.load("linters", name)
        is_its = glob_matcher(tool.CONFIG)
        own = tuple(
            path
            for path in data
            if is_its(path.rpartition("/")[2]) and _configures(name, tool, path, data[path])
        ) or _in_folder(tool, data)
        if own:
            paths_of = (*own, *_extended_here(tool, git, {path: data[path] for path in own}))
            by_content = getattr(tool, "executes", lambda content: False)
            executes = tool.EXECUTES_CONFIG or any(
                by_content(data.get(path) or _regular(git, path) or b"") for path in paths_of
            )
            found.append(LinterSettingsFiles(name, executes, paths_of))
    return tuple(found)


def _in_folder(tool: Any, paths: Iterable[str]) -> tuple[str, ...]:
    folder, fits = getattr(tool, "CONFIG_FOLDER", None), glob_matcher(RULE_FILES)
    return tuple(
        path
        for path in paths
        if path.rpartition("/")[0] == folder and fits(path.rpartition("/")[2])
    )


def _extended_here(tool: Any, git: Git, own: dict[str, bytes]) -> list[str]:
    """The files of the work tree that these settings build on, and those that they build on."""
    extends, known, new = getattr(tool, "extends", None), set(own), own
    while extends and new:
        names = {
            normpath(join(dirname(path), name))
            for path, data in new.items()
            for name in extends(data)
        } - known
        new = {
            name: data
            for name in names
            if not name.startswith(("/", "../")) and (data := _regular(git, name)) is not None
        }
        known |= names
    return sorted(known - set(own)) if extends else []


def _regular(git: Git, path: str) -> bytes | None:
    place = (git.tree or git.private_folder) / path
    return tree_files.read_or_none(place) if place.is_file() and not place.is_symlink() else None
