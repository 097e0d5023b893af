"""A data set: its layout is known by its content, and its cases are read before any is reviewed."""

from collections import Counter
from pathlib import Path

from msgspec import Struct

from ...model.errors import ConfigError, UsageError
from ...system import plugins
from .case import Case
from .layouts._rows import first_row

_KIND = "layouts"


class DataSet(Struct, frozen=True):
    """The cases in order, each with a name of its own."""

    name: str
    layout: str
    cases: tuple[Case, ...]


def layouts() -> list[str]:
    """The ids of the layouts, as `--layout` takes them."""
    return [name.replace("_", "-") for name in plugins.names(_KIND)]


def read_dataset(path: Path, layout: str = "") -> DataSet:
    """The data set in this file or folder.

    Raises:
        UsageError: there is none, or its layout is not known.
        ConfigError: a case is wrong.
    """
    if not path.exists():
        raise UsageError(f"there is no data set {path}", "name an existing file or folder")
    layout = layout or _recognised(path)
    module = plugins.load(_KIND, layout.replace("-", "_"))
    cases: tuple[Case, ...] = tuple(module.read(path))
    if not cases:
        raise ConfigError(f"{path} has no cases", "name a data set that has some")
    for name, number in Counter(case.id for case in cases).items():
        if number > 1:
            raise ConfigError(f"{path}: {number} cases are called {name!r}", "rename all but one")
    return DataSet(path.resolve().name, layout, cases)


def _recognised(path: Path) -> str:
    first = first_row(path) if path.is_file() else None
    for name in plugins.names(_KIND):
        if plugins.load(_KIND, name).recognises(path, first):
            return name.replace("_", "-")
    raise UsageError(
        f"{path} has none of the known layouts ({', '.join(layouts())})",
        "docs/bench.md describes them; --layout NAME shows what is wrong with one",
    )
