"""Every reviewer of a run, asked at once; one that breaks is an answer too."""

import os
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.models import declared_reviewers, read_options
from ..ensemble.options import CollectedAnswers, ReviewRun
from ..findings.suppressions import SuppressionFilter
from ..model.config import ReviewerConfig
from ..model.errors import ConfigError, GateError, NoReviewers
from ..model.review import PartialReview, Review, ReviewCall, ReviewRequest, ReviewStatus
from ..reviewers._checkout import PrepareContent, open_checkout
from ..reviewers._context import ReviewContext
from ..reviewers.linters._settings import is_linter_settings
from ..settings.change import LoadingChange
from ..system import plugins
from ..system.parallel import map_parallel, preload_modules
from ..system.temp_dirs import remove_stale_temp_dirs

if TYPE_CHECKING:
    from ..ensemble.ensemble import Ensemble


FIRST_UNASKED = 1_000_000  # the number of the first question that a language model was not asked


class ReviewTask(Struct, frozen=True):
    """One reviewer and one part of it to ask; about these files alone, where others ask about the
    rest."""

    name: str
    config: ReviewerConfig
    module: Any
    options: Any
    part: str
    files: frozenset[str] | None = None

    @property
    def whole_name(self) -> str:
        """How a portion names it."""
        return f"{self.name}/{self.part}" if self.part else self.name

    @property
    def is_per_file(self) -> bool:
        """Several machines can share its files."""
        return hasattr(self.module, "is_per_file") and self.module.is_per_file(self.part)


def collect_reviews(run: ReviewRun, ensemble: "Ensemble | None") -> tuple[Review, ...]:
    """What all reviewers say; the wall time is the slowest one's.

    Raises:
        ConfigError: a plug-in does not exist, or its options are wrong.
        NoReviewers: there is a change to review, and nobody could be asked.
    """
    if is_empty(run):
        return ()
    with open_context(run) as context:
        parts = _ask_all(run, ensemble, context)
        context.while_running()
        reviews = _joined(parts, run, context)
    return _completed(reviews, run, ensemble)


def ask_portion(run: ReviewRun, ensemble: "Ensemble | None") -> tuple[PartialReview, ...]:
    """What the reviewers of this run's portion say, for `join_portions`.

    Raises:
        ConfigError: as `collect_reviews`.
    """
    if is_empty(run):
        return ()
    with open_context(run) as context:
        parts = _ask_all(run, ensemble, context)
        context.while_running()
    return parts


def join_portions(
    answers: CollectedAnswers, run: ReviewRun, ensemble: "Ensemble | None"
) -> tuple[Review, ...]:
    """What all reviewers have said on several machines: as `collect_reviews`, where nobody need be
    asked but a linter about the base of moved code."""
    if is_empty(run):
        return answers.missing
    with open_context(run) as context:
        reviews = _joined(answers.parts, run, context)
        if ensemble is not None:
            ensemble.tool_answers.give(each for each in reviews if each.asked is None)
        context.while_running()
    return (*_completed((*reviews, *answers.missing), run, ensemble),)


def is_empty(run: ReviewRun) -> bool:
    """Nothing of it could be reviewed."""
    change = run.loading.without_hunks
    return not change.files and len(change.commits) < 2 and not change.tags


@contextmanager
def open_context(run: ReviewRun) -> Iterator[ReviewContext]:
    """What reviewers that are no models work with."""
    without_hunks = run.loading.without_hunks
    prepare = () if without_hunks.suppressions_hold else _prepared(run.suppressions)
    with open_checkout(run.git, without_hunks, *prepare) as files:
        ahead = cache(
            lambda: preload_modules(
                "gate.deliver", "reporters.json", then=lambda: _meanwhile(run.loading)
            )
        )
        yield ReviewContext(
            run.git,
            files,
            run.environment,
            run.config,
            run.seconds,
            run.excluded,
            ahead,
            run.settings.refused_linters,
            run.settings.secret_rules,
            excluded_before=run.excluded_before,
        )


def _completed(
    reviews: tuple[Review, ...], run: ReviewRun, ensemble: "Ensemble | None"
) -> tuple[Review, ...]:
    """With those that were not asked; raises where nobody was."""
    reviews = (*reviews, *_refused_reviews(run))
    if not run.loading.without_hunks.files and not reviews:
        return ()
    if not reviews or all(r.status is ReviewStatus.UNAVAILABLE and not r.findings for r in reviews):
        why = (
            "; ".join(f"{r.name}: {r.error}" for r in reviews)
            or "none is configured for this entry point"
        )
        raise NoReviewers(
            f"no reviewer could be asked ({why})",
            "to see the configured reviewers: reviewgate-gh config show",
        )
    if ensemble and all(entry.type != "builtin" for entry in direct_reviewers(run).values()):
        from ..ensemble.ensemble import find_redacted_secrets

        reviews = (*reviews, find_redacted_secrets(run))
    return reviews


def direct_reviewers(run: ReviewRun) -> dict[str, ReviewerConfig]:
    """The reviewers of this run that are no language models."""
    return {
        name: entry
        for name, entry in allowed_reviewers(run).items()
        if not plugins.is_model(entry.type)
    }


def allowed_reviewers(run: ReviewRun) -> dict[str, ReviewerConfig]:
    """The reviewers of this entry point that may run here."""
    every = declared_reviewers(run.config, run.options.entry_point, run.options.reviewers)
    return {
        name: entry for name, entry in every.items() if name not in run.settings.refused_reviewers
    }


def _refused_reviews(run: ReviewRun) -> tuple[Review, ...]:
    """The others: each is a review that was left out, and says why."""
    every, why = (
        declared_reviewers(run.config, run.options.entry_point, run.options.reviewers),
        run.settings.refused_reviewers,
    )
    return tuple(
        Review(n, status=ReviewStatus.SKIPPED, error=why[n], required=entry.required)
        for n, entry in every.items()
        if n in why
    )


def _meanwhile(loading: LoadingChange) -> None:
    """What can be done while others are at work: the hunks are read, and what killed runs left
    behind goes."""
    loading.complete()
    remove_stale_temp_dirs()


def _prepared(suppressions: SuppressionFilter) -> tuple[PrepareContent, PrepareContent]:
    """What linters may see of a change that is not trusted, at head and at base."""
    return (
        lambda path, data: None if is_linter_settings(path) else suppressions.at_head(path, data)
    ), suppressions.at_base


def _review_calls(run: ReviewRun, context: ReviewContext) -> list[ReviewCall]:
    """Everything that this run asks reviewers that are no language models."""
    return [partial(_ask, task, run, context) for task in review_tasks(run, context)]


def review_tasks(run: ReviewRun, context: ReviewContext) -> list[ReviewTask]:
    """The same as values: all of the change's, or those of the run's portion."""
    portion, change = run.options.portion, run.loading.without_hunks
    tasks = [
        ReviewTask(name, entry, module, options, part)
        for name, entry in direct_reviewers(run).items()
        for module in [plugins.load("reviewers", entry.type)]
        for options in [read_options(name, entry, module)]
        for part in module.parts(change, options, context)
    ]
    if portion is None:
        return tasks
    shared = [replace(task, files=portion.files) for task in tasks if task.is_per_file]
    whole = [task for task in tasks if {task.name, task.whole_name} & portion.whole]
    return [*(shared if portion.files else ()), *whole]


def _ask_all(
    run: ReviewRun, ensemble: "Ensemble | None", context: ReviewContext
) -> tuple[PartialReview, ...]:
    """The answers, in the order of the questions; models are asked with the others, at once."""
    asked, most = _review_calls(run, context), run.config.ensemble.max_parallel
    if ensemble is None:
        with run.progress:
            return _flat(map_parallel(lambda ask: ask(), asked, most))
    with run.progress:
        asked = ensemble.tool_answers.watch(asked)
        answers = ensemble.slots.map(lambda ask: ask(), [*asked, *ensemble.review_calls()])
    unasked = enumerate(ensemble.unasked_reviews(), FIRST_UNASKED)
    return (*_flat(answers), *(PartialReview(each, question=at) for at, each in unasked))


def _flat(answers: Iterable[Sequence[PartialReview]]) -> tuple[PartialReview, ...]:
    return tuple(part for parts in answers for part in parts)


def _joined(
    parts: Sequence[PartialReview], run: ReviewRun, context: ReviewContext
) -> tuple[Review, ...]:
    """One review for each question, in the order in which one run asks them."""
    order = {name: at for at, name in enumerate(direct_reviewers(run))}
    groups: dict[tuple[int, int, str], list[PartialReview]] = {}
    for part in parts:
        review = part.review
        at = order.get(review.reviewer, len(order)) if review.asked is None else len(order)
        groups.setdefault((at, part.question, review.part), []).append(part)
    ranked = (sorted(groups[place], key=lambda each: each.piece) for place in sorted(groups))
    if run.options.collect is None:
        return tuple(_join(group, run, context) for group in ranked)
    joins = [partial(_join, group, run, context) for group in ranked]
    return tuple(map_parallel(lambda join: join(), joins, run.config.ensemble.max_parallel))


def _join(parts: Sequence[PartialReview], run: ReviewRun, context: ReviewContext) -> Review:
    """The pieces of one answer as one review."""
    first = parts[0].review
    if first.asked is not None:
        from ..ensemble.ensemble import joined_batches

        return joined_batches([part.review for part in parts])
    if run.options.collect is None or first.reviewer not in run.config.reviewers:
        return first
    entry = run.config.reviewers[first.reviewer]
    module = plugins.load("reviewers", entry.type)
    task = ReviewTask(
        first.reviewer, entry, module, read_options(first.reviewer, entry, module), first.part
    )
    if not task.is_per_file:
        return first
    request = ReviewRequest(run.loading.without_hunks, task.part, run.loading.complete)
    mine = replace(context, timeout=min(context.timeout, entry.timeout))

    def join() -> PartialReview:
        return PartialReview(module.join_files(parts, request, task.options, mine))

    joined = _guarded(task, join).review
    return replace(
        joined, reviewer=task.name, required=joined.required and entry.required, began=first.began
    )


def _ask(task: ReviewTask, run: ReviewRun, context: ReviewContext) -> tuple[PartialReview, ...]:
    left = context.timeout
    mine = replace(context, timeout=min(left, task.config.timeout), run_timeout=left)
    request = ReviewRequest(run.loading.without_hunks, task.part, run.loading.complete)
    started = context.environment.clock()

    def ask() -> PartialReview:
        if task.files is None:
            return PartialReview(task.module.review(request, task.options, mine))
        answer: PartialReview = task.module.review_files(request, task.options, mine, task.files)
        return answer

    with run.progress.waiting_for(task.whole_name):
        answer = _guarded(task, ask)
    review = replace(
        answer.review,
        reviewer=task.name,
        required=answer.review.required and task.config.required,
        seconds=round(context.environment.clock() - started, 3),
        began=started,
    )
    return (replace(answer, review=review),)


def _guarded(task: ReviewTask, ask: Callable[[], PartialReview]) -> PartialReview:
    """Its answer; a reviewer that breaks is one, too."""
    try:
        return ask()
    except ConfigError:
        raise
    except GateError as error:
        why = error.message
    except OSError as error:
        why = _refused(error)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
    return PartialReview(Review(task.name, task.part, ReviewStatus.FAILED, error=why))


def _refused(error: OSError) -> str:
    """In words that say what to fix; a full disk above all."""
    place = (
        os.fsdecode(error.filename)
        if isinstance(error.filename, str | bytes)
        else tempfile.gettempdir()
    )
    return (
        f"{error.strerror or error} ({place}): check free space and write permission, or set "
        "TMPDIR to another folder"
    )
