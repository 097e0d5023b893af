"""Time, as the client sees and spends it; tests pass their own."""

import time
from collections.abc import Callable

from ...model.values import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that never go back, seconds since 1970, waiting, and how many seconds one exchange may take."""

    clock: Callable[[], float] = time.monotonic
    epoch: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    exchange: float = 60.0


def iso(epoch: float) -> str:
    """A time as ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
