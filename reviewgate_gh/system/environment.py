"""What a run may read of its environment, taken once at the start, and hidden from the programs
that it starts."""

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..model.errors import UsageError
from ..model.variables import AGENT_MARKS
from ..model.variables import SKIP_VARIABLE as SKIP_VARIABLE

# Set in programs that a review starts: "session" below review-gate, "gate" below a gate of somebody
# else's.
NESTED_VARIABLE = "REVIEWGATE_GH_INSIDE"
# Names a file that says what the change is meant to do.
CONTEXT_VARIABLE = "REVIEWGATE_GH_CONTEXT"
_MOST_CONTEXT = 100_000


class Environment(Struct, frozen=True):
    """The environment, the folder and whether a person looks on; tests pass their own.

    `run_id` is the orchestrated run whose grant holds; "" outside of a run, and once it has ended.
    """

    variables: Mapping[str, str]
    cwd: Path
    run_id: str = ""

    @classmethod
    def current(cls) -> "Environment":
        """This process's own surroundings; in CI nobody else sees them from now on.

        Raises:
            UsageError: the folder that it was started in is gone.
        """
        try:
            environment = cls(dict(os.environ), Path.cwd())
        except FileNotFoundError:
            raise UsageError(
                "the current folder no longer exists", "change to an existing folder"
            ) from None
        # A step's token is among the variables, and reviewers are no place for it
        if environment.in_ci:
            protect_process()
        return environment

    @property
    def in_ci(self) -> bool:
        """A machine that builds other people's commits."""
        return (
            self.variables.get("CI", "").lower() not in ("", "0", "false")
            or "GITHUB_ACTIONS" in self.variables
        )

    @property
    def coding_agent(self) -> str:
        """The coding agent whose shell started this process; "" where none did."""
        marks = (name for mark, name in AGENT_MARKS.items() if self.variables.get(mark))
        return next(marks, "")

    @property
    def skip_requested(self) -> bool:
        """The user asks that nothing is reviewed; the reason is the variable's value. An agent's
        session cannot ask for it."""
        return SKIP_VARIABLE in self.variables and not self.coding_agent

    @property
    def nested_in(self) -> str:
        """What kind of review started this process; "" outside of any."""
        return self.variables.get(NESTED_VARIABLE, "")

    def change_intent(self) -> str:
        """What the change is meant to do, as far as whoever asked said so: at most 100,000
        characters, undecodable bytes escaped."""
        try:
            with (self.cwd / self.variables.get(CONTEXT_VARIABLE, "")).open("rb") as file:
                return file.read(4 * _MOST_CONTEXT).decode("utf-8", "backslashreplace")[
                    :_MOST_CONTEXT
                ]
        except (OSError, ValueError):
            return ""

    def without_skip(self) -> "Environment":
        """The same where no override counts: for whoever asks what a review would say."""
        kept = {name: value for name, value in self.variables.items() if name != SKIP_VARIABLE}
        return replace(self, variables=kept)

    def now(self) -> str:
        """The wall clock, ISO 8601 in UTC, to the second."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def today(self) -> str:
        """The date in UTC, ISO 8601."""
        return self.now()[:10]

    def clock(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    def new_id(self) -> str:
        """A name for a run that sorts by time and meets no other."""
        seconds, nanoseconds = divmod(time.time_ns(), 10**9)
        second = time.strftime("%Y%m%dT%H%M%S", time.gmtime(seconds))
        return f"{second}{nanoseconds // 1000:06}Z-{os.urandom(4).hex()}"

    def nonce(self) -> str:
        """32 hex digits that nobody can guess."""
        return os.urandom(16).hex()


# https://man7.org/linux/man-pages/man2/prctl.2.html
_DUMPABLE = 4  # prctl(2), PR_SET_DUMPABLE; programs that are started get it back


def protect_process() -> None:
    """From now on Linux shows them to nobody without rights over other processes (root's, outside
    of a container)."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)
