"""Which plug-ins there are and how they are loaded: the module is the plug-in, its file name its
id."""

import importlib
import os
from functools import cache
from pathlib import Path
from typing import Any

from ..model.errors import ConfigError

PACKAGE = "reviewgate_gh"


_HERE = Path(__file__).parent.parent
# Where the plug-ins of a kind are; the kind is also the last word of the entry point group for
# those of other packages.
_FOLDERS = {
    "reviewers": ("reviewers", "reviewers.agents"),
    "linters": ("reviewers.linters",),
    "checks": ("reviewers.checks",),
    "comparisons": (
        "reviewers.comparisons.additions",
        "reviewers.comparisons.code",
        "reviewers.comparisons.packages",
        "reviewers.comparisons.project",
        "reviewers.comparisons.settings",
        "reviewers.comparisons.tests",
    ),
    "trackers": ("issues.trackers",),
    "reporters": ("reporters",),
    "layouts": ("tools.bench.layouts",),
    "mcp_tools": ("mcp.tools",),
    "coding_agents": ("agents.programs",),
}
# A reviewer with plug-ins of its own is their package
_PACKAGES = {"reviewers": {"linters": f"{PACKAGE}.reviewers.linters"}}


@cache
def _modules(kind: str) -> dict[str, str]:
    """The module of each plug-in that comes with us, by its id: the public modules of the kind's
    folders."""
    found = dict(_PACKAGES.get(kind, {}))
    for folder in _FOLDERS[kind]:
        for name in _files(folder.replace(".", "/"), ".py"):
            found[name] = f"{PACKAGE}.{folder}.{name}"
    return found


def names(kind: str) -> list[str]:
    """The ids of the plug-ins that come with us."""
    return sorted(_modules(kind))


@cache
def data_names(folder: str) -> list[str]:
    """The ids of the YAML files that come with us in a folder of the package."""
    return sorted(_files(folder, ".yaml"))


def data(folder: str, name: str) -> bytes:
    """One of these files as it is written."""
    return (_HERE / folder / f"{name}.yaml").read_bytes()


def _files(folder: str, suffix: str) -> list[str]:
    """The stems of a folder's files with this suffix, private ones left out."""
    return [
        file.name.removesuffix(suffix)
        for file in os.scandir(_HERE / folder)
        if file.name.endswith(suffix) and file.name[0] != "_"
    ]


def load(kind: str, name: str) -> Any:
    """The plug-in's module; outside packages join through the entry point group
    `reviewgate_gh.<kind>`.

    Raises:
        ConfigError: there is no such plug-in.
    """
    module = _modules(kind).get(name)
    return importlib.import_module(module) if module else _installed(kind, name)


def load_folder(kind: str, name: str) -> Any:
    """The package that holds a plug-in which comes with us: what all of its modules share."""
    return importlib.import_module(_modules(kind)[name].rpartition(".")[0])


def _installed(kind: str, name: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group=f"{PACKAGE}.{kind}", name=name):
        return entry.load()
    raise ConfigError(
        f"unknown plug-in {name!r} in {kind}", f"use one of: {', '.join(names(kind))}"
    )


def is_model(name: str) -> bool:
    """The reviewer of that id puts questions to a language model."""
    return not hasattr(load("reviewers", name), "parts")
