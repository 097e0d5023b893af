"""What a run tells about itself while it works."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from .values import dataclass

Level = Literal["DEBUG", "INFO", "WARN", "ERROR"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Without fields it is a sentence for people."""

    level: Level
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
