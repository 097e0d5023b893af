"""What reviewers are told, as data: a file is a template, its name is its id."""

import os
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def names(kind: str) -> tuple[str, ...]:
    """The ids of the templates of one kind that come with us (`lenses`)."""
    return tuple(sorted(entry.name[:-5] for entry in os.scandir(_HERE / kind) if entry.name.endswith(".yaml")))


def content(kind: str, name: str) -> bytes:
    """One template as it is written."""
    return (_HERE / kind / f"{name}.yaml").read_bytes()
