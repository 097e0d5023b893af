"""What a run is waiting for: lines on a person's terminal, which are wiped in the end, a line every
ten seconds in CI, and nothing elsewhere."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Self

from ..text.safe import safe_line
from .environment import Environment

_SOON = 1.0  # seconds that nobody need be told about
_EVERY = 10.0
_MOST_ROWS = 12
_MOST_NAMED = 5


class Progress:
    """A context manager, which may be entered again inside; `every` is in seconds, for CI."""

    def __init__(self, environment: Environment, every: float = _EVERY) -> None:
        self._world, self._every = environment, every
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: dict[int, tuple[str, float]] = {}
        self._asked = self._depth = 0
        self._heading = ""
        self._began = environment.clock()
        self._over = threading.Event()
        self._shown: threading.Thread | None = None

    def __enter__(self) -> Self:
        with self._lock:
            self._depth += 1
            show = self._show() if self._depth == 1 else None
            if show:
                self._asked, self._over = 0, threading.Event()
                self._began = self._world.clock()
                self._shown = threading.Thread(target=show, daemon=True)
                self._shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            shown = self._shown if self._depth == 0 else None
        if shown:
            self._over.set()
            shown.join()
            self._shown = None

    @contextmanager
    def waiting_for(self, name: str) -> Iterator[None]:
        """Somebody is asked, as long as the context lasts."""
        with self._lock:
            number = next(self._numbers)
            self._asked += 1
            self._waiting[number] = (name, self._world.clock())
        try:
            yield
        finally:
            with self._lock:
                del self._waiting[number]

    def at(self, heading: str) -> None:
        """How far all of it is, in words."""
        self._heading = heading

    def _show(self) -> Any:
        if self._world.in_ci:
            return self._tell
        terminal = sys.stderr.isatty() and self._world.variables.get("TERM") != "dumb"
        return self._draw if terminal else None

    def _tell(self) -> None:
        while not self._over.wait(self._every):
            print(f"reviewgate-gh: {safe_line(self._line(), 300)}", file=sys.stderr, flush=True)

    def _line(self) -> str:
        with self._lock:
            names = [name for name, _ in self._waiting.values()]
            done = self._asked - len(names)
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        parts = [
            f"after {self._world.clock() - self._began:.0f} s",
            self._heading,
            f"{done} of {self._asked} answered" if self._asked else "",
            f"waiting for {', '.join(names[:_MOST_NAMED])}{more}" if names else "",
        ]
        return ", ".join(filter(None, parts))

    def _draw(self) -> None:
        if self._over.wait(_SOON):
            return
        from rich.console import Console  # 40 ms, and only who waits needs it
        from rich.live import Live

        live = Live(
            console=Console(stderr=True),
            get_renderable=self._rows,
            refresh_per_second=4,
            transient=True,
        )
        with live:
            self._over.wait()

    def _rows(self) -> Any:
        from rich.text import Text

        now = self._world.clock()
        with self._lock:
            waiting, asked = [*self._waiting.values()], self._asked
        rows = [
            f"  {safe_line(name, 60):<40} {now - began:5.1f} s"
            for name, began in waiting[:_MOST_ROWS]
        ]
        if len(waiting) > _MOST_ROWS:
            rows.append(f"  and {len(waiting) - _MOST_ROWS} more")
        done = f"{asked - len(waiting)} of {asked} answered" if asked else ""
        heading = ", ".join(filter(None, [safe_line(self._heading, 200), done]))
        return Text("\n".join([heading, *rows]), "dim", no_wrap=True)
