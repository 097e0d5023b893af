"""Asking language models: from the cache or a recording, else within budget and deadline."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from ..git import Git
from ..model.config import Config
from ..model.errors import UsageError
from ..model.finding import sha256_hex
from ..model.question import ModelReply, Prompt
from ..model.review import NO_USAGE, ModelCall, ReviewStatus, Usage
from ..reviewers._context import ModelContext, ToolBox
from ..system import signals
from ..system.environment import Environment
from ..system.files import STATE_FOLDER, write_atomic
from ..system.parallel import call_once
from ..system.progress import Progress
from ..text.patterns import lazy_pattern
from ..text.redact import redact
from ..text.visible import show_hidden
from .budget import BudgetAccount, TurnBudget
from .models import ModelReviewer
from .options import AnswerOptions
from .prompt import estimate_tokens

_FEWEST_SHARING = 3  # questions
# Tokens. Vendors cache from 1,024 or 4,096 on, by model, and what they do not cache costs little:
# docs.anthropic.com/en/docs/build-with-claude/prompt-caching,
# platform.openai.com/docs/guides/prompt-caching, ai.google.dev/gemini-api/docs/caching
_LEAST_CACHED = 2048


class CacheWarmup:
    """Each model's first question fills the cache for all that follow: they wait for one token, not
    for an answer. `questions` says how many of a model share a prefix; None warms up always."""

    def __init__(self, budget: BudgetAccount, questions: Callable[[str, str], int] | None) -> None:
        self._spending, self._questions = budget, questions
        self._lock = threading.Lock()
        self._ready: dict[tuple[str, str], Callable[[], Usage]] = {}

    def wait(self, model: ModelReviewer, prompt: Prompt, context: ModelContext) -> Usage:
        """Return when the model has read what questions share (at once where that saves nothing);
        the first caller gets the cost."""
        if not hasattr(model.module, "warm") or not self._saves(model, prompt):
            return NO_USAGE
        with self._lock:
            # A large change has several prefixes
            key = model.name, prompt.shared_part
            first = key not in self._ready
            ready = self._ready.setdefault(
                key, call_once(partial(self._warm, model, prompt, context))
            )
        usage = ready()
        return usage if first else NO_USAGE

    def _saves(self, model: ModelReviewer, prompt: Prompt) -> bool:
        if self._questions is None:
            return True
        prefix = estimate_tokens(f"{prompt.system}{prompt.shared_part}")
        if prefix < _LEAST_CACHED or not model.module.caches(model.options):
            return False
        return self._questions(model.name, prompt.shared_part) >= _FEWEST_SHARING

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
_NAME = lazy_pattern(r"[^A-Za-z0-9._-]+")


def question_digest(*parts: Any) -> str:
    """64 hex digits of a question: whom it is put to, with which options, and its text."""
    return sha256_hex(json.dumps(parts, sort_keys=True, default=str))


class AnswerStore(Struct, frozen=True):
    """A folder of answers by name and digest of the question."""

    folder: Path

    def get(self, name: str, digest: str) -> ModelReply | None:
        """The answer to this very question; None where there is none, or a damaged one."""
        try:
            entry = json.loads(self._path(name, digest).read_bytes(), parse_constant=_refuse)
            if entry["question"] != digest or entry["sha256"] != _checksum(entry["reply"]):
                return None
            reply = convert(entry["reply"], ModelReply)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return reply

    def save(self, name: str, digest: str, reply: ModelReply) -> None:
        """Keep an answer.

        Raises:
            UsageError: it cannot be written.
        """
        plain = to_builtins(reply)
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


class KeptAnswers(Struct, frozen=True):
    """`cache` has the answers of earlier local runs, `record` takes every reply.

    With `replay` only the recording is used.
    """

    cache: AnswerStore | None = None
    record: AnswerStore | None = None
    replay: AnswerStore | None = None


NO_KEPT_ANSWERS = KeptAnswers()


def open_kept_answers(
    answers: AnswerOptions, config: Config, git: Git, environment: Environment
) -> KeptAnswers:
    """What is asked for; a cache only on a person's machine, where nobody else can write to it."""
    cached = config.ensemble.cache and not (environment.in_ci or answers.fresh or answers.replay)
    return KeptAnswers(
        _open_cache(git.common) if cached else None,
        AnswerStore(answers.record) if answers.record else None,
        AnswerStore(answers.replay) if answers.replay else None,
    )


def _open_cache(common: Path) -> AnswerStore:
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
# Of a text that holds this already, each is kept with an n more
_PLACEHOLDER_LIKE = lazy_pattern("<n+once>")
# The answer itself is not shown again: it may repeat what the change told the model to say
_AGAIN = """
Your last answer to this question could not be read: it was not one JSON object of this schema, with
this nonce, and nothing around it. Answer again with that object alone.
"""
MIN_SECONDS = 1.0  # seconds: with fewer left, no model is asked
# Characters: a secret that ends behind what is shown is one all the same
_SHOWN, _READ = (80, 25_000)
T = TypeVar("T")


class Response(Struct, Generic[T], frozen=True):
    """Who was asked, what became of it, and the answer where one could be read."""

    model: ModelReviewer
    reply: ModelReply
    answer: T | None
    began: float
    prompt: str
    replaced: str = ""

    @property
    def seconds(self) -> float:
        """How long the model took; of a replayed answer, when it was recorded."""
        return self.reply.seconds

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
            self.reply.without_lookups,
        )


class ModelClient(Struct, frozen=True):
    """The one way to ask a model: one budget, one progress, one set of kept answers.

    `deadline` is the clock's time at which the run is over; `models` knows the fallbacks by name.
    `tools` makes those of one question, which reads in `tree`.
    """

    nonce: str
    context: ModelContext
    deadline: float
    budget: BudgetAccount
    models: Mapping[str, ModelReviewer]
    progress: Progress
    kept: KeptAnswers = NO_KEPT_ANSWERS
    warmup: CacheWarmup | None = None
    tools: Callable[[], ToolBox] | None = None
    tree: str = ""

    def ask(
        self,
        model: ModelReviewer,
        part: str,
        prompt: Prompt,
        read: Callable[[str], T],
        again: bool = False,
    ) -> Response[T]:
        """Ask, and where no answer can be read ask the reviewer's fallback; with `again` a reviewer
        that has none is asked a second time.

        `read` raises ValueError for what is no answer.
        """
        other = self.models.get(model.config.fallback or "")
        first = self._ask_one(model, part, prompt, read, again and other is None)
        if first.answer is not None or other is None or first.reply.status is ReviewStatus.SKIPPED:
            return first
        second = self._ask_one(other, part, prompt, read, again=False)
        why = f"{model.name} ({first.reply.status.value}: {first.reply.error})"
        if second.answer is not None:
            return replace(second, replaced=why)
        error = f"{first.reply.error}; its fallback {other.name}: {second.reply.error}"
        return replace(first, reply=replace(first.reply, error=error))

    def _ask_one(
        self,
        model: ModelReviewer,
        part: str,
        prompt: Prompt,
        read: Callable[[str], T],
        again: bool,
    ) -> Response[T]:
        name = f"{model.name}/{part}"
        began = self.context.environment.clock()
        with self.progress.waiting_for(name):
            reply, answer, digest = self._try(model, name, prompt, read)
            if again and reply.status is ReviewStatus.UNPARSABLE:
                first, own = reply, f"{prompt.own_part}{_AGAIN}"
                second = self._try(model, name, replace(prompt, own_part=own), read)
                reply, answer = _second_reply(first, second[0]), second[1]
                digest = second[2] if answer is not None else digest
        return Response(model, reply, answer, began, digest[:12])

    def _try(
        self, model: ModelReviewer, name: str, prompt: Prompt, read: Callable[[str], T]
    ) -> tuple[ModelReply, T | None, str]:
        """One attempt: the reply, the answer in it, and the digest of the question."""
        digest = question_digest(
            name,
            model.config.type,
            to_builtins(model.options),
            prompt.effort,
            prompt.answer_schema,
            prompt.text.replace(self.nonce, _NONCE_PLACEHOLDER),
            *([self.tree] if self.tree else []),
        )
        reply, answer = self._read(self._reply(model, name, digest, prompt), read)
        if answer is not None and self.kept.cache is not None and not reply.kept:
            with suppress(UsageError):  # a cache that cannot be written is none
                self.kept.cache.save(name, digest, self._masked(reply))
        return reply, answer, digest

    def _reply(self, model: ModelReviewer, name: str, digest: str, prompt: Prompt) -> ModelReply:
        if self.kept.replay is not None:
            found = self.kept.replay.get(name, digest)
            missing = (
                "the recording has no answer to this question: the change, the config or the "
                "version differs"
            )
            return (
                self._unmasked(found) if found else ModelReply(ReviewStatus.FAILED, error=missing)
            )
        earlier = self.kept.cache.get(name, digest) if self.kept.cache is not None else None
        clock = self.context.environment.clock
        started = clock()
        reply = (
            replace(self._unmasked(earlier), kept=True, usage=NO_USAGE)
            if earlier
            else self._ask_model(model, prompt)
        )
        reply = replace(reply, seconds=round(clock() - started, 3))
        if self.kept.record is not None:
            self.kept.record.save(name, digest, self._masked(reply))
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
        seconds = context.timeout - MIN_SECONDS
        estimate = self.budget.estimate(prompt.text, model.options)
        ticket, refused = self.budget.reserve(estimate, seconds)
        if refused:
            return ModelReply(ReviewStatus.SKIPPED, error=refused, usage=warmed)
        reply, turns = (
            ModelReply(ReviewStatus.FAILED),
            TurnBudget(self.budget, ticket, estimate.tokens, seconds, estimate.cost or 0.0),
        )
        try:
            # It may have waited for others
            context = replace(self._context(model), may_retry=turns.may_retry, turns=turns)
            reply = _ask_safely(model, prompt, context)
        finally:
            turns.end(reply.usage)
        shown = context.tools.shown if context.tools else ()
        return replace(reply, usage=warmed.plus(reply.usage), looked_up=shown)

    def _context(self, model: ModelReviewer) -> ModelContext:
        """With the seconds that are left for this reviewer now."""
        return replace(
            self.context,
            timeout=min(model.config.timeout, self.deadline - self.context.environment.clock()),
            tools=self.tools() if self.tools else None,
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


def open_model_client(
    models: Mapping[str, ModelReviewer],
    context: ModelContext,
    deadline: float,
    config: Config,
    kept: KeptAnswers = NO_KEPT_ANSWERS,
) -> ModelClient:
    """A client with its own account, progress and nonce: one for all questions of a run."""
    environment = context.environment
    return ModelClient(
        environment.nonce(),
        context,
        deadline,
        BudgetAccount(config.ensemble.budget),
        models,
        Progress(environment),
        kept,
    )


def _second_reply(first: ModelReply, second: ModelReply) -> ModelReply:
    """What both tries come to; the first one's failure stays where the second is none better."""
    usage = first.usage.plus(second.usage)
    seconds = round(first.seconds + second.seconds, 3)
    if second.status is ReviewStatus.OK:
        return replace(second, usage=usage, seconds=seconds)
    same = "the same" if second.error == first.error else second.error
    error = f"{first.error}; asked again: {same}"
    return replace(first, error=error, usage=usage, seconds=seconds)


def _ask_safely(model: ModelReviewer, prompt: Prompt, context: ModelContext) -> ModelReply:
    """A plug-in that breaks is an answer too."""
    try:
        reply: ModelReply = model.module.ask(prompt, model.options, context)
    except Exception as error:
        return ModelReply(
            ReviewStatus.FAILED, error=f"{type(error).__name__}: {redact(str(error))}"
        )
    return reply
