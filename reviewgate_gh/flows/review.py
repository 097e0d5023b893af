"""THE pipeline: a change in, one report out. Every entry point calls this."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ..model.config import Config, Policy, Reviewer
from ..model.errors import NoReviewers, OutOfTime
from ..model.review import Review, Status
from ..reviewers.linters import load_linters, steers
from ..steps.exclude import excluded, exclusion
from ..system import plugins
from ..system.checkout import Prepare, checkout
from ..system.git import Git
from ..system.kit import Kit
from ..system.lease import drop_stale
from ..system.together import Later, read_ahead
from ..system.world import World
from .approval import refused_also
from .ask import ask_all, askings
from .changes import Loading, begin_change
from .left_out import left_out_of
from .order import Order
from .seats import declared, models
from .settings import Settings, load_settings, refuse_left_out

if TYPE_CHECKING:
    from ..model.report import Report
    from .ensemble import Ensemble


_NO_TIME = "hook.deadline covers the whole push and has passed: raise it, or push fewer refs at once"

_LEAST_GRACE, _MOST_GRACE = 2.0, 10.0


def review(order: Order, git: Git, world: World, begun: Loading | None = None) -> "Report":
    """Review a range; `begun` where git is reading it already. An override that was asked for reviews nothing, and says so.

    Raises:
        GateError: the config is wrong, or no declared reviewer can be asked; a reviewer that breaks is in the report instead.
    """
    if world.overridden:
        from .skip import skipped

        return skipped(order.range, git, world)
    started, clock = world.now(), world.clock()
    refuse_left_out(order.reviewers, order.door, order.policy, world)
    loading = begun or begin_change(git, order.range, world, order.trusted)
    settings = load_settings(git, loading.listed, world, order.policy)
    limit = _deadline(order, settings.config)
    left_out = left_out_of(loading.listed.files, settings.config.policy.exclude, git)
    config = replace(settings.config, reviewers={**settings.config.reviewers, **order.also})
    refused = {**settings.refused_reviewers, **refused_also(order.also, settings.approved, loading.listed, git)}
    settings = replace(settings, config=config, notices=(*settings.notices, *exclusion(left_out)), refused_reviewers=refused)
    ensemble = _ensemble(order, loading, settings, left_out, clock + limit, git, world)
    answers = _answers(order, loading, settings, limit, left_out, ensemble, git, world)
    from ..reviewers._line_ends import recounted
    from .conclude import conclude, overdue

    change, reviews = loading.whole(), (*answers, *order.imported)

    def judged() -> "Report":
        imported = [recounted(review, change, git) for review in order.imported]
        return conclude(change, (*answers, *imported), settings, left_out, git, world, ensemble)

    try:
        report = Later(judged).within(max(0.0, clock + limit - world.clock()) + _grace(limit))
    except TimeoutError:
        report = overdue(change, reviews, settings, git, world)
    used_up = world.clock() - clock >= limit - (ensemble.least if ensemble else 0)
    late = report.late or (used_up and any(r.status is Status.TIMEOUT for r in report.reviews))
    return replace(report, started=started, finished=world.now(), late=late)


def get_ready() -> None:
    """Import the plug-ins that almost every review needs, while waiting for git."""
    for name in ("builtin", "linters"):
        plugins.load("reviewers", name)
    load_linters()
    excluded((), Policy().exclude)


def _deadline(order: Order, config: Config) -> float:
    """The seconds that the run has, without those that are gone."""
    left = (order.deadline or (config.hook.deadline if order.door == "hook" else config.ensemble.deadline)) - order.spent
    if left <= 0:
        what = order.range.notes[0] if order.range.notes else "this range"
        raise OutOfTime(f"{what}: not reviewed", _NO_TIME)
    return left


def _grace(limit: float) -> float:
    """Seconds beyond the deadline for what reviewers have said by then: those who use all of it leave none to judge it in."""
    return min(_MOST_GRACE, max(_LEAST_GRACE, limit / 10))


def _ensemble(
    order: Order, loading: Loading, settings: Settings, left_out: frozenset[str], end: float, git: Git, world: World
) -> "Ensemble | None":
    """The language models of this entry point, if any."""
    wanted = models(_allowed(order, settings))
    if not wanted or not loading.listed.files:
        return None
    from .convene import convene

    return convene(wanted, order, loading, settings, left_out, end, git, world)


def _allowed(order: Order, settings: Settings) -> dict[str, Reviewer]:
    """The reviewers of this entry point that may run here."""
    every = declared(settings.config, order.door, order.reviewers)
    return {name: entry for name, entry in every.items() if name not in settings.refused_reviewers}


def _refused(order: Order, settings: Settings) -> tuple[Review, ...]:
    """The others: each is a review that was left out, and says why."""
    every, why = declared(settings.config, order.door, order.reviewers), settings.refused_reviewers
    return tuple(Review(n, status=Status.SKIPPED, error=why[n], required=entry.required) for n, entry in every.items() if n in why)


def _answers(
    order: Order,
    loading: Loading,
    settings: Settings,
    limit: float,
    left_out: frozenset[str],
    ensemble: "Ensemble | None",
    git: Git,
    world: World,
) -> tuple[Review, ...]:
    """What everybody says, asked at once."""
    unchanged = not loading.listed.files
    if unchanged and len(loading.listed.commits) < 2:
        return ()
    config = settings.config
    direct = {name: entry for name, entry in _allowed(order, settings).items() if not plugins.is_model(entry.type)}
    with checkout(git, loading.listed, _unchanged if loading.listed.own_words else _disarmed(loading)) as files:
        ahead = cache(lambda: read_ahead("flows.conclude", "flows.deliver", "reporters.json", then=lambda: _meanwhile(loading)))
        asked = askings(direct, loading, Kit(git, files, world, config, limit, left_out, ahead, settings.refused_linters))
        reviews = ensemble.answers(asked, ask_all) if ensemble else ask_all(asked, config.ensemble.max_parallel)
        ahead()
    reviews = (*reviews, *_refused(order, settings))
    if unchanged and not reviews:
        return ()
    if not reviews or all(r.status is Status.UNAVAILABLE and not r.findings for r in reviews):
        why = "; ".join(f"{r.name}: {r.error}" for r in reviews) or "none is configured for this entry point"
        raise NoReviewers(f"no reviewer could be asked ({why})", "to see the configured reviewers: reviewgate-gh config show")
    if ensemble and all(entry.type != "builtin" for entry in direct.values()):
        from .redacted import redacted

        reviews = (*reviews, redacted(loading.whole(), left_out, config))
    return reviews


def _meanwhile(loading: Loading) -> None:
    """What can be done while others are at work: the hunks are read, and what killed runs left behind goes."""
    loading.whole()
    drop_stale()


def _unchanged(_path: str, data: bytes) -> bytes:
    return data


def _disarmed(loading: Loading) -> Prepare:
    """What linters may see of a file of a change that is not trusted."""
    from ..steps.suppress import defuse

    files = cache(lambda: {file.path: file for file in loading.whole().files})
    return lambda path, data: None if steers(path) else defuse(files()[path], data)
