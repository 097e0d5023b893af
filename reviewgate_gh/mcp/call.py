"""One call of a tool: where it works, whether it is still wanted, and how it says that it goes
on."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ..git import Git, open_repository
from ..system.environment import Environment


class Cancelled(Exception):
    """The client wants no answer any more."""


class Call(Struct, frozen=True):
    """The repository, the surroundings, whether the client has cancelled it, and where progress is
    told."""

    repo: Path
    environment: Environment
    is_cancelled: Callable[[], bool]
    tell: Callable[[str], None]

    def open_repository(self) -> Git:
        """The repository of the call.

        Raises:
            UsageError: there is none.
        """
        return open_repository(self.repo, self.environment.variables)
