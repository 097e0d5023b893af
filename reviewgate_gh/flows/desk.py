"""Asking language models: answered from an earlier run or a recording, or by the model itself within budget and deadline."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from ..model.asked import Prompt, Reply
from ..model.codec import to_plain
from ..model.errors import UsageError
from ..model.review import Status
from ..model.usage import NOTHING, Asked
from ..model.values import dataclass
from ..system import interrupts
from ..system.answers import Answers, question_digest
from ..system.kit import Seat
from ..text.redact import redact
from ..text.visible import visible
from .progress import Progress
from .seats import Panelist
from .spending import Spending
from .warmup import Warmup

_NONCE = "<nonce>"  # replaces the run's own nonce in everything that is saved
_LIKE_IT = re.compile("<n+once>")  # of a text that holds this already, each is kept with an n more
LEAST = 1.0  # seconds: with fewer left, no model is asked
_SHOWN, _READ = 80, 25_000  # characters: a secret that ends behind what is shown is one all the same
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """Who was asked, what became of it, and the answer where one could be read."""

    panelist: Panelist
    reply: Reply
    answer: T | None
    seconds: float
    prompt: str
    instead: str = ""

    @property
    def asked(self) -> Asked:
        """For the report."""
        return Asked(self.reply.model, self.reply.endpoint, self.prompt, self.reply.usage, self.reply.kept, self.instead)


@dataclass(frozen=True, slots=True)
class Desk:
    """`end` is the clock's time at which the run is over; `panel` knows the fallbacks by name.

    `kept` are the answers of earlier local runs, `record` takes every reply, and with `replay` only the recording is used.
    """

    nonce: str
    seat: Seat
    end: float
    spending: Spending
    panel: Mapping[str, Panelist]
    progress: Progress
    kept: Answers | None = None
    record: Answers | None = None
    replay: Answers | None = None
    warmup: Warmup | None = None

    def put(self, panelist: Panelist, part: str, prompt: Prompt, read: Callable[[str], T]) -> Heard[T]:
        """Ask, and where no answer can be read ask the reviewer's fallback. `read` raises ValueError for what is no answer."""
        first = self._ask(panelist, part, prompt, read)
        other = self.panel.get(panelist.entry.fallback or "")
        if first.answer is not None or other is None or first.reply.status is Status.SKIPPED:
            return first
        second = self._ask(other, part, prompt, read)
        why = f"{panelist.name} ({first.reply.status.value}: {first.reply.error})"
        if second.answer is not None:
            return replace(second, instead=why)
        error = f"{first.reply.error}; its fallback {other.name}: {second.reply.error}"
        return replace(first, reply=replace(first.reply, error=error))

    def _ask(self, panelist: Panelist, part: str, prompt: Prompt, read: Callable[[str], T]) -> Heard[T]:
        clock, name = self.seat.world.clock, f"{panelist.name}/{part}"
        started = clock()
        self.progress.began(name)
        digest = question_digest(
            name, panelist.entry.type, to_plain(panelist.options), prompt.effort, prompt.answer, prompt.text.replace(self.nonce, _NONCE)
        )
        reply, answer = self._read(self._reply(panelist, name, digest, prompt), read)
        if answer is not None and self.kept is not None and not reply.kept:
            with suppress(UsageError):  # a cache that cannot be written is none
                self.kept.put(name, digest, self._masked(reply))
        self.progress.ended(name, reply.status)
        return Heard(panelist, reply, answer, round(clock() - started, 3), digest[:12])

    def _reply(self, panelist: Panelist, name: str, digest: str, prompt: Prompt) -> Reply:
        if self.replay is not None:
            found = self.replay.get(name, digest)
            missing = "the recording has no answer to this question: the change, the config or the version differs"
            return self._unmasked(found) if found else Reply(Status.FAILED, error=missing)
        earlier = self.kept.get(name, digest) if self.kept is not None else None
        reply = replace(self._unmasked(earlier), kept=True, usage=NOTHING) if earlier else self._fresh(panelist, prompt)
        if self.record is not None:
            self.record.put(name, digest, self._masked(reply))
        return reply

    def _fresh(self, panelist: Panelist, prompt: Prompt) -> Reply:
        if panelist.standing.error:
            return Reply(Status.UNAVAILABLE, error=panelist.standing.error)
        if interrupts.heard():  # the thread that asks outlives the interrupt for a moment, and must not spend anything more
            return Reply(Status.SKIPPED, error="the run was interrupted")
        warmed = self.warmup.wait(panelist, prompt, self._seat(panelist)) if self.warmup else NOTHING
        seat = self._seat(panelist)
        if seat.timeout < LEAST:
            return Reply(Status.TIMEOUT, error="the run's deadline has passed (ensemble.deadline)", usage=warmed)
        ticket, refused = self.spending.admit(self.spending.estimate(prompt.text, panelist.options), seat.timeout - LEAST)
        if refused:
            return Reply(Status.SKIPPED, error=refused, usage=warmed)
        reply = Reply(Status.FAILED)
        try:
            seat = replace(self._seat(panelist), again=partial(self.spending.again, ticket))  # it may have waited for others
            reply = _guarded(panelist, prompt, seat)
        finally:
            self.spending.settle(ticket, reply.usage)
        return replace(reply, usage=warmed.plus(reply.usage))

    def _seat(self, panelist: Panelist) -> Seat:
        """With the seconds that are left for this reviewer now."""
        return replace(self.seat, timeout=min(panelist.entry.timeout, self.end - self.seat.world.clock()))

    def _read(self, reply: Reply, read: Callable[[str], T]) -> tuple[Reply, T | None]:
        if reply.status is not Status.OK:
            return reply, None
        try:
            return reply, read(reply.text)
        except ValueError as error:
            began = visible(redact(reply.text[:_READ])[:_SHOWN])
            return replace(reply, status=Status.UNPARSABLE, error=f"{error}; the answer starts with {began!r}"), None

    def _masked(self, reply: Reply) -> Reply:
        apart = _LIKE_IT.sub(lambda found: f"<n{found[0][1:]}", reply.text)
        return replace(reply, text=apart.replace(self.nonce, _NONCE))

    def _unmasked(self, reply: Reply) -> Reply:
        """A model that was told to say the placeholder has not said the nonce."""
        text = _LIKE_IT.sub(lambda found: self.nonce if found[0] == _NONCE else f"<{found[0][2:]}", reply.text)
        return replace(reply, text=text)


def _guarded(panelist: Panelist, prompt: Prompt, seat: Seat) -> Reply:
    """A plug-in that breaks is an answer too."""
    try:
        reply: Reply = panelist.module.ask(prompt, panelist.options, seat)
    except Exception as error:
        return Reply(Status.FAILED, error=f"{type(error).__name__}: {redact(str(error))}")
    return reply
