"""From the reviewers' answers to the report: scope, merge, excuses, verdict. Read by Python while
the reviewers work."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import __version__
from ..findings.merge import merge_findings, merge_patterns
from ..findings.scope import ChangedLines, anchor_findings, mark_outside_change
from ..findings.suppressions import apply_suppressions
from ..findings.waivers import apply_waivers, used_waivers
from ..git import Git
from ..git.objects import read_sizes
from ..model.change import Change
from ..model.coverage import Coverage
from ..model.finding import Confidence, Finding, FindingState
from ..model.report import ChangedFile, Outcome, Report, ReviewedChange, ReviewRow, Verdict
from ..model.review import Review
from ..reporters._words import count_noun
from ..settings.settings import AppliedSettings
from ..system.environment import Environment
from ..text.paths import oversize_notices
from .coverage import build_change_coverage
from .policy import check_conservation, decide_verdict, find_unread

if TYPE_CHECKING:
    from ..ensemble.reviews import Ensemble


_LATE = (
    "the run's deadline passed before the findings could be judged: raise it (hook.deadline, "
    "ensemble.deadline), or review less at a time"
)
_NOT_JUDGED = "not judged: the run's deadline had passed"


def build_report(
    change: Change,
    reviews: Sequence[Review],
    settings: AppliedSettings,
    excluded: frozenset[str],
    git: Git,
    environment: Environment,
    ensemble: "Ensemble | None" = None,
) -> Report:
    """What the answers come to; `excluded` are the paths that linters and models did not read."""
    changed_lines = ChangedLines(change)
    findings = _apply_states(reviews, change, changed_lines, settings, environment)
    cut: tuple[str, ...] = ()
    notices = settings.notices
    if ensemble is not None:
        from ..ensemble.verify import verify_and_audit

        seen = verify_and_audit(
            ensemble,
            reviews,
            changed_lines,
            lambda every: _apply_states(every, change, changed_lines, settings, environment),
        )
        reviews, findings, cut, notices = (
            seen.reviews,
            seen.findings,
            ensemble.context().cut_paths,
            (*notices, *seen.notices),
        )
    findings = merge_patterns(findings)
    check_conservation(reviews, findings)
    not_reviewed = tuple(sorted({*find_unread(change, reviews, excluded), *cut}))
    config = settings.config
    coverage = build_change_coverage(change, reviews, excluded, not_reviewed, config, git)
    verdict = decide_verdict(
        findings, reviews, not_reviewed, config.policy.finding_threshold, coverage
    )
    large = oversize_notices(
        _sizes(change, frozenset(not_reviewed), git), settings.config.policy.max_file_bytes
    )
    report = _report_without_verdict(change, reviews, findings, settings, git, environment)
    waivers = used_waivers(findings, settings.waivers)
    return replace(
        report, verdict=verdict, coverage=coverage, waivers=waivers, notices=(*notices, *large)
    )


def build_overdue_report(
    change: Change,
    reviews: Sequence[Review],
    settings: AppliedSettings,
    git: Git,
    environment: Environment,
) -> Report:
    """The report where no time is left to judge what was found: all of it, as the reviewers said
    it, and no verdict.

    Nothing is merged, waived or placed, so these findings are for people to look at: none is
    posted, and none becomes an issue.
    """
    findings = tuple(_unjudged(found, review) for review in reviews for found in review.findings)
    check_conservation(reviews, findings)
    verdict = replace(
        decide_verdict(findings, reviews, (), settings.config.policy.finding_threshold, Coverage()),
        outcome=Outcome.INCONCLUSIVE,
    )
    verdict = replace(
        verdict, reasons=(f"{_LATE} ({count_noun(len(findings), 'finding')})", *verdict.reasons)
    )
    return replace(
        _report_without_verdict(change, reviews, findings, settings, git, environment),
        verdict=verdict,
        late=True,
    )


def _unjudged(finding: Finding, review: Review) -> Finding:
    if finding.state is not FindingState.OPEN:
        return finding
    return replace(
        finding,
        sources=finding.sources or (review.name,),
        confidence=Confidence.LOW,
        note=_NOT_JUDGED,
    )


def _report_without_verdict(
    change: Change,
    reviews: Sequence[Review],
    findings: tuple[Finding, ...],
    settings: AppliedSettings,
    git: Git,
    environment: Environment,
) -> Report:
    """All but what the findings come to."""
    config = settings.config
    return Report(
        review_id=environment.new_id(),
        change=_reviewed(change),
        reviews=tuple(_row(r) for r in reviews),
        findings=findings,
        verdict=Verdict(Outcome.INCONCLUSIVE),
        mode=config.mode,
        threshold=config.policy.finding_threshold,
        config_source=settings.source,
        config_digest=settings.digest,
        tools={
            "reviewgate-gh": __version__,
            **{(r.part or r.reviewer): r.version for r in reviews if r.version and not r.asked},
        },
        actor=environment.variables.get("GITHUB_ACTOR") or git.user[0],
        notices=settings.notices,
    )


def _sizes(change: Change, paths: Collection[str], git: Git) -> dict[str, int]:
    """Bytes by path of the text files among the paths, as far as git has them."""
    files = [file for file in change.files if file.is_text_file and file.path in paths]
    by_oid = read_sizes(git, (file.oid for file in files))
    return {file.path: by_oid[file.oid] for file in files if file.oid in by_oid}


def _apply_states(
    reviews: Sequence[Review],
    change: Change,
    changed_lines: ChangedLines,
    settings: AppliedSettings,
    environment: Environment,
) -> tuple[Finding, ...]:
    """Everything that was found, each finding in its state; patterns are not gathered yet."""
    anchored = [
        found for r in reviews for found in anchor_findings(r.findings, changed_lines, r.name)
    ]
    placed = mark_outside_change(anchored, changed_lines)
    excused = apply_suppressions(merge_findings(placed), changed_lines, change.suppressions_hold)
    return apply_waivers(excused, settings.waivers, environment.today(), settings.former_names)


def _reviewed(change: Change) -> ReviewedChange:
    files = tuple(
        ChangedFile(f.path, f.status, f.old_path if f.old_path != f.path else "")
        for f in change.files
    )
    commits = tuple(commit.oid for commit in change.commits)
    return ReviewedChange(
        change.base,
        change.head,
        change.trusted,
        change.settings_commit,
        commits,
        files,
        change.notes,
        change.made_here,
    )


def _row(review: Review) -> ReviewRow:
    return ReviewRow(
        review.reviewer, review.part, review.status, review.found, review.outside,
        len(review.covered),
        review.error, review.version, review.required, review.seconds, review.said, review.asked,
        review.hard,
    )  # fmt: skip
