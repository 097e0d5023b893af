"""Asking until there is an answer: tries, pauses that grow or that the server asks for, and one deadline over all of them."""

import random
import time
from collections.abc import Callable

from ...model.values import dataclass
from ..network import Broken, Reply
from ..within import pause
from .wire import Call, post

MOST_TRIES = 4
# From an answer, the least seconds to wait before the same question; None: it is not put again.
Wish = Callable[[Reply], float | None]
# From the number of tries and a chance in [0, 1), seconds to wait.
Backoff = Callable[[int, float], float]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that never go back, waiting, and chance; tests pass their own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = pause
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a question after so many tries: the last answer, or none and why; `late`: the seconds were over.

    `wait` is a pause that the server asks for and for which there is no time.
    """

    tries: int
    answer: Reply | None = None
    error: str = ""
    late: bool = False
    wait: float = 0.0


def send(call: Call, seconds: float, wish: Wish, backoff: Backoff, pace: Pace, again: Callable[[], bool] = lambda: True) -> Heard:
    """The answer that is no use to ask again for, or the last of a few, within the seconds; `again`: there may be one more."""
    end, tries = pace.clock() + seconds, 0
    while True:
        tries += 1
        heard, asked = _heard(call, end - pace.clock(), tries, wish)
        if asked is None or tries >= MOST_TRIES:
            return heard
        rest = max(backoff(tries, pace.chance()), asked + pace.chance() if asked else 0.0)
        if rest >= end - pace.clock():
            return Heard(tries, heard.answer, heard.error, wait=asked)
        if not again():
            return heard
        pace.sleep(rest)


def _heard(call: Call, left: float, tries: int, wish: Wish) -> tuple[Heard, float | None]:
    """One try, and how long to wait at least before another; None: no other."""
    if left <= 0:
        return Heard(tries - 1, late=True), None
    try:
        answer = post(call, left)
    except TimeoutError:
        return Heard(tries, late=True), None
    except Broken as broken:
        return Heard(tries, error=": ".join(filter(None, (broken.reason, broken.hint)))), None if broken.final else 0.0
    return Heard(tries, answer), wish(answer)
