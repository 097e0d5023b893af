"""What linters, built-in checks and CI report on a change, told to language models beside it.

Models' questions wait a little for it, since a question that says what is known already costs less
than the same remark made twice.
"""

import json
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from msgspec import Struct, convert, to_builtins

from ..findings.lines import prompt_text
from ..findings.scope import ChangedLines
from ..model.errors import GateError
from ..model.finding import Finding, FindingState, Priority
from ..model.pull_request import CheckOutput
from ..model.question import ModelReply
from ..model.review import PartialReview, Review, ReviewCall, ReviewStatus
from ..system.threads import result_before_end, start_thread
from ..text.paths import matching_paths
from .client import AnswerStore, question_digest
from .options import ReviewRun
from .prompt import estimate_tokens

_MOST_TOKENS = 600  # of a question
_MOST_CHARACTERS = 300  # of a text
_MOST_ROWS = 200  # of a run
_SHARE = 5  # of the run's deadline at most one such part is waited: models need the rest
_OUTCOMES = ("outcomes", question_digest("outcomes"))

JudgeFindings = Callable[[ReviewRun, Sequence[Review], ChangedLines], Sequence[Finding]]


class KnownOutcome(Struct, frozen=True, forbid_unknown_fields=True):
    """One row, and the changed file that it is about; "" for one of CI's."""

    path: str
    text: str


class ToolAnswers:
    """The answers of the reviewers that are no models, as they come in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left = 0
        self._reviews: list[Review] = []
        self._all = Future[None]()

    def watch(self, calls: Sequence[ReviewCall]) -> list[ReviewCall]:
        """The calls, whose answers are noted: all that are to be waited for."""
        self._left = len(calls)
        if not calls:
            self._all.set_result(None)
        return [partial(self._noted, call) for call in calls]

    def give(self, reviews: Iterable[Review]) -> None:
        """All answers, where nobody is asked."""
        self._reviews = [*reviews]
        self._all.set_result(None)

    def within(self, seconds: float) -> list[Review]:
        """Those that have come in so many seconds."""
        with suppress(TimeoutError):
            result_before_end(max(0.0, seconds), self._all)
        with self._lock:
            return [*self._reviews]

    def _noted(self, call: ReviewCall) -> Sequence[PartialReview]:
        parts: Sequence[PartialReview] = ()
        try:
            parts = call()
        finally:
            with self._lock:
                self._reviews += [part.review for part in parts]
                self._left -= 1
                if self._left == 0:
                    self._all.set_result(None)
        return parts


def collect_outcomes(
    run: ReviewRun, answers: ToolAnswers, judge: JudgeFindings
) -> tuple[KnownOutcome, ...]:
    """The rows that are known within `ensemble.context.wait` seconds of the run's beginning: open
    findings of P0 to P2, and CI's failed checks. They belong to a recording."""
    kept, wait = run.options.answers, run.config.ensemble.context.wait
    if kept.replay:
        return _recorded(AnswerStore(kept.replay))
    rows: tuple[KnownOutcome, ...] = ()
    if wait > 0 and not run.options.asks_no_models:
        ci = start_thread(run.options.ci.checks) if run.options.ci else None
        end = run.began + min(wait, run.seconds / _SHARE)
        reviews = answers.within(end - run.environment.clock())
        failed = _failed_checks(ci, end - run.environment.clock()) if ci else ()
        findings = judge(run, reviews, ChangedLines(run.change))
        told = (*_headlines(failed), *_findings(findings, run), *_annotations(failed, run))
        rows = told[:_MOST_ROWS]
    if kept.record:
        text = json.dumps(to_builtins(rows), ensure_ascii=False)
        AnswerStore(kept.record).save(*_OUTCOMES, ModelReply(ReviewStatus.OK, text))
    return rows


def outcomes_about(
    rows: Sequence[KnownOutcome], paths: Collection[str], tokens: int
) -> tuple[Sequence[KnownOutcome], int]:
    """Those about these files or about all, as far as so many tokens hold them, and how many more
    there are."""
    mine = [each for each in rows if not each.path or each.path in paths]
    told, room = list[KnownOutcome](), min(tokens, _MOST_TOKENS)
    for each in mine:
        room -= estimate_tokens(f"{each.text}\n")
        if room < 0:
            break
        told.append(each)
    return told, len(mine) - len(told)


def _recorded(store: AnswerStore) -> tuple[KnownOutcome, ...]:
    said = store.get(*_OUTCOMES)
    if said is None:
        return ()
    with suppress(ValueError):  # msgspec's too
        return convert(json.loads(said.text), tuple[KnownOutcome, ...])
    return ()


def _failed_checks(call: Future[Sequence[CheckOutput]], seconds: float) -> Sequence[CheckOutput]:
    """Those of CI; none where it cannot be read in time. The lens that is about it says why."""
    with suppress(GateError, TimeoutError):
        return [each for each in result_before_end(max(0.0, seconds), call) if each.failed]
    return ()


def _headlines(failed: Iterable[CheckOutput]) -> Iterator[KnownOutcome]:
    return (KnownOutcome("", _row({"check": each.name, "result": each.result})) for each in failed)


def _annotations(failed: Iterable[CheckOutput], run: ReviewRun) -> Iterator[KnownOutcome]:
    """But for those about files that models may not read."""
    for each in failed:
        unseen = _unseen(run, {path for path, _text in each.annotations})
        for path, text in each.annotations:
            if path not in unseen:
                yield KnownOutcome("", _row({"check": each.name, "says": text}))


def _findings(findings: Iterable[Finding], run: ReviewRun) -> Iterator[KnownOutcome]:
    """The most severe first, and always in the same order."""
    told = [
        each
        for each in findings
        if each.state is FindingState.OPEN and each.priority is not Priority.P3
    ]
    unseen = _unseen(run, {each.path for each in told})
    for each in sorted(
        told, key=lambda each: (each.priority, each.path, each.line_start, each.rule, each.title)
    ):
        if each.path in unseen:
            continue
        row: dict[str, str | int] = {
            "file": each.path,
            "line": each.line_start,
            "priority": each.priority.value,
            "rule": each.rule,
            "title": each.title,
        }
        yield KnownOutcome(each.commented_path, _row(row))


def _row(values: Mapping[str, str | int]) -> str:
    """As JSON: a file's name or a message may look like a row of its own."""
    shown = {
        name: prompt_text(value)[:_MOST_CHARACTERS] if isinstance(value, str) else value
        for name, value in values.items()
    }
    return json.dumps(shown, ensure_ascii=False)


def _unseen(run: ReviewRun, paths: Collection[str]) -> Collection[str]:
    """Those of the paths that models may not read."""
    policy = run.config.policy
    return run.excluded.union(
        *(matching_paths(paths, each) for each in (policy.denied_paths, policy.exclude))
    )
