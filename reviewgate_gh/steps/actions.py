"""What publishing does: a pure plan from the report and what GitHub says. An unchanged second run plans nothing."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..model.action import Placed, Plan, Post, Settle, Sink, Withdraw
from ..model.finding import Finding, State
from ..model.presubmit import Bucket, Existing
from ..model.pull import Account, PostedReview
from ..model.report import Outcome, Report
from .downgrade import Decision, Event
from .markers import ReviewMark, read
from .placement import place

PER_REVIEW = 30
_DIGEST = 16


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the configuration says about posting."""

    max_inline: int = 10
    inline_from: str = "P2"
    resolve: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """What GitHub holds of ours: the threads in their buckets, every review of ours, who we are, and new findings at taken lines."""

    existing: Sequence[Existing] = ()
    reviews: Sequence[PostedReview] = ()
    viewer: Account | None = None
    overlapping: Collection[str] = ()


def plan(report: Report, situation: Situation, decision: Decision, wishes: Wishes) -> Plan:
    """The actions in order: what no longer holds goes first, then what is new is said, then what is settled is closed."""
    posted = {each.fingerprint for each in situation.existing}
    placed = place(mark_posted(report.findings, posted), situation.overlapping, wishes.inline_from, wishes.max_inline)
    posts = _unsaid(_posts(report, placed, decision), situation)
    return Plan((*_withdrawn(report, situation, decision), *posts, *_settled(report, situation, wishes)), placed)


def mark_posted(findings: Iterable[Finding], posted: Collection[str]) -> tuple[Finding, ...]:
    """Open findings that a comment of ours says already are set aside."""
    return tuple(
        replace(f, state=State.ALREADY_POSTED, note="said in an earlier comment")
        if f.state is State.OPEN and f.fingerprint in posted
        else f
        for f in findings
    )


def _posts(report: Report, placed: Sequence[Placed], decision: Decision) -> list[Post]:
    """All that there is to say, in reviews of a bounded size; the first one holds the text."""
    inline = [each for each in placed if each.sink is Sink.INLINE]
    listed = tuple(each for each in placed if each.sink is Sink.BODY)
    if not inline and not listed and decision.event is Event.COMMENT:
        return []
    parts = [tuple(inline[at : at + PER_REVIEW]) for at in range(0, len(inline), PER_REVIEW)] or [()]
    head = report.change.head
    first = Post(decision.event.value, head, parts[0], listed, decision.said, decision.hints)
    rest = (Post(Event.COMMENT.value, head, part, part=number) for number, part in enumerate(parts[1:], 2))
    return [replace(post, digest=digest(post)) for post in (first, *rest)]


def digest(post: Post) -> str:
    """Names what a review says: its findings and, where it decides something, the commit that it decides on."""
    decides = (post.event, post.commit) if post.event != Event.COMMENT.value else ()
    said = sorted(each.finding.fingerprint for each in (*post.comments, *post.listed))
    return hashlib.sha256("\0".join((*decides, *said)).encode()).hexdigest()[:_DIGEST]


def _unsaid(posts: Iterable[Post], situation: Situation) -> Iterator[Post]:
    """The reviews that were not submitted yet, by the digest in our own marker."""
    known = said(situation.reviews, situation.viewer)
    return (post for post in posts if post.digest not in known)


def said(reviews: Iterable[PostedReview], viewer: Account | None) -> frozenset[str]:
    """The digests of the reviews that we submitted and that still stand."""
    marks = (read(review.body, review.author, viewer) for review in reviews if review.state != "DISMISSED")
    return frozenset(mark.digest for mark in marks if isinstance(mark, ReviewMark))


def _withdrawn(report: Report, situation: Situation, decision: Decision) -> Iterator[Withdraw]:
    """Our own reviews that would say what is no longer so."""
    for review in situation.reviews:
        if not review.author.same_as(situation.viewer):
            continue
        mark = read(review.body, review.author, situation.viewer)
        if review.state == "PENDING" and not review.body.strip():
            yield Withdraw(review, "it was left pending")
        elif not isinstance(mark, ReviewMark):
            continue
        elif review.state == "CHANGES_REQUESTED" and report.verdict.outcome in (Outcome.PASS, Outcome.CONCERNS):
            yield Withdraw(review, f"nothing stands against {report.change.head[:12]} any more")
        elif review.state == "APPROVED" and mark.sha != report.change.head and decision.event is not Event.APPROVE:
            yield Withdraw(review, f"it approved {mark.sha[:12]}, and not what has come since")


def _settled(report: Report, situation: Situation, wishes: Wishes) -> Iterator[Settle]:
    """Threads whose finding is gone. A review that is not whole proves nothing gone; people's replies keep a thread as it is."""
    if report.verdict.outcome is Outcome.INCONCLUSIVE or report.verdict.not_reviewed or report.skipped:
        return
    for each in situation.existing:
        talked = any(not reply.author.same_as(situation.viewer) for reply in each.thread.replies)
        if each.bucket is not Bucket.ALREADY_POSTED and not each.thread.resolved and not each.thread.minimized and not talked:
            yield Settle(each.thread, each.fingerprint, wishes.resolve)
