"""THE pipeline: a change in, one report out. Every entry point calls this."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ..ensemble.models import declared_reviewers, model_reviewers
from ..ensemble.options import ReviewOptions
from ..git import Git
from ..model.config import Config, Policy, ReviewerConfig
from ..model.errors import DeadlinePassed, NoReviewers
from ..model.review import Review, ReviewStatus
from ..reviewers._checkout import PrepareContent, open_checkout
from ..reviewers._context import ReviewContext
from ..reviewers._lines import adjust_line_ends
from ..reviewers.linters import is_linter_settings, load_linters
from ..settings.change import LoadingChange, start_loading
from ..settings.settings import AppliedSettings, load_settings, require_floor_reviewers
from ..system import plugins
from ..system.environment import Environment
from ..system.parallel import BackgroundCall, preload_modules
from ..system.temp_dirs import remove_stale_temp_dirs
from ..text.paths import exclusion_notices, matching_paths
from ..trust.may_run import refused_trigger_reviewers
from .ask import review_calls, run_review_calls
from .coverage import excluded_paths

if TYPE_CHECKING:
    from ..ensemble.reviews import Ensemble
    from ..model.report import Report


_NO_TIME = (
    "hook.deadline covers the whole push and has passed: raise it, or push fewer refs at once"
)

_LEAST_GRACE, _MOST_GRACE = 2.0, 10.0


def review(
    options: ReviewOptions, git: Git, environment: Environment, begun: LoadingChange | None = None
) -> "Report":
    """Review a range; `begun` where git is reading it already. An override that was asked for
    reviews nothing, and says so.

    Raises:
        GateError: the config is wrong, or no declared reviewer can be asked; a reviewer that breaks
            is in the report instead.
    """
    if environment.skip_requested:
        from .skip import announce_and_report_skip

        return announce_and_report_skip(options.range, git, environment)
    started, clock = environment.now(), environment.clock()
    require_floor_reviewers(options.reviewers, options.entry_point, options.policy, environment)
    loading = begun or start_loading(git, options.range, environment, options.trusted)
    settings = load_settings(git, loading.without_hunks, environment, options.policy)
    limit = _deadline(options, settings.config)
    left_out = excluded_paths(loading.without_hunks.files, settings.config.policy.exclude, git)
    config = replace(
        settings.config, reviewers={**settings.config.reviewers, **options.extra_reviewers}
    )
    refused = {
        **settings.refused_reviewers,
        **refused_trigger_reviewers(
            options.extra_reviewers, settings.approved, loading.without_hunks, git
        ),
    }
    settings = replace(
        settings,
        config=config,
        notices=(*settings.notices, *exclusion_notices(left_out)),
        refused_reviewers=refused,
    )
    ensemble = _ensemble(options, loading, settings, left_out, clock + limit, git, environment)
    answers = _collect_reviews(
        options, loading, settings, limit, left_out, ensemble, git, environment
    )
    from .report import build_overdue_report, build_report

    change, reviews = loading.complete(), (*answers, *options.imported_reviews)

    def judged() -> "Report":
        imported = [adjust_line_ends(review, change, git) for review in options.imported_reviews]
        return build_report(
            change, (*answers, *imported), settings, left_out, git, environment, ensemble
        )

    try:
        report = BackgroundCall(judged).result_within(
            max(0.0, clock + limit - environment.clock()) + _grace(limit)
        )
    except TimeoutError:
        report = build_overdue_report(change, reviews, settings, git, environment)
    used_up = environment.clock() - clock >= limit - (ensemble.min_seconds if ensemble else 0)
    late = report.late or (
        used_up and any(r.status is ReviewStatus.TIMEOUT for r in report.reviews)
    )
    return replace(report, started=started, finished=environment.now(), late=late)


def preload_plugins() -> None:
    """Import the plug-ins that almost every review needs, while waiting for git."""
    for name in ("builtin", "linters"):
        plugins.load("reviewers", name)
    load_linters()
    matching_paths((), Policy().exclude)


def _deadline(options: ReviewOptions, config: Config) -> float:
    """The seconds that the run has, without those that are gone."""
    left = (
        options.deadline
        or (config.hook.deadline if options.entry_point == "hook" else config.ensemble.deadline)
    ) - options.seconds_used
    if left <= 0:
        what = options.range.notes[0] if options.range.notes else "this range"
        raise DeadlinePassed(f"{what}: not reviewed", _NO_TIME)
    return left


def _grace(limit: float) -> float:
    """Seconds beyond the deadline for what reviewers have said by then: those who use all of it
    leave none to judge it in."""
    return min(_MOST_GRACE, max(_LEAST_GRACE, limit / 10))


def _ensemble(
    options: ReviewOptions,
    loading: LoadingChange,
    settings: AppliedSettings,
    left_out: frozenset[str],
    end: float,
    git: Git,
    environment: Environment,
) -> "Ensemble | None":
    """The language models of this entry point, if any."""
    wanted = model_reviewers(_allowed(options, settings))
    if not wanted or not loading.without_hunks.files:
        return None
    from ..ensemble.build import build_ensemble

    return build_ensemble(wanted, options, loading, settings, left_out, end, git, environment)


def _allowed(options: ReviewOptions, settings: AppliedSettings) -> dict[str, ReviewerConfig]:
    """The reviewers of this entry point that may run here."""
    every = declared_reviewers(settings.config, options.entry_point, options.reviewers)
    return {name: entry for name, entry in every.items() if name not in settings.refused_reviewers}


def _refused_reviews(options: ReviewOptions, settings: AppliedSettings) -> tuple[Review, ...]:
    """The others: each is a review that was left out, and says why."""
    every, why = (
        declared_reviewers(settings.config, options.entry_point, options.reviewers),
        settings.refused_reviewers,
    )
    return tuple(
        Review(n, status=ReviewStatus.SKIPPED, error=why[n], required=entry.required)
        for n, entry in every.items()
        if n in why
    )


def _collect_reviews(
    options: ReviewOptions,
    loading: LoadingChange,
    settings: AppliedSettings,
    limit: float,
    left_out: frozenset[str],
    ensemble: "Ensemble | None",
    git: Git,
    environment: Environment,
) -> tuple[Review, ...]:
    """What everybody says, asked at once."""
    unchanged = not loading.without_hunks.files
    if unchanged and len(loading.without_hunks.commits) < 2:
        return ()
    config = settings.config
    direct = {
        name: entry
        for name, entry in _allowed(options, settings).items()
        if not plugins.is_model(entry.type)
    }
    with open_checkout(
        git,
        loading.without_hunks,
        _unchanged if loading.without_hunks.suppressions_hold else _without_suppressions(loading),
    ) as files:
        ahead = cache(
            lambda: preload_modules(
                "gate.report", "gate.deliver", "reporters.json", then=lambda: _meanwhile(loading)
            )
        )
        asked = review_calls(
            direct,
            loading,
            ReviewContext(
                git, files, environment, config, limit, left_out, ahead, settings.refused_linters
            ),
        )
        reviews = (
            ensemble.collect_reviews(asked, run_review_calls)
            if ensemble
            else run_review_calls(asked, config.ensemble.max_parallel)
        )
        ahead()
    reviews = (*reviews, *_refused_reviews(options, settings))
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
        from ..ensemble.build import find_redacted_secrets

        reviews = (*reviews, find_redacted_secrets(loading.complete(), left_out, config))
    return reviews


def _meanwhile(loading: LoadingChange) -> None:
    """What can be done while others are at work: the hunks are read, and what killed runs left
    behind goes."""
    loading.complete()
    remove_stale_temp_dirs()


def _unchanged(_path: str, data: bytes) -> bytes:
    return data


def _without_suppressions(loading: LoadingChange) -> PrepareContent:
    """What linters may see of a file of a change that is not trusted."""
    from ..findings.suppressions import neutralise_suppressions

    files = cache(lambda: {file.path: file for file in loading.complete().files})
    return lambda path, data: (
        None if is_linter_settings(path) else neutralise_suppressions(files()[path], data)
    )
