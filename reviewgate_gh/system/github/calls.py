"""One call to GitHub: what is asked, how often it may be asked, and what was counted."""

import dataclasses
from enum import Enum

JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw"


class Repeat(Enum):
    """How many tries a call has when its answer is lost."""

    FREE = 4  # it changes nothing
    SAFE = 3  # twice is as good as once
    ONCE = 1  # twice may be one too many


BY_METHOD = {"GET": Repeat.FREE, "PUT": Repeat.SAFE, "PATCH": Repeat.SAFE, "DELETE": Repeat.SAFE, "POST": Repeat.ONCE}


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """A request. `name` is its method and path, for messages; `accept` other than JSON is answered with bytes."""

    method: str
    url: str
    name: str
    repeat: Repeat
    body: bytes | None = None
    accept: str = JSON
    graphql: bool = False

    @property
    def writes(self) -> bool:
        """It changes something."""
        return self.repeat is not Repeat.FREE


@dataclasses.dataclass(slots=True)
class Requests:
    """What a run sent, tries and redirects included, and the seconds that GitHub made it wait."""

    reads: int = 0
    writes: int = 0
    graphql: int = 0
    waited: float = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.reads + self.writes + self.graphql

    def add(self, call: Call) -> None:
        """Count one."""
        if call.graphql:
            self.graphql += 1
        elif call.writes:
            self.writes += 1
        else:
            self.reads += 1
