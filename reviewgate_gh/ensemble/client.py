"""Asking language models: from the cache or a recording, else within budget and deadline."""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..model.codec import from_plain, to_plain
from ..model.errors import UsageError
from ..model.finding import sha256_hex
from ..model.question import ModelReply, Prompt
from ..model.review import NO_USAGE, ModelCall, ReviewStatus, Usage
from ..model.values import dataclass
from ..reviewers._context import ModelContext
from ..system import signals
from ..system.files import STATE_FOLDER, write_atomic
from ..system.parallel import call_once
from ..text.redact import redact
from ..text.visible import show_hidden
from .budget import BudgetAccount
from .models import ModelReviewer
from .progress import Progress


class CacheWarmup:
    """Each model's first question fills the cache for all that follow: they wait for one token, not
    for an answer."""

    def __init__(self, budget: BudgetAccount) -> None:
        self._spending = budget
        self._lock = threading.Lock()
        self._ready: dict[str, Callable[[], Usage]] = {}

    def wait(self, model: ModelReviewer, prompt: Prompt, context: ModelContext) -> Usage:
        """Return when the model has read what questions share (at once for one that has no cache);
        the first caller gets the cost."""
        if not hasattr(model.module, "warm"):
            return NO_USAGE
        with self._lock:
            first = model.name not in self._ready
            ready = self._ready.setdefault(
                model.name, call_once(partial(self._warm, model, prompt, context))
            )
        usage = ready()
        return usage if first else NO_USAGE

    def _warm(self, model: ModelReviewer, prompt: Prompt, context: ModelContext) -> Usage:
        ticket, refused = self._spending.reserve(
            self._spending.estimate(prompt.text, model.options)
        )
        if refused:
            return NO_USAGE
        usage: Usage = NO_USAGE
        with suppress(Exception):  # the question itself will tell what is wrong
            usage = model.module.warm(
                prompt,
                model.options,
                replace(context, may_retry=partial(self._spending.reserve_retry, ticket)),
            )
        self._spending.record_usage(ticket, usage)
        return usage


_MOST_KEPT = 2000
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def question_digest(*parts: Any) -> str:
    """64 hex digits of a question: whom it is put to, with which options, and its text."""
    return sha256_hex(json.dumps(parts, sort_keys=True, default=str))


@dataclass(frozen=True, slots=True)
class AnswerStore:
    """A folder of answers by name and digest of the question."""

    folder: Path

    def get(self, name: str, digest: str) -> ModelReply | None:
        """The answer to this very question; None where there is none, or a damaged one."""
        try:
            entry = json.loads(self._path(name, digest).read_bytes(), parse_constant=_refuse)
            if entry["question"] != digest or entry["sha256"] != _checksum(entry["reply"]):
                return None
            reply: ModelReply = from_plain(ModelReply, entry["reply"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return reply

    def save(self, name: str, digest: str, reply: ModelReply) -> None:
        """Keep an answer.

        Raises:
            UsageError: it cannot be written.
        """
        plain = to_plain(reply)
        entry = {"question": digest, "asked": name, "sha256": _checksum(plain), "reply": plain}
        path = self._path(name, digest)
        try:
            write_atomic(path, json.dumps(entry, indent=1).encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise UsageError(
                f"cannot write {path}: {error.strerror}", "make sure the disk is not full"
            ) from None

    def _path(self, name: str, digest: str) -> Path:
        return self.folder / f"{_NAME.sub('-', name)}-{digest[:32]}.json"


def open_answer_cache(common: Path) -> AnswerStore:
    """The cache below the git directory; the oldest beyond 2,000 go."""
    folder = common / STATE_FOLDER / "cache" / "answers"
    for path in _by_age(folder)[:-_MOST_KEPT]:
        with suppress(OSError):  # no file, or another run was faster: the others go all the same
            os.unlink(path)
    return AnswerStore(folder)


def _by_age(folder: Path) -> list[str]:
    with suppress(OSError):
        return [
            path
            for _, path in sorted(
                (entry.stat(follow_symlinks=False).st_mtime, entry.path)
                for entry in os.scandir(folder)
            )
        ]
    return []


def _refuse(constant: str) -> None:
    """No number that is none gets into a report, whoever wrote it here."""
    raise ValueError(constant)


def _checksum(plain: Any) -> str:
    return sha256_hex(json.dumps(plain, sort_keys=True))


_NONCE_PLACEHOLDER = "<nonce>"  # replaces the run's own nonce in everything that is saved
_PLACEHOLDER_LIKE = re.compile(
    "<n+once>"
)  # of a text that holds this already, each is kept with an n more
MIN_SECONDS = 1.0  # seconds: with fewer left, no model is asked
_SHOWN, _READ = (
    80,
    25_000,
)  # characters: a secret that ends behind what is shown is one all the same
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Response(Generic[T]):
    """Who was asked, what became of it, and the answer where one could be read."""

    model: ModelReviewer
    reply: ModelReply
    answer: T | None
    seconds: float
    prompt: str
    replaced: str = ""

    @property
    def call(self) -> ModelCall:
        """For the report."""
        return ModelCall(
            self.reply.model,
            self.reply.endpoint,
            self.prompt,
            self.reply.usage,
            self.reply.kept,
            self.replaced,
        )


@dataclass(frozen=True, slots=True)
class ModelClient:
    """`end` is the clock's time at which the run is over; `panel` knows the fallbacks by name.

    `kept` are the answers of earlier local runs, `record` takes every reply, and with `replay` only
    the recording is used.
    """

    nonce: str
    context: ModelContext
    deadline: float
    budget: BudgetAccount
    models: Mapping[str, ModelReviewer]
    progress: Progress
    cache: AnswerStore | None = None
    record: AnswerStore | None = None
    replay: AnswerStore | None = None
    warmup: CacheWarmup | None = None

    def ask(
        self, model: ModelReviewer, part: str, prompt: Prompt, read: Callable[[str], T]
    ) -> Response[T]:
        """Ask, and where no answer can be read ask the reviewer's fallback.

        `read` raises ValueError for what is no answer.
        """
        first = self._ask_one(model, part, prompt, read)
        other = self.models.get(model.config.fallback or "")
        if first.answer is not None or other is None or first.reply.status is ReviewStatus.SKIPPED:
            return first
        second = self._ask_one(other, part, prompt, read)
        why = f"{model.name} ({first.reply.status.value}: {first.reply.error})"
        if second.answer is not None:
            return replace(second, replaced=why)
        error = f"{first.reply.error}; its fallback {other.name}: {second.reply.error}"
        return replace(first, reply=replace(first.reply, error=error))

    def _ask_one(
        self, model: ModelReviewer, part: str, prompt: Prompt, read: Callable[[str], T]
    ) -> Response[T]:
        clock, name = self.context.environment.clock, f"{model.name}/{part}"
        started = clock()
        self.progress.started(name)
        digest = question_digest(
            name,
            model.config.type,
            to_plain(model.options),
            prompt.effort,
            prompt.answer_schema,
            prompt.text.replace(self.nonce, _NONCE_PLACEHOLDER),
        )
        reply, answer = self._read(self._reply(model, name, digest, prompt), read)
        if answer is not None and self.cache is not None and not reply.kept:
            with suppress(UsageError):  # a cache that cannot be written is none
                self.cache.save(name, digest, self._masked(reply))
        self.progress.finished(name, reply.status)
        return Response(model, reply, answer, round(clock() - started, 3), digest[:12])

    def _reply(self, model: ModelReviewer, name: str, digest: str, prompt: Prompt) -> ModelReply:
        if self.replay is not None:
            found = self.replay.get(name, digest)
            missing = (
                "the recording has no answer to this question: the change, the config or the "
                "version differs"
            )
            return (
                self._unmasked(found) if found else ModelReply(ReviewStatus.FAILED, error=missing)
            )
        earlier = self.cache.get(name, digest) if self.cache is not None else None
        reply = (
            replace(self._unmasked(earlier), kept=True, usage=NO_USAGE)
            if earlier
            else self._ask_model(model, prompt)
        )
        if self.record is not None:
            self.record.save(name, digest, self._masked(reply))
        return reply

    def _ask_model(self, model: ModelReviewer, prompt: Prompt) -> ModelReply:
        if model.availability.error:
            return ModelReply(ReviewStatus.UNAVAILABLE, error=model.availability.error)
        # The thread that asks outlives the interrupt for a moment, and must not spend anything more
        if signals.was_interrupted():
            return ModelReply(ReviewStatus.SKIPPED, error="the run was interrupted")
        warmed = self.warmup.wait(model, prompt, self._context(model)) if self.warmup else NO_USAGE
        context = self._context(model)
        if context.timeout < MIN_SECONDS:
            return ModelReply(
                ReviewStatus.TIMEOUT,
                error="the run's deadline has passed (ensemble.deadline)",
                usage=warmed,
            )
        ticket, refused = self.budget.reserve(
            self.budget.estimate(prompt.text, model.options), context.timeout - MIN_SECONDS
        )
        if refused:
            return ModelReply(ReviewStatus.SKIPPED, error=refused, usage=warmed)
        reply = ModelReply(ReviewStatus.FAILED)
        try:
            context = replace(
                self._context(model), may_retry=partial(self.budget.reserve_retry, ticket)
            )  # it may have waited for others
            reply = _ask_safely(model, prompt, context)
        finally:
            self.budget.record_usage(ticket, reply.usage)
        return replace(reply, usage=warmed.plus(reply.usage))

    def _context(self, model: ModelReviewer) -> ModelContext:
        """With the seconds that are left for this reviewer now."""
        return replace(
            self.context,
            timeout=min(model.config.timeout, self.deadline - self.context.environment.clock()),
        )

    def _read(self, reply: ModelReply, read: Callable[[str], T]) -> tuple[ModelReply, T | None]:
        if reply.status is not ReviewStatus.OK:
            return reply, None
        try:
            return reply, read(reply.text)
        except ValueError as error:
            began = show_hidden(redact(reply.text[:_READ])[:_SHOWN])
            return replace(
                reply,
                status=ReviewStatus.UNPARSABLE,
                error=f"{error}; the answer starts with {began!r}",
            ), None

    def _masked(self, reply: ModelReply) -> ModelReply:
        apart = _PLACEHOLDER_LIKE.sub(lambda found: f"<n{found[0][1:]}", reply.text)
        return replace(reply, text=apart.replace(self.nonce, _NONCE_PLACEHOLDER))

    def _unmasked(self, reply: ModelReply) -> ModelReply:
        """A model that was told to say the placeholder has not said the nonce."""
        text = _PLACEHOLDER_LIKE.sub(
            lambda found: self.nonce if found[0] == _NONCE_PLACEHOLDER else f"<{found[0][2:]}",
            reply.text,
        )
        return replace(reply, text=text)


def _ask_safely(model: ModelReviewer, prompt: Prompt, context: ModelContext) -> ModelReply:
    """A plug-in that breaks is an answer too."""
    try:
        reply: ModelReply = model.module.ask(prompt, model.options, context)
    except Exception as error:
        return ModelReply(
            ReviewStatus.FAILED, error=f"{type(error).__name__}: {redact(str(error))}"
        )
    return reply
