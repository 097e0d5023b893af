"""THE pipeline: a change in, one report out. Every entry point calls `review`. Its twelve steps:

1. change: from git's objects, never from the work tree
2. settings: of the trusted side
3. reviews: all reviewers at once
4. answers: read strictly
5. anchor: findings at the code that they quote
6. differ: which of them are about this change
7. merge, scope, waivers (the dismissals of a pull request are applied when it is published)
8. verify and audit: what models found
9. coverage: who read which file
10. policy: the verdict
11. report
12. deliver: the caller's
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..ensemble.models import model_reviewers
from ..ensemble.options import CollectedAnswers, ReviewOptions, ReviewRun
from ..findings.bounds import bound_findings
from ..findings.causes import merge_with_broken_uses
from ..findings.merge import merge_findings, merge_patterns
from ..findings.rule_weights import apply_rule_weights
from ..findings.scope import ChangedLines, anchor_findings, mark_outside_change
from ..findings.suppressions import SuppressionFilter, apply_suppressions
from ..findings.waivers import apply_waivers, former_waivers
from ..git import Git
from ..model.config import KEYLESS, Config, Policy
from ..model.errors import DeadlinePassed
from ..model.finding import Finding
from ..model.report import Report, ReviewRow
from ..model.review import Review, ReviewStatus
from ..reviewers._lines import adjust_line_ends
from ..reviewers.linters import load_linters
from ..settings.change import LoadingChange, start_loading
from ..settings.settings import load_settings, require_floor_reviewers
from ..system import plugins
from ..system.environment import Environment
from ..system.parallel import BackgroundCall
from ..system.progress import Progress
from ..text.paths import exclusion_notices, matching_paths
from ..trust.attempts import note_refused_skip
from ..trust.may_run import refused_trigger_reviewers
from .coverage import (
    build_change_coverage,
    uncommitted_notices,
    unknown_file_notices,
    unread_notices,
)
from .exclusion import excluded_before, excluded_paths
from .locate import locate_findings
from .policy import check_conservation, decide_verdict, find_unread
from .report import build_overdue_report, build_report
from .reviews import allowed_reviewers, collect_reviews, join_portions
from .skip import announce_and_report_skip

if TYPE_CHECKING:
    from ..ensemble.ensemble import Ensemble


_NO_TIME = (
    "hook.deadline covers the whole push and has passed: raise it, or push fewer refs at once"
)

_LEAST_GRACE, _MOST_GRACE = 2.0, 10.0


def review(
    options: ReviewOptions, git: Git, environment: Environment, begun: LoadingChange | None = None
) -> Report:
    """Review a range; `begun` where git is reading it already. An override that was asked for
    reviews nothing, and says so.

    Raises:
        GateError: the config is wrong, or no declared reviewer can be asked; a reviewer that breaks
            is in the report instead.
    """
    if environment.skip_requested:
        return announce_and_report_skip(options.range, git, environment)
    note_refused_skip(git, environment)
    started = environment.now()
    run = start_run(options, git, environment, begun)  # 1, 2
    collected = options.collect(run) if options.collect else None
    ensemble = run_ensemble(run, collected)
    reviews = (
        collect_reviews(run, ensemble)  # 3, 4
        if collected is None
        else join_portions(collected, run, ensemble)
    )
    answers = tuple(map(bound_findings, reviews))
    run.loading.complete()  # however long git takes: what was answered can still be judged
    try:
        # Steps 5 to 11
        report = BackgroundCall(_judge, run, answers, ensemble).result(_seconds_left(run))
    except TimeoutError:
        report = build_overdue_report(run, (*answers, *options.imported_reviews))
    late = report.late or is_used_up(run, ensemble, report.reviews)
    if collected is not None:
        late = late or collected.late
        report = replace(report, notices=(*report.notices, *collected.messages))
    return replace(report, started=started, finished=environment.now(), late=late)


def review_by_hand(
    options: ReviewOptions, git: Git, environment: Environment, begun: LoadingChange | None
) -> Report:
    """The same for a person at the work tree, whose changes that are not committed are named."""
    beside = BackgroundCall(uncommitted_notices, git, options.range.head, environment)
    report = review(options, git, environment, begun)
    return replace(report, notices=(*report.notices, *beside.result()))


def _judge(run: ReviewRun, answers: Sequence[Review], ensemble: "Ensemble | None") -> Report:
    """What the answers come to; it has the rest of the run's deadline."""
    changed_lines = ChangedLines(run.change)
    imported = [
        adjust_line_ends(bound_findings(review), run.change, run.git)
        for review in run.options.imported_reviews
    ]
    reviews: Sequence[Review] = (*answers, *imported)
    findings = _findings(run, reviews, changed_lines)  # 5 to 7
    if ensemble is not None:
        reviews, findings = _verify_and_audit(run, ensemble, reviews, findings, changed_lines)  # 8
    findings = merge_patterns(findings)
    check_conservation(reviews, findings)
    unread = find_unread(
        run.change, reviews, run.excluded, ensemble.context().cut_paths if ensemble else ()
    )
    coverage = build_change_coverage(run, reviews, unread)  # 9
    # Step 10
    verdict = decide_verdict(
        findings, reviews, unread, run.config.policy.finding_threshold, coverage
    )
    notices = (
        *unknown_file_notices(run, imported),
        *(f"{r.part or r.reviewer}: {r.note}" for r in reviews if r.note),
        *(ensemble.all_notices(reviews) if ensemble else ()),
        *unread_notices(run, unread),
        *filter(None, (former_waivers(findings),)),
    )
    report = build_report(run, reviews, findings, verdict)  # 11
    report = replace(report, coverage=coverage, notices=(*report.notices, *notices))
    if ensemble is None:
        return report
    context = ensemble.context()
    return replace(report, context=context.pack.listed, known=context.known)


def _findings(
    run: ReviewRun, reviews: Sequence[Review], changed_lines: ChangedLines
) -> tuple[Finding, ...]:
    """Everything that was found, each finding in its state; patterns are not gathered yet."""
    # Step 5
    anchored = [
        found for r in reviews for found in anchor_findings(r.findings, changed_lines, r.name)
    ]
    located = locate_findings(anchored, run.change, run.git)
    weighed = apply_rule_weights(located, run.config.rule_weights) if run.config.rules else located
    placed = mark_outside_change(weighed, changed_lines)  # 6
    changed = {file.path for file in run.change.files}
    merged = merge_with_broken_uses(merge_findings(placed, _own_tools()), changed)  # 7
    excused = apply_suppressions(
        merged, changed_lines, run.change.suppressions_hold, run.suppressions.widened
    )
    return apply_waivers(
        excused, run.settings.waivers, run.environment.today(), run.settings.former_names
    )


def _own_tools() -> tuple[str, ...]:
    """The names under which our linters and checks report."""
    return (*KEYLESS, *(name.replace("_", "-") for name in plugins.names("linters")))


def _verify_and_audit(
    run: ReviewRun,
    ensemble: "Ensemble",
    reviews: Sequence[Review],
    findings: tuple[Finding, ...],
    changed_lines: ChangedLines,
) -> tuple[Sequence[Review], tuple[Finding, ...]]:
    """One question verifies what models found; each round of the audit knows all before it."""
    from ..ensemble.verify import start_audit, verify_findings

    models = ensemble.models_that_answered(reviews)
    if not models:
        return reviews, findings
    with run.progress:
        if across := ensemble.ask_across(models[0], reviews):
            reviews = (*reviews, across)
            findings = _findings(run, reviews, changed_lines)
        verification = verify_findings(ensemble, models, findings)
        reviews, findings = (*reviews, *verification.reviews), verification.apply(findings)
        audit = start_audit(ensemble, models, findings)
        while audit.continues:
            review = audit.ask()
            reviews = (*reviews, review)
            findings = verification.apply(_findings(run, reviews, changed_lines))
            audit = audit.after(review, findings)
    return reviews, findings


def start_run(
    options: ReviewOptions, git: Git, environment: Environment, begun: LoadingChange | None
) -> ReviewRun:
    """The run: its change, as far as git has read it, and the settings of the trusted side."""
    began = environment.clock()
    require_floor_reviewers(options.reviewers, options.entry_point, options.policy, environment)
    loading = begun or start_loading(git, options.range, environment, options.trusted)
    settings = load_settings(git, loading.without_hunks, environment, options.policy)
    seconds = _deadline(options, settings.config)
    patterns = settings.config.policy.exclude
    excluded = excluded_paths(loading.without_hunks, patterns, git)
    config = replace(
        settings.config, reviewers={**settings.config.reviewers, **options.extra_reviewers}
    )
    refused = {
        **settings.refused_reviewers,
        **refused_trigger_reviewers(
            options.extra_reviewers, settings.approved, loading.without_hunks, git
        ),
    }
    notices = (*settings.notices, *exclusion_notices(excluded))
    settings = replace(settings, config=config, notices=notices, refused_reviewers=refused)
    return ReviewRun(
        options,
        git,
        environment,
        loading,
        settings,
        excluded,
        began,
        seconds,
        SuppressionFilter(lambda: loading.complete().files),
        options.progress or Progress(environment),
        excluded_before(loading.without_hunks, patterns, excluded, git),
    )


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


def _seconds_left(run: ReviewRun) -> float:
    """Of the run, and some beyond it: reviewers who use all of it leave none to judge them in."""
    grace = min(_MOST_GRACE, max(_LEAST_GRACE, run.seconds / 10))
    return max(0.0, run.deadline - run.environment.clock()) + grace


def is_used_up(
    run: ReviewRun, ensemble: "Ensemble | None", reviews: Iterable[Review | ReviewRow]
) -> bool:
    """A reviewer has not answered in time, and there was no more time for it."""
    spare = ensemble.min_seconds if ensemble else 0
    used_up = run.environment.clock() >= run.deadline - spare
    return used_up and any(r.status is ReviewStatus.TIMEOUT for r in reviews)


def run_ensemble(run: ReviewRun, collected: CollectedAnswers | None = None) -> "Ensemble | None":
    """The language models of this entry point, if any, and if this run asks them; after what they
    said on other machines."""
    wanted, portion = model_reviewers(allowed_reviewers(run)), run.options.portion
    if not wanted or not run.loading.without_hunks.files or (portion and not portion.batches):
        return None
    from ..ensemble.ensemble import build_ensemble, with_collected_answers

    ensemble = build_ensemble(run, wanted, _findings)
    return with_collected_answers(ensemble, collected) if collected else ensemble


def preload_plugins() -> None:
    """Import the plug-ins that almost every review needs, while waiting for git."""
    for name in ("builtin", "change", "linters"):
        plugins.load("reviewers", name)
    load_linters()
    matching_paths((), Policy().exclude)
