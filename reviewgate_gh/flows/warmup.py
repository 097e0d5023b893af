"""Filling a vendor's prompt cache before the questions leave, where the config asks for it."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ..model.asked import Prompt
from ..model.usage import NOTHING, Usage
from ..system.kit import Seat
from ..system.together import once
from .seats import Panelist
from .spending import Spending


class Warmup:
    """Each model's first question fills the cache for all that follow: they wait for one token, not for an answer."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending
        self._lock = threading.Lock()
        self._ready: dict[str, Callable[[], Usage]] = {}

    def wait(self, panelist: Panelist, prompt: Prompt, seat: Seat) -> Usage:
        """Return when the model has read what questions share (at once for one that has no cache); the first caller gets the cost."""
        if not hasattr(panelist.module, "warm"):
            return NOTHING
        with self._lock:
            first = panelist.name not in self._ready
            ready = self._ready.setdefault(panelist.name, once(partial(self._warm, panelist, prompt, seat)))
        usage = ready()
        return usage if first else NOTHING

    def _warm(self, panelist: Panelist, prompt: Prompt, seat: Seat) -> Usage:
        ticket, refused = self._spending.admit(self._spending.estimate(prompt.text, panelist.options))
        if refused:
            return NOTHING
        usage: Usage = NOTHING
        with suppress(Exception):  # the question itself will tell what is wrong
            usage = panelist.module.warm(prompt, panelist.options, replace(seat, again=partial(self._spending.again, ticket)))
        self._spending.settle(ticket, usage)
        return usage
