"""THE pipeline: a change in, one report out. Every door calls this."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .. import __version__
from ..model.change import Change, FileDiff
from ..model.config import Config, Reviewer
from ..model.errors import ConfigError, NoReviewers
from ..model.finding import Finding
from ..model.report import ChangedFile, Report, Reviewed, ReviewRow, Verdict
from ..model.review import Review, Status
from ..model.selection import Range
from ..reviewers.linters import steers
from ..steps.exclude import excluded, exclusion
from ..steps.merge import merge
from ..steps.patterns import gather_patterns
from ..steps.policy import check_conservation, judge, uncovered
from ..steps.scope import Scope, anchor, mark_outside
from ..steps.suppress import apply_suppressions, defuse
from ..steps.waivers import apply_waivers, used_waivers
from ..system.checkout import checkout
from ..system.git import Git
from ..system.kit import Kit
from ..system.world import World
from .ask import ask_all, questions
from .changes import load_change
from .settings import Settings, load_settings


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


def review(order: Order, git: Git, world: World) -> Report:
    """Review a range.

    Raises:
        GateError: the config is wrong, or no declared reviewer can be asked; a reviewer that breaks is in the report instead.
    """
    started, clock = world.now(), world.clock()
    change = load_change(git, order.range, world, order.trusted)
    settings = load_settings(git, change, world, order.policy)
    left_out = excluded((f.path for f in change.files), settings.config.policy.exclude)
    settings = replace(settings, notices=(*settings.notices, *exclusion(left_out)))
    reviews = (*_answers(order, change, settings.config, left_out, git, world), *order.imported)
    scope = Scope(change)
    findings = _findings(reviews, scope, change, settings, world)
    check_conservation(reviews, findings)
    not_reviewed = uncovered(change, reviews, left_out)
    verdict = judge(findings, reviews, not_reviewed, settings.config.policy.finding_threshold)
    report = _report(order, change, settings, reviews, findings, verdict, git, world)
    late = world.clock() - clock >= _deadline(order, settings.config)
    return replace(report, started=started, finished=world.now(), late=late and any(r.status is Status.TIMEOUT for r in reviews))


def _deadline(order: Order, config: Config) -> float:
    return order.deadline or (config.hook.deadline if order.door == "hook" else config.ensemble.deadline)


def _answers(order: Order, change: Change, config: Config, left_out: frozenset[str], git: Git, world: World) -> tuple[Review, ...]:
    if not change.files:
        return ()
    with checkout(git, change, (lambda _file, data: data) if _own_words(change) else _disarmed) as files:
        kit = Kit(git, files, world, config, _deadline(order, config), left_out)
        asked = questions(declared(order, config), change, kit)
        reviews = ask_all(asked, change, kit, config.ensemble.max_parallel)
    if not reviews or all(r.status is Status.UNAVAILABLE for r in reviews):
        why = "; ".join(f"{r.name}: {r.error}" for r in reviews) or "none is declared for this door"
        raise NoReviewers(f"no reviewer could be asked ({why})", "see which ones there are: reviewgate-gh config show")
    return reviews


def _disarmed(file: FileDiff, data: bytes) -> bytes | None:
    """A file of a change that is not trusted, as linters may see it."""
    return None if steers(file.path) else defuse(file, data)


def declared(order: Order, config: Config) -> Mapping[str, Reviewer]:
    """The reviewers of this door; for the hook, those that the config names for it."""
    only = order.reviewers or (config.hook.reviewers if order.door == "hook" else None)
    for name in only or ():
        if name not in config.reviewers:
            raise ConfigError(f"there is no reviewer {name!r}", f"declared are: {', '.join(config.reviewers)}")
    return {n: r for n, r in config.reviewers.items() if (n in only if only else r.where is None or order.door in r.where)}


def _findings(reviews: Sequence[Review], scope: Scope, change: Change, settings: Settings, world: World) -> tuple[Finding, ...]:
    anchored = [found for r in reviews for found in anchor(r.findings, scope, r.name)]
    placed = mark_outside(anchored, scope)
    excused = apply_suppressions(merge(placed), scope, _own_words(change))
    return gather_patterns(apply_waivers(excused, settings.waivers, world.today(), settings.former))


def _own_words(change: Change) -> bool:
    """Suppressions in the code hold: the change is the user's, or it is a whole tree, in which none is new."""
    return change.trusted or change.whole


def _report(
    order: Order,
    change: Change,
    settings: Settings,
    reviews: Sequence[Review],
    findings: Sequence[Finding],
    verdict: Verdict,
    git: Git,
    world: World,
) -> Report:
    config = settings.config
    return Report(
        review_id=world.new_id(),
        change=_reviewed(change),
        reviews=tuple(_row(r) for r in reviews),
        findings=tuple(findings),
        verdict=verdict,
        mode=config.mode,
        threshold=config.policy.finding_threshold,
        config_source=settings.source,
        config_digest=settings.digest,
        tools={"reviewgate-gh": __version__, **{(r.part or r.reviewer): r.version for r in reviews if r.version}},
        actor=world.env.get("GITHUB_ACTOR") or git.user[0],
        waivers=used_waivers(findings, settings.waivers),
        notices=settings.notices,
    )


def _reviewed(change: Change) -> Reviewed:
    files = tuple(ChangedFile(f.path, f.status, f.old_path if f.old_path != f.path else "") for f in change.files)
    return Reviewed(change.base, change.head, change.trusted, change.rules, tuple(c.oid for c in change.commits), files, change.notes)


def _row(review: Review) -> ReviewRow:
    return ReviewRow(
        review.reviewer, review.part, review.status, review.found, review.outside, len(review.covered),
        review.error, review.version, review.required, review.seconds,
    )  # fmt: skip
