"""One reviewer's answer: a broken reviewer is data too."""

from collections.abc import Callable
from enum import StrEnum

from .change import Change
from .finding import Finding
from .usage import Asked
from .values import dataclass


class Status(StrEnum):
    """How a review ended; only OK is an answer."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    UNPARSABLE = "unparsable"
    UNAVAILABLE = "unavailable"
    SKIPPED = "skipped"

    @property
    def broken(self) -> bool:
        """It was asked and gave no answer that can be believed."""
        return self in (Status.FAILED, Status.TIMEOUT, Status.UNPARSABLE)


@dataclass(frozen=True, slots=True)
class Request:
    """What one reviewer is asked: the change, and which part (a linter's tool, a lens).

    `listed` is there before git has made the patch: without hunks, and its binary files are not known yet.
    """

    listed: Change
    part: str = ""
    whole: Callable[[], Change] | None = None

    @property
    def change(self) -> Change:
        """The change with its hunks; waits for them."""
        return self.whole() if self.whole else self.listed


@dataclass(frozen=True, slots=True)
class Review:
    """`found` counts all that the reviewer reported; `outside` those of them off the changed lines that it kept no finding for.

    `covered` names the paths it read; `seconds` is wall time; `error` says why there is no answer. `said` is the verdict in its own
    words, which decides nothing, and `asked` is there where it is a language model's. `hard` is the exit code with which an external gate
    ends an orchestrated run whatever its failure mode; 0: none.
    """

    reviewer: str
    part: str = ""
    status: Status = Status.OK
    findings: tuple[Finding, ...] = ()
    found: int = 0
    outside: int = 0
    covered: tuple[str, ...] = ()
    error: str = ""
    version: str = ""
    required: bool = True
    seconds: float = 0.0
    said: str = ""
    asked: Asked | None = None
    hard: int = 0

    @property
    def name(self) -> str:
        """`linters/ruff`, or the reviewer's name alone."""
        return f"{self.reviewer}/{self.part}" if self.part else self.reviewer
