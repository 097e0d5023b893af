"""A line for every question on a person's terminal, while they wait; silent everywhere else."""

import sys
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from ..model.review import ReviewStatus
from ..system.environment import Environment

if TYPE_CHECKING:
    from rich.live import Live


_STYLES = {ReviewStatus.OK: "green", ReviewStatus.SKIPPED: "yellow"}


class Progress:
    """Which questions are on their way and for how many seconds; a context manager that leaves no
    line behind."""

    def __init__(self, environment: Environment) -> None:
        self._world = environment
        self._lock = threading.Lock()
        self._began: dict[str, float] = {}
        self._open = Counter[str]()
        self._ended: dict[str, tuple[ReviewStatus, float]] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if (
            sys.stderr.isatty()
            and not self._world.in_ci
            and self._world.variables.get("TERM") != "dumb"
        ):
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(stderr=True),
                get_renderable=self._draw,
                refresh_per_second=4,
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, name: str) -> None:
        """A question was asked; of a large change there may be several under one name."""
        with self._lock:
            if not self._open[name]:
                self._began[name] = self._world.clock()
                self._ended.pop(name, None)
            self._open[name] += 1

    def finished(self, name: str, status: ReviewStatus) -> None:
        """It was answered, or failed for good."""
        with self._lock:
            self._open[name] -= 1
            worst, _seconds = self._ended.get(name, (ReviewStatus.OK, 0.0))
            said = status if worst is ReviewStatus.OK else worst
            self._ended[name] = (said, self._world.clock() - self._began[name])

    def _draw(self) -> Any:
        from rich.text import Text

        with self._lock:
            rows = [Text(f"  {self._row(name)}", self._style(name)) for name in self._began]
        return Text("\n").join(rows)

    def _row(self, name: str) -> str:
        running = ("asked", self._world.clock() - self._began[name])
        status, seconds = running if self._open[name] else self._ended[name]
        return f"{name:<32} {status:<12} {seconds:5.1f} s"

    def _style(self, name: str) -> str:
        return "dim" if self._open[name] else _STYLES.get(self._ended[name][0], "red")
