"""From the reviewers' answers to the report: scope, merge, excuses, verdict. Read by Python while the reviewers work."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from .. import __version__
from ..model.change import Change
from ..model.finding import Finding
from ..model.report import ChangedFile, Report, Reviewed, ReviewRow
from ..model.review import Review
from ..steps.exclude import oversize
from ..steps.merge import merge
from ..steps.patterns import gather_patterns
from ..steps.policy import check_conservation, judge, uncovered
from ..steps.scope import Scope, anchor, mark_outside
from ..steps.suppress import apply_suppressions
from ..steps.waivers import apply_waivers, used_waivers
from ..system.git import Git
from ..system.git.objects import read_sizes
from ..system.world import World
from .settings import Settings

if TYPE_CHECKING:
    from .ensemble import Ensemble


def conclude(
    change: Change,
    reviews: Sequence[Review],
    settings: Settings,
    excluded: frozenset[str],
    git: Git,
    world: World,
    ensemble: "Ensemble | None" = None,
) -> Report:
    """What the answers come to; `excluded` are the paths that linters and models did not read."""
    scope = Scope(change)
    findings = _findings(reviews, change, scope, settings, world)
    cut: tuple[str, ...] = ()
    notices = settings.notices
    if ensemble is not None:
        from .examine import examine

        seen = examine(ensemble, reviews, scope, lambda every: _findings(every, change, scope, settings, world))
        reviews, findings, cut, notices = seen.reviews, seen.findings, ensemble.material().cut, (*notices, *seen.notices)
    findings = gather_patterns(findings)
    check_conservation(reviews, findings)
    not_reviewed = tuple(sorted({*uncovered(change, reviews, excluded), *cut}))
    verdict = judge(findings, reviews, not_reviewed, settings.config.policy.finding_threshold)
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
        tools={"reviewgate-gh": __version__, **{(r.part or r.reviewer): r.version for r in reviews if r.version and not r.asked}},
        actor=world.env.get("GITHUB_ACTOR") or git.user[0],
        waivers=used_waivers(findings, settings.waivers),
        notices=(*notices, *oversize(_sizes(change, frozenset(not_reviewed), git), config.policy.max_file_bytes)),
    )


def _sizes(change: Change, paths: Collection[str], git: Git) -> dict[str, int]:
    """Bytes by path of the text files among the paths, as far as git has them."""
    files = [file for file in change.files if file.is_text_file and file.path in paths]
    by_oid = read_sizes(git, (file.oid for file in files))
    return {file.path: by_oid[file.oid] for file in files if file.oid in by_oid}


def _findings(reviews: Sequence[Review], change: Change, scope: Scope, settings: Settings, world: World) -> tuple[Finding, ...]:
    """Everything that was found, each finding in its state; patterns are not gathered yet."""
    anchored = [found for r in reviews for found in anchor(r.findings, scope, r.name)]
    placed = mark_outside(anchored, scope)
    excused = apply_suppressions(merge(placed), scope, change.own_words)
    return apply_waivers(excused, settings.waivers, world.today(), settings.former)


def _reviewed(change: Change) -> Reviewed:
    files = tuple(ChangedFile(f.path, f.status, f.old_path if f.old_path != f.path else "") for f in change.files)
    return Reviewed(change.base, change.head, change.trusted, change.rules, tuple(c.oid for c in change.commits), files, change.notes)


def _row(review: Review) -> ReviewRow:
    return ReviewRow(
        review.reviewer, review.part, review.status, review.found, review.outside, len(review.covered),
        review.error, review.version, review.required, review.seconds, review.said, review.asked,
        review.hard,
    )  # fmt: skip
