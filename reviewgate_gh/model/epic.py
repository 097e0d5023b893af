"""An epic and how its issues stand, as a tracker says it."""

from collections.abc import Mapping
from dataclasses import field

from .values import dataclass


@dataclass(frozen=True, slots=True)
class Epic:
    """`children` maps each issue of it to whether it is closed, for whatever reason; `parent` is the epic that it is in, "" for none.

    `description` holds what is to be done and the criteria by which it is accepted.
    """

    id: str
    parent: str = ""
    children: Mapping[str, bool] = field(default_factory=dict)
    title: str = ""
    description: str = ""
