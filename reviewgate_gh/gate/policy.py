"""From findings and reviews to a verdict. Nothing passes without positive evidence."""

from collections.abc import Iterable, Sequence

from ..ensemble.consensus import (
    decisive_findings,
    lenses_without_answer,
    quorum,
    unfounded_reasons,
    without_lone_lenses,
)
from ..model.change import Change
from ..model.coverage import Coverage
from ..model.errors import Exit, InternalError
from ..model.finding import Confidence, Finding, FindingState, Priority
from ..model.report import Outcome, Report, ReviewRow, Verdict, group_by_end, unread_paths
from ..model.review import Review, ReviewStatus

_UNREAD = (
    "too large (policy.max_file_bytes), unreadable, beyond what models are shown, or of a type "
    "that no reviewer supports"
)
_MOST_NAMED = 5
_NOT_ASKED = (ReviewStatus.UNAVAILABLE, ReviewStatus.SKIPPED)


def decide_verdict(
    findings: Sequence[Finding],
    reviews: Sequence[Review | ReviewRow],
    not_reviewed: Sequence[str],
    threshold: str,
    coverage: Coverage,
) -> Verdict:
    """The verdict: block at or above the threshold, inconclusive when evidence is missing, concerns
    below it, where a model is not certain, and where one of its lenses is missing, else pass.

    `not_reviewed` are the paths that nobody read, and may be those of an earlier verdict under the
    same coverage.
    """
    open_ones = [f for f in findings if f.state is FindingState.OPEN]
    certain = decisive_findings(findings)
    blocking = [f for f in certain if f.is_located and f.priority.reaches(threshold)]
    gone = unread_paths(not_reviewed, coverage)
    gaps = [coverage.reason] if coverage.missing else []
    doubts = [*_doubts(open_ones, threshold), *_unheard(lenses_without_answer(reviews))]
    missing = [
        *_missing(without_lone_lenses(reviews)),
        *unfounded_reasons(reviews),
        *_unplaced(certain),
        *_unread(gone),
        *(gaps if coverage.mode == "require" else ()),
    ]
    reasons = [
        *_blocking_reason(blocking, threshold),
        *missing,
        *(gaps if coverage.mode == "report" else ()),
        *doubts,
    ]
    if blocking:
        outcome = Outcome.BLOCK
    elif missing:
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = Outcome.CONCERNS if certain or gaps or doubts else Outcome.PASS
    counts = {p.value: sum(f.priority is p for f in open_ones) for p in Priority}
    models = [review for review in reviews if review.asked is not None]
    paths = tuple(sorted({*gone, *(row.path for row in coverage.missing)}))
    return Verdict(outcome, tuple(reasons), counts, paths, quorum(models) if models else "")


def outcome_without_coverage(report: Report) -> Outcome:
    """The outcome as if no code had been left without a reviewer: whoever asks for more than that
    counts these files apart."""
    if report.skipped or not report.coverage.missing:
        return report.verdict.outcome
    return decide_verdict(
        report.findings, report.reviews, report.unread, report.threshold, Coverage()
    ).outcome


def _blocking_reason(blocking: Sequence[Finding], threshold: str) -> list[str]:
    return (
        [f"{len(blocking)} finding{'s' * (len(blocking) != 1)} at or above {threshold}"]
        if blocking
        else []
    )


def _doubts(open_ones: Iterable[Finding], threshold: str) -> list[str]:
    """What a model says would block if it were certain is for a person to decide."""
    many = sum(
        finding.confidence is Confidence.LOW
        and not finding.rule
        and (finding.priority.reaches("P1") or finding.priority.reaches(threshold))
        for finding in open_ones
    )
    what = "finding of a model needs" if many == 1 else "findings of models need"
    return [f"{many} critical {what} human review"] if many else []


def _unheard(reviews: Iterable[Review | ReviewRow]) -> list[str]:
    return [f"{each.name} gave no answer that can be read: {each.error}" for each in reviews]


def _missing(reviews: Iterable[Review | ReviewRow]) -> list[str]:
    return [
        f"{name} gave no answer ({review.status.value}): {review.error}"
        for name, review in group_by_end(
            review
            for review in reviews
            if review.status.broken or (review.required and review.status in _NOT_ASKED)
        )
    ]


def _unplaced(certain: Iterable[Finding]) -> list[str]:
    places: dict[str, list[str]] = {}
    for f in certain:
        if not f.is_located and f.priority.reaches("P1"):
            places.setdefault(
                f"{f.rule or ', '.join(f.sources)} reports {f.priority.value}", []
            ).append(f.location)
    return [
        (
            f"{said} at {named[0]}{f' and {len(named) - 1} more' * (len(named) > 1)}, which is not "
            "in the diff"
        )
        for said, named in places.items()
    ]


def _unread(not_reviewed: Sequence[str]) -> list[str]:
    if not not_reviewed:
        return []
    return [f"{len(not_reviewed)} file{'s' * (len(not_reviewed) != 1)} not reviewed: {_UNREAD}"]


def verdict_messages(verdict: Verdict) -> tuple[str, ...]:
    """Its reasons, and which files nobody has read, for those who see no report."""
    named, more = verdict.not_reviewed[:_MOST_NAMED], len(verdict.not_reviewed) - _MOST_NAMED
    return (
        *verdict.reasons,
        *([f"not reviewed: {', '.join(named)}{f' and {more} more' * (more > 0)}"] if named else []),
    )


def find_unread(
    change: Change, reviews: Iterable[Review], excluded: Iterable[str], cut: Iterable[str] = ()
) -> tuple[str, ...]:
    """Changed files that nobody has read, except excluded ones; and those `cut` for models."""
    covered = {
        path for review in reviews if review.status is ReviewStatus.OK for path in review.covered
    }
    unread_paths = {f.path for f in change.files if f.path not in covered or f.is_without_hunks}
    return tuple(sorted({*unread_paths.difference(excluded), *cut}))


def check_conservation(reviews: Iterable[Review], findings: Sequence[Finding]) -> None:
    """Found equals kept plus set aside: no path may lose a finding.

    Raises:
        InternalError: the sums differ.
    """
    reviews = tuple(reviews)
    found, outside = sum(r.found for r in reviews), sum(r.outside for r in reviews)
    if found != len(findings) + outside:
        raise InternalError(
            f"{found} findings were reported, {len(findings)} are in the report and {outside} on "
            "unchanged lines"
        )


def outcome_exit_code(outcome: Outcome, mode: str) -> Exit:
    """The process's exit code; `warn` lets a block through and nothing else."""
    if outcome is Outcome.INCONCLUSIVE:
        return Exit.INCONCLUSIVE
    return Exit.BLOCK if outcome is Outcome.BLOCK and mode == "block" else Exit.OK
