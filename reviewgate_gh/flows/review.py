"""THE pipeline: a change in, one report out. Every door calls this."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from ..model.config import Config, Reviewer
from ..model.errors import ConfigError, NoReviewers
from ..model.review import Review, Status
from ..model.selection import Range
from ..reviewers.linters import steers
from ..steps.exclude import excluded, exclusion
from ..steps.suppress import defuse, own_words
from ..system.checkout import Prepare, checkout
from ..system.git import Git
from ..system.kit import Kit
from ..system.together import read_ahead
from ..system.world import World
from .ask import ask_all, questions
from .changes import Loading, begin_change
from .settings import load_settings

if TYPE_CHECKING:
    from ..model.report import Report


@dataclass(frozen=True, slots=True)
class Order:
    """What one run is asked for: the range, the door it came through, and what only the command line may say."""

    range: Range
    door: str = "cli"
    trusted: bool = False
    policy: str = ""
    reviewers: tuple[str, ...] = ()
    deadline: float | None = None
    imported: tuple[Review, ...] = ()


def review(order: Order, git: Git, world: World, begun: Loading | None = None) -> "Report":
    """Review a range; `begun` where git is reading it already.

    Raises:
        GateError: the config is wrong, or no declared reviewer can be asked; a reviewer that breaks is in the report instead.
    """
    started, clock = world.now(), world.clock()
    loading = begun or begin_change(git, order.range, world, order.trusted)
    settings = load_settings(git, loading.listed, world, order.policy)
    left_out = excluded((f.path for f in loading.listed.files), settings.config.policy.exclude)
    settings = replace(settings, notices=(*settings.notices, *exclusion(left_out)))
    reviews = (*_answers(order, loading, settings.config, left_out, git, world), *order.imported)
    from .conclude import conclude

    report = conclude(loading.whole(), reviews, settings, left_out, git, world)
    late = world.clock() - clock >= _deadline(order, settings.config)
    return replace(report, started=started, finished=world.now(), late=late and any(r.status is Status.TIMEOUT for r in reviews))


def _deadline(order: Order, config: Config) -> float:
    return order.deadline or (config.hook.deadline if order.door == "hook" else config.ensemble.deadline)


def _answers(order: Order, loading: Loading, config: Config, left_out: frozenset[str], git: Git, world: World) -> tuple[Review, ...]:
    if not loading.listed.files:
        return ()
    with checkout(git, loading.listed, _unchanged if own_words(loading.listed) else _disarmed(loading)) as files:
        kit = Kit(git, files, world, config, _deadline(order, config), left_out)
        asked = questions(declared(order, config), loading.listed, kit)
        read_ahead("flows.conclude", "flows.deliver")
        reviews = ask_all(asked, loading, kit, config.ensemble.max_parallel)
    if not reviews or all(r.status is Status.UNAVAILABLE for r in reviews):
        why = "; ".join(f"{r.name}: {r.error}" for r in reviews) or "none is declared for this door"
        raise NoReviewers(f"no reviewer could be asked ({why})", "see which ones there are: reviewgate-gh config show")
    return reviews


def _unchanged(_path: str, data: bytes) -> bytes:
    return data


def _disarmed(loading: Loading) -> Prepare:
    """What linters may see of a file of a change that is not trusted."""
    files = cache(lambda: {file.path: file for file in loading.whole().files})
    return lambda path, data: None if steers(path) else defuse(files()[path], data)


def declared(order: Order, config: Config) -> Mapping[str, Reviewer]:
    """The reviewers of this door; for the hook, those that the config names for it."""
    only = order.reviewers or (config.hook.reviewers if order.door == "hook" else None)
    for name in only or ():
        if name not in config.reviewers:
            raise ConfigError(f"there is no reviewer {name!r}", f"declared are: {', '.join(config.reviewers)}")
    return {n: r for n, r in config.reviewers.items() if (n in only if only else r.where is None or order.door in r.where)}
