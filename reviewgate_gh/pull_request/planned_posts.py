"""The reviews that a plan posts, and how the summary changes: what was not said yet, and nothing
twice."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..model.finding import sha256_hex
from ..model.report import Report
from .actions import PlacedFinding, Placement, PostReview, UpdateSummary
from .comments import posted_digests
from .event import EventDecision, GitHubReviewEvent
from .placement import FULL_REASON
from .publish_context import PublishContext
from .review_text import summary_digest
from .summary import StandingSummary, SummaryParts

COMMENTS_PER_REVIEW = 30
_DIGEST = 16
_ASKED = "CHANGES_REQUESTED"
_STANDS = {GitHubReviewEvent.APPROVE: "APPROVED", GitHubReviewEvent.REQUEST_CHANGES: _ASKED}


class PostSubject(Struct, frozen=True):
    """What the texts of one plan are made of."""

    report: Report
    context: PublishContext
    decision: EventDecision
    placed: Sequence[PlacedFinding]
    parts: SummaryParts


def planned_posts(subject: PostSubject) -> list[PostReview]:
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
            GitHubReviewEvent.COMMENT.value,
            head,
            part,
            part=number,
            partial=decision.partial,
            page=subject.context.url,
        )
        for number, part in enumerate(pieces[1:], 2)
    )
    return [replace(post, digest=post_digest(post)) for post in (first, *rest)]


def _pointer(standing: StandingSummary, subject: PostSubject) -> PostReview:
    """A review that has comments or a verdict; the summary says the rest."""
    head, partial = subject.report.change.head, subject.decision.partial
    page = subject.context.url
    there = f"{page}#pullrequestreview-{standing.review.id}"
    return PostReview(
        GitHubReviewEvent.COMMENT.value, head, partial=partial, elsewhere=there, page=page
    )


def _whole(subject: PostSubject) -> PostReview:
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
        page=context.url,
    )


def planned_update(subject: PostSubject, posts: Sequence[PostReview]) -> Iterator[UpdateSummary]:
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


def post_digest(post: PostReview) -> str:
    """Names what a review says: its findings and, where it decides something, the commit that it
    decides on; else why it does not."""
    decides = (post.event, post.commit) if post.event != GitHubReviewEvent.COMMENT.value else ()
    posted_digests = (
        sorted(each.finding.fingerprint for each in (*post.comments, *post.listed)) or post.withheld
    )
    return sha256_hex("\0".join((*decides, *posted_digests)), _DIGEST)


def unsaid_posts(posts: Iterable[PostReview], context: PublishContext) -> Iterator[PostReview]:
    """The reviews that were not submitted yet, by the digest in our own marker."""
    known = posted_digests(context.reviews, context.viewer)
    return (post for post in posts if post.digest not in known)
