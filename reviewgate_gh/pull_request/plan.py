"""What publishing does: a pure plan from the report and what GitHub says. An unchanged second run
plans nothing."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..findings.markers import ReviewMarker, source_id
from ..model.finding import FindingState, sha256_hex
from ..model.pull_request import Account, Bucket, ExistingComment, PostedReview, Thread
from ..model.report import Outcome, Report
from ..model.review import ReviewStatus
from .actions import (
    PlacedFinding,
    Placement,
    PostReview,
    PublishAction,
    PublishPlan,
    RemoveListed,
    ReopenThread,
    ResolveThread,
    UpdateSummary,
    WithdrawReview,
)
from .comments import (
    find_duplicates,
    has_other_replies,
    own_reviews_with_markers,
    posted_digests,
    standing_summary,
)
from .event import EventDecision, GitHubReviewEvent
from .placement import FULL_REASON, AlreadyPosted, PlacementLimits, place_findings
from .review_text import summary_digest
from .summary import HIDDEN, Absence, StandingSummary, SummaryParts, summary_parts

COMMENTS_PER_REVIEW = 30
_DIGEST = 16
_ASKED = "CHANGES_REQUESTED"
_STANDS = {GitHubReviewEvent.APPROVE: "APPROVED", GitHubReviewEvent.REQUEST_CHANGES: _ASKED}


class PublishLimits(Struct, frozen=True):
    """What the configuration says about posting."""

    max_inline: int = 10
    inline_from: str = "P2"
    resolve: bool = False


class PublishContext(Struct, frozen=True):
    """What GitHub holds of ours: threads in their buckets, every review, who we are, new findings
    at taken lines, findings that our reviews' texts list, and the head now.

    `ahead`: the head is known to be a later commit than the reviewed one. GitHub may also, for a
    while, show an older one. `covers_all`: the report is about all of the pull request's commits.
    `url` is the pull request's page. `living`: this report may change the summary.
    `deleted` are findings whose comments people deleted.
    """

    existing: Sequence[ExistingComment] = ()
    reviews: Sequence[PostedReview] = ()
    viewer: Account | None = None
    overlapping: Collection[str] = ()
    listed: Collection[str] = ()
    head: str = ""
    ahead: bool = False
    covers_all: bool = True
    url: str = ""
    living: bool = True
    deleted: Collection[str] = ()

    @property
    def summary(self) -> StandingSummary | None:
        """The living summary as it stands."""
        return standing_summary(self.reviews, self.viewer) if self.living else None

    def own_reviews(self) -> Iterator[tuple[PostedReview, ReviewMarker]]:
        """The reviews that we submitted, with their marks."""
        return own_reviews_with_markers(self.reviews, self.viewer)


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
        subject = _Subject(report, context, decision, placed, parts)
        posts = tuple(_unsaid(_posts(subject), context))
        told = (*posts, *_update(subject, posts))
    hidden = find_duplicates(
        [each.thread for each in context.existing], context.reviews, context.viewer
    )
    if context.summary and any(isinstance(each, UpdateSummary) for each in told):
        # The update says what is left of it
        hidden = tuple(each for each in hidden if not _trims(each, context.summary.review))
    back = _shown(report, context)
    return PublishPlan(
        (*reviews_to_withdraw(report, context, decision), *told, *back, *gone, *hidden), placed
    )


def _trims(action: PublishAction, review: PostedReview) -> bool:
    return isinstance(action, RemoveListed) and action.review.id == review.id


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
    parts = summary_parts(report, placed, context.summary, settled, absence)
    return replace(parts, summary=replace(parts.summary, url=context.url))


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


class _Subject(Struct, frozen=True):
    """What the texts of one plan are made of."""

    report: Report
    context: PublishContext
    decision: EventDecision
    placed: Sequence[PlacedFinding]
    parts: SummaryParts


def _posts(subject: _Subject) -> list[PostReview]:
    """All that there is to say, in reviews of a bounded size; the first one holds the summary,
    where there is none yet."""
    decision, standing = subject.decision, subject.context.summary
    inline = [each for each in subject.placed if each.placement is Placement.INLINE]
    listed = tuple(each for each in subject.placed if each.placement is Placement.BODY)
    decides = _decides(decision, subject.report, subject.context)
    if standing:  # which says all the rest
        listed, decides = (), decides and decision.event is not GitHubReviewEvent.COMMENT
    if not inline and not listed and not decides:
        return []
    pieces = [
        tuple(inline[at : at + COMMENTS_PER_REVIEW])
        for at in range(0, len(inline), COMMENTS_PER_REVIEW)
    ] or [()]
    head = subject.report.change.head
    first = replace(
        _pointer(standing, subject) if standing else _whole(subject),
        event=decision.event.value,
        comments=pieces[0],
        listed=listed,
    )
    rest = (
        PostReview(
            GitHubReviewEvent.COMMENT.value, head, part, part=number, partial=decision.partial
        )
        for number, part in enumerate(pieces[1:], 2)
    )
    return [replace(post, digest=post_digest(post)) for post in (first, *rest)]


def _pointer(standing: StandingSummary, subject: _Subject) -> PostReview:
    """A review that has comments or a verdict; the summary says the rest."""
    head, partial = subject.report.change.head, subject.decision.partial
    there = f"{subject.context.url}#pullrequestreview-{standing.review.id}"
    return PostReview(GitHubReviewEvent.COMMENT.value, head, partial=partial, elsewhere=there)


def _whole(subject: _Subject) -> PostReview:
    """The text with all that there is to say, with the summary where there may be one."""
    decision, context = subject.decision, subject.context
    # What would keep an approval back is no news beside one that stands
    stands = bool(decision.withheld) and _stands(GitHubReviewEvent.APPROVE, subject.report, context)
    return PostReview(
        GitHubReviewEvent.COMMENT.value,
        subject.report.change.head,
        listed=subject.parts.listed,
        reasons=() if stands else decision.posted_reasons,
        hints=() if stands else decision.hints,
        more=sum(each.reason == FULL_REASON for each in subject.placed),
        withheld=(*decision.withheld, _approved(context)) if decision.withheld else (),
        partial=decision.partial,
        summary=subject.parts.summary if context.living else None,
    )


def _update(subject: _Subject, posts: Sequence[PostReview]) -> Iterator[UpdateSummary]:
    """The summary that stands, where it no longer says what is so. GitHub may refuse a verdict,
    which is then said there."""
    standing = subject.context.summary
    if standing is None:
        return
    post = _whole(subject)
    decides = any(each.event != GitHubReviewEvent.COMMENT.value for each in posts)
    if decides or summary_digest(post, subject.report) != standing.mark.text:
        post = replace(post, digest=post_digest(post))
        known = {name for _, mark in subject.context.own_reviews() for name in mark.listed}
        is_new = bool(posts) or not known.issuperset(f.finding.fingerprint for f in post.listed)
        yield UpdateSummary(standing.review, standing.mark, post, keeps_open=not is_new)


def _decides(decision: EventDecision, report: Report, context: PublishContext) -> bool:
    """It is worth a review without findings: an approval or a request for changes that does not
    stand yet, or why there is no approval."""
    if decision.event is not GitHubReviewEvent.COMMENT:
        return not _stands(decision.event, report, context)
    # GitHub takes nothing about a commit that is gone
    there = context.ahead or context.head == report.change.head
    return (
        bool(decision.withheld)
        and there
        and not _stands(GitHubReviewEvent.APPROVE, report, context)
    )


def _approved(context: PublishContext) -> str:
    """The commit that we approved last: what kept an approval back before that is said again when
    it does so after it."""
    given = [
        (review.id, mark.sha)
        for review, mark in context.own_reviews()
        if mark.event == GitHubReviewEvent.APPROVE.value
    ]
    return max(given, default=(0, ""))[1]


def _stands(event: GitHubReviewEvent, report: Report, context: PublishContext) -> bool:
    """A review of ours says this already. A request for changes holds until it is dismissed, an
    approval is of one commit."""
    marks = [mark for review, mark in context.own_reviews() if review.state == _STANDS[event]]
    return any(
        event is GitHubReviewEvent.REQUEST_CHANGES or mark.sha == report.change.head
        for mark in marks
    )


def closes_or_withdraws(made: PublishPlan) -> bool:
    """It closes or takes back something that only a review of all commits can judge."""
    return any(
        isinstance(each, ResolveThread)
        or (isinstance(each, WithdrawReview) and each.review.state == _ASKED)
        for each in made.actions
    )


def post_digest(post: PostReview) -> str:
    """Names what a review says: its findings and, where it decides something, the commit that it
    decides on; else why it does not."""
    decides = (post.event, post.commit) if post.event != GitHubReviewEvent.COMMENT.value else ()
    posted_digests = (
        sorted(each.finding.fingerprint for each in (*post.comments, *post.listed)) or post.withheld
    )
    return sha256_hex("\0".join((*decides, *posted_digests)), _DIGEST)


def _unsaid(posts: Iterable[PostReview], context: PublishContext) -> Iterator[PostReview]:
    """The reviews that were not submitted yet, by the digest in our own marker."""
    known = posted_digests(context.reviews, context.viewer)
    return (post for post in posts if post.digest not in known)


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
