"""The report of a run: what was reviewed, by whom, with what result."""

from collections.abc import Sequence

from msgspec.structs import replace

from .. import __version__
from ..ensemble.options import ReviewRun
from ..findings.waivers import used_waivers
from ..model.change import Change
from ..model.coverage import Coverage
from ..model.finding import Confidence, Finding, FindingState
from ..model.report import ChangedFile, Outcome, Report, ReviewedChange, ReviewRow, Verdict
from ..model.review import Review
from ..reporters._words import count_noun
from ..trust.attempts import attempt_notices
from ..trust.own_state import approvals_changed
from .policy import check_conservation, decide_verdict

_LATE = (
    "the run's deadline passed before the findings could be judged: raise it (hook.deadline, "
    "ensemble.deadline), or review less at a time"
)
_NOT_JUDGED = "not judged: the run's deadline had passed"


def build_report(
    run: ReviewRun, reviews: Sequence[Review], findings: tuple[Finding, ...], verdict: Verdict
) -> Report:
    """The report with the notices of the settings; coverage and times are not in it yet."""
    config, settings = run.config, run.settings
    return Report(
        review_id=run.environment.new_id(),
        change=_reviewed(run.change),
        reviews=tuple(_row(r, run.began) for r in reviews),
        findings=findings,
        verdict=verdict,
        mode=config.mode,
        threshold=config.policy.finding_threshold,
        config_source=settings.source,
        config_digest=settings.digest,
        tools={
            "reviewgate-gh": __version__,
            **{(r.part or r.reviewer): r.version for r in reviews if r.version and not r.asked},
        },
        actor=run.environment.variables.get("GITHUB_ACTOR") or run.git.user[0],
        notices=(*settings.notices, *_attempts(run)),
        waivers=used_waivers(findings, settings.waivers),
    )


def with_repository(report: Report, address: str) -> Report:
    """The report with the address of the page of the repository that has its commits."""
    return replace(report, change=replace(report.change, repository=address))


def build_overdue_report(run: ReviewRun, reviews: Sequence[Review]) -> Report:
    """The report where no time is left to judge what was found: all of it, as the reviewers said
    it, and no verdict.

    Nothing is merged, waived or placed, so these findings are for people to look at: none is
    posted, and none becomes an issue.
    """
    findings = tuple(_unjudged(found, review) for review in reviews for found in review.findings)
    check_conservation(reviews, findings)
    verdict = replace(
        decide_verdict(findings, reviews, (), run.config.policy.finding_threshold, Coverage()),
        outcome=Outcome.INCONCLUSIVE,
    )
    verdict = replace(
        verdict, reasons=(f"{_LATE} ({count_noun(len(findings), 'finding')})", *verdict.reasons)
    )
    return replace(build_report(run, reviews, findings, verdict), late=True)


def _unjudged(finding: Finding, review: Review) -> Finding:
    if finding.state is not FindingState.OPEN:
        return finding
    return replace(
        finding,
        sources=finding.sources or (review.name,),
        confidence=Confidence.LOW,
        note=_NOT_JUDGED,
    )


def _attempts(run: ReviewRun) -> tuple[str, ...]:
    """What agents tried in this clone; it is nobody's business on somebody else's pull request."""
    if run.options.range.is_foreign:
        return ()
    changed = approvals_changed(run.git)
    return (*attempt_notices(run.git, run.environment), *([changed] if changed else []))


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


def _row(review: Review, run_began: float) -> ReviewRow:
    began = round(max(review.began - run_began, 0), 3)
    return ReviewRow(
        review.reviewer, review.part, review.status, review.found, review.outside,
        len(review.covered),
        review.error, review.version, review.required, review.seconds, review.said, review.asked,
        review.hard, began,
    )  # fmt: skip
