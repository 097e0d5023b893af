"""What publishing does: a pure plan from the report and what GitHub says. An unchanged second run
plans nothing."""

from collections.abc import Iterable, Iterator, Sequence

from ..findings.markers import source_id
from ..model.finding import FindingState
from ..model.pull_request import Bucket, Thread
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus
from .actions import (
    MinimizeDuplicate,
    PlacedFinding,
    Placement,
    PublishAction,
    PublishPlan,
    RemoveListed,
    ReopenThread,
    ResolveThread,
    UpdateSummary,
    WithdrawReview,
)
from .comments import find_duplicates, has_other_replies
from .event import EventDecision, GitHubReviewEvent
from .placement import AlreadyPosted, PlacementLimits, place_findings
from .planned_posts import PostSubject, planned_posts, planned_update, unsaid_posts
from .publish_context import PublishContext, PublishLimits
from .summary import HIDDEN, Absence, StandingSummary, SummaryParts, summary_parts

_ASKED = "CHANGES_REQUESTED"


def plan_publication(
    report: Report, context: PublishContext, decision: EventDecision, wishes: PublishLimits
) -> PublishPlan:
    """The actions in order: what no longer holds goes first, then what is new is said, then what is
    settled or said twice is closed.

    A report about another commit than the head closes nothing, and says nothing once the head has
    been reviewed: the newest review wins.
    """
    placed = place_findings(
        report.findings, _before(context), PlacementLimits(wishes.inline_from, wishes.max_inline)
    )
    gone = tuple(_settled(report, context, wishes))
    told: tuple[PublishAction, ...] = ()
    if not _overtaken(report, context):
        parts = _summary_parts(report, placed, context, gone)
        subject = PostSubject(report, context, decision, placed, parts)
        posts = tuple(unsaid_posts(planned_posts(subject), context))
        told = (*posts, *planned_update(subject, posts))
    hidden = find_duplicates(
        [each.thread for each in context.existing], context.reviews, context.viewer
    )
    if context.summary:
        hidden = (*_replaced(context.summary), *_beside(hidden, context.summary, told))
    back = _shown(report, context)
    return PublishPlan(
        (*reviews_to_withdraw(report, context, decision), *told, *back, *gone, *hidden), placed
    )


def _replaced(standing: StandingSummary) -> Iterator[MinimizeDuplicate]:
    """Older summaries, which the one that stands replaces; where GitHub does not say which are
    hidden already, none is."""
    shown = (each for each in standing.others if each.minimized is False)
    return (MinimizeDuplicate(each.node) for each in shown)


def _beside(
    hidden: Iterable[MinimizeDuplicate | RemoveListed],
    standing: StandingSummary,
    told: Iterable[PublishAction],
) -> Iterator[MinimizeDuplicate | RemoveListed]:
    """What is said twice elsewhere: the summary stays, and an update of it says what is left."""
    updated = any(isinstance(each, UpdateSummary) for each in told)
    nodes = {each.node for each in (standing.review, *standing.others)}
    for each in hidden:
        if isinstance(each, RemoveListed):
            if not (updated and each.review.id == standing.review.id):
                yield each
        elif each.node not in nodes:
            yield each


def _summary_parts(
    report: Report,
    placed: Sequence[PlacedFinding],
    context: PublishContext,
    gone: Sequence[ResolveThread],
) -> SummaryParts:
    closing = {each.thread.id for each in gone}
    settled = [
        each
        for each in context.existing
        if each.bucket is not Bucket.ALREADY_POSTED
        and not each.changed_to
        and (each.thread.id in closing or _was_settled(each.thread, context))
    ]
    absence = Absence(_proves_absence(report, context), frozenset(_answered(report)))
    return summary_parts(report, placed, context.summary, settled, absence)


def _was_settled(thread: Thread, context: PublishContext) -> bool:
    """We have hidden or resolved it because its finding was gone."""
    hidden = thread.minimized and thread.hidden_as == HIDDEN
    return hidden or _resolved_by_us(thread, context)


def _before(context: PublishContext) -> AlreadyPosted:
    inline = (each for each in context.existing if each.bucket is Bucket.ALREADY_POSTED)
    return AlreadyPosted(
        {
            **dict.fromkeys(context.listed, Placement.BODY),
            **{each.fingerprint: Placement.INLINE for each in inline},
        },
        context.overlapping,
        context.deleted,
    )


def _overtaken(report: Report, context: PublishContext) -> bool:
    """The head has moved on, and a review of ours is about where it is now."""
    marks = [mark for _, mark in context.own_reviews()]
    parts = {mark.latest for mark in marks if mark.partial}  # whose comments name the same commit
    reviewed = {mark.latest for mark in marks if not mark.partial} | (
        {each.reviewed for each in context.existing} - parts
    )
    return context.head != report.change.head and context.ahead and context.head in reviewed


def closes_or_withdraws(made: PublishPlan) -> bool:
    """It closes or takes back something that only a review of all commits can judge."""
    return any(
        isinstance(each, ResolveThread)
        or (isinstance(each, WithdrawReview) and each.review.state == _ASKED)
        for each in made.actions
    )


def reviews_to_withdraw(
    report: Report, context: PublishContext, decision: EventDecision
) -> Iterator[WithdrawReview]:
    """Our own reviews that would say what is no longer so."""
    for review in context.reviews:
        if (
            review.state == "PENDING"
            and not review.body.strip()
            and review.author.same_as(context.viewer)
        ):
            yield WithdrawReview(review, "it was left pending")
    head, whole = report.change.head, context.covers_all and context.head == report.change.head
    for review, mark in context.own_reviews():
        if (
            review.state == _ASKED
            and whole
            and report.verdict.outcome in (Outcome.PASS, Outcome.CONCERNS)
        ):
            yield WithdrawReview(review, f"nothing blocks {head[:12]} any more")
        elif review.state == "APPROVED" and (
            why := _against_approval(mark.sha, report, context, decision)
        ):
            yield WithdrawReview(review, why)


def _against_approval(
    sha: str, report: Report, context: PublishContext, decision: EventDecision
) -> str:
    """Why our approval of this commit does not hold; "" where it does, as that of a commit known to
    be newer than the reviewed one."""
    if sha == report.change.head:
        return (
            ""
            if report.verdict.outcome is Outcome.PASS
            else f"a later review of {sha[:12]} did not pass"
        )
    newer = context.ahead and sha == context.head
    return (
        ""
        if newer or decision.event is GitHubReviewEvent.APPROVE
        else f"it approved {sha[:12]}, not the commits since then"
    )


def _settled(
    report: Report, context: PublishContext, wishes: PublishLimits
) -> Iterator[ResolveThread]:
    """Threads whose finding is gone; people's replies keep a thread."""
    if not _proves_absence(report, context):
        return
    answered = _answered(report)
    changed = {path for file in report.change.files for path in (file.path, file.old_path)}
    for each in context.existing:
        thread = each.thread
        # Those who found it have answered again, or there is nothing left to ask about: another
        # review, by others, does not know it.
        would_be_found = answered.issuperset(each.sources) or thread.path not in changed
        is_gone = each.bucket is not Bucket.ALREADY_POSTED and would_be_found
        if is_gone and not has_other_replies(thread, context.viewer):
            resolve = wishes.resolve and thread.resolved is False
            if resolve or _still_shown(thread, context):
                yield ResolveThread(thread, each.fingerprint, resolve)


def _proves_absence(report: Report, context: PublishContext) -> bool:
    """What the report does not say is gone: a review that is not whole, or not of the head, proves
    nothing."""
    whole = context.covers_all and not report.unread and not report.skipped
    decided = report.verdict.outcome is not Outcome.INCONCLUSIVE
    return whole and decided and context.head == report.change.head


def _answered(report: Report) -> set[str]:
    """The sources of findings that this report would name again."""
    rows = [row for row in report.reviews if row.status is ReviewStatus.OK]
    return {source_id(name) for row in rows for name in (row.reviewer, row.part or row.reviewer)}


def _still_shown(thread: Thread, context: PublishContext) -> bool:
    """It is there to hide: one that people resolved is settled already."""
    return not thread.minimized and (thread.resolved is False or _resolved_by_us(thread, context))


def _resolved_by_us(thread: Thread, context: PublishContext) -> bool:
    return bool(thread.resolved and context.viewer and thread.resolved_by == context.viewer.id)


def _shown(report: Report, context: PublishContext) -> Iterator[ReopenThread]:
    """Threads that were closed as settled and whose finding is open: one that people closed in
    other words stays closed."""
    if context.ahead:
        return
    left = {
        finding.fingerprint for finding in report.findings if finding.state is FindingState.OPEN
    }
    for each in context.existing:
        thread = each.thread
        hidden = thread.minimized and thread.hidden_as == HIDDEN
        resolved = _resolved_by_us(thread, context)
        is_there = each.bucket is Bucket.ALREADY_POSTED and each.fingerprint in left
        if is_there and (hidden or resolved):
            left.remove(each.fingerprint)
            yield ReopenThread(thread, hidden, resolved)
