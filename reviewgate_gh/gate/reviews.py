"""Every reviewer of a run, asked at once; one that breaks is an answer too."""

import os
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.models import declared_reviewers, read_options
from ..ensemble.options import ReviewRun
from ..findings.suppressions import SuppressionFilter
from ..model.config import ReviewerConfig
from ..model.errors import ConfigError, GateError, NoReviewers
from ..model.review import Review, ReviewCall, ReviewRequest, ReviewStatus
from ..reviewers._checkout import PrepareContent, open_checkout
from ..reviewers._context import ReviewContext
from ..reviewers.linters import is_linter_settings
from ..settings.change import LoadingChange
from ..system import plugins
from ..system.parallel import map_parallel, preload_modules
from ..system.temp_dirs import remove_stale_temp_dirs

if TYPE_CHECKING:
    from ..ensemble.ensemble import Ensemble


class ReviewTask(Struct, frozen=True):
    """One reviewer and one part of it to ask."""

    name: str
    config: ReviewerConfig
    module: Any
    options: Any
    part: str


def collect_reviews(run: ReviewRun, ensemble: "Ensemble | None") -> tuple[Review, ...]:
    """What all reviewers say; the wall time is the slowest one's.

    Raises:
        ConfigError: a plug-in does not exist, or its options are wrong.
        NoReviewers: there is a change to review, and nobody could be asked.
    """
    without_hunks = run.loading.without_hunks
    unchanged = not without_hunks.files
    if unchanged and len(without_hunks.commits) < 2 and not without_hunks.tags:
        return ()
    direct = {
        name: entry
        for name, entry in allowed_reviewers(run).items()
        if not plugins.is_model(entry.type)
    }
    prepare = () if without_hunks.suppressions_hold else _prepared(run.suppressions)
    with open_checkout(run.git, without_hunks, *prepare) as files:
        ahead = cache(
            lambda: preload_modules(
                "gate.deliver", "reporters.json", then=lambda: _meanwhile(run.loading)
            )
        )
        context = ReviewContext(
            run.git,
            files,
            run.environment,
            run.config,
            run.seconds,
            run.excluded,
            ahead,
            run.settings.refused_linters,
            run.settings.secret_rules,
        )
        asked = _review_calls(direct, run.loading, context)
        reviews = _ask_all(asked, run, ensemble)
        ahead()
    reviews = (*reviews, *_refused_reviews(run))
    if unchanged and not reviews:
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
    if ensemble and all(entry.type != "builtin" for entry in direct.values()):
        from ..ensemble.ensemble import find_redacted_secrets

        reviews = (*reviews, find_redacted_secrets(run))
    return reviews


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


def _review_calls(
    reviewers: Mapping[str, ReviewerConfig], loading: LoadingChange, context: ReviewContext
) -> list[ReviewCall]:
    """Everything there is to ask these reviewers, none of them a language model, about this
    change."""
    found: list[ReviewCall] = []
    for name, entry in reviewers.items():
        module = plugins.load("reviewers", entry.type)
        options = read_options(name, entry, module)
        parts = module.parts(loading.without_hunks, options, context)
        found += [
            partial(_ask, ReviewTask(name, entry, module, options, part), loading, context)
            for part in parts
        ]
    return found


def _ask_all(
    asked: Sequence[ReviewCall], run: ReviewRun, ensemble: "Ensemble | None"
) -> tuple[Review, ...]:
    """The answers, in the order of the questions; models are asked with the others, at once."""
    most = run.config.ensemble.max_parallel
    if ensemble is None:
        return tuple(map_parallel(lambda ask: ask(), asked, most))
    with ensemble.client.progress:
        answers = ensemble.slots.map(lambda ask: ask(), [*asked, *ensemble.review_calls()])
    return (*answers, *ensemble.unasked_reviews())


def _ask(question: ReviewTask, loading: LoadingChange, context: ReviewContext) -> Review:
    left = context.timeout
    mine = replace(context, timeout=min(left, question.config.timeout), run_timeout=left)
    started = context.environment.clock()
    try:
        review: Review = question.module.review(
            ReviewRequest(loading.without_hunks, question.part, loading.complete),
            question.options,
            mine,
        )
    except ConfigError:
        raise
    except GateError as error:
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=error.message)
    except OSError as error:
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=_refused(error))
    except Exception as error:
        import traceback

        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        review = Review(question.name, question.part, ReviewStatus.FAILED, error=what)
    required = review.required and question.config.required
    return replace(
        review,
        reviewer=question.name,
        required=required,
        seconds=round(context.environment.clock() - started, 3),
        began=started,
    )


def _refused(error: OSError) -> str:
    """In words that say what to fix; a full disk above all."""
    import tempfile

    place = (
        os.fsdecode(error.filename)
        if isinstance(error.filename, str | bytes)
        else tempfile.gettempdir()
    )
    return (
        f"{error.strerror or error} ({place}): check free space and write permission, or set "
        "TMPDIR to another folder"
    )
