"""A plan becomes requests, one after the other. Each is sent at most once: where an answer is lost, the next step looks first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model.action import Action, Placed, Post, Settle, Sink, Withdraw
from ..model.pull import Account, Draft, PostedReview
from ..model.report import Report
from ..reporters import _posted
from ..steps.actions import digest, said
from ..steps.markers import FindingMark, ReviewMark, read, signed
from ..system.github.client import Client
from ..system.github.errors import Forbidden, Refused, Uncertain, Unprocessable
from ..system.github.reviews import clear_pending, dismiss, post_review, read_reviews
from ..system.github.threads import read_threads
from ..system.github.tidy import minimize_comments, resolve_threads
from ..system.outbox import Outbox

_DOUBTS = 3
_NOT_PERMITTED = ("can not approve", "cannot approve", "can not request changes", "cannot request changes", "not permitted to")
_NOT_TAKEN = "GitHub did not take its line"


@dataclass(frozen=True, slots=True)
class Target:
    """Where it goes: the pull request, who we are, and the record of what is being sent."""

    client: Client
    number: int
    viewer: Account | None
    outbox: Outbox


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a plan: sentences for people, what was posted, and what could not be."""

    comments: int = 0
    reviews: int = 0
    told: tuple[str, ...] = ()

    def __add__(self, other: "Done") -> "Done":
        return Done(self.comments + other.comments, self.reviews + other.reviews, (*self.told, *other.told))


def apply(actions: Sequence[Action], report: Report, target: Target) -> Done:
    """Carry the actions out.

    Raises:
        UpstreamError: GitHub refuses a review or cannot be reached; what was done before stays, and a second run goes on from there.
    """
    done = Done()
    for action in actions:
        if isinstance(action, Post):
            done += _post(action, report, target)
        elif isinstance(action, Withdraw):
            done += _withdraw(action, target)
    return done + _settle([action for action in actions if isinstance(action, Settle)], target)


def _post(post: Post, report: Report, target: Target) -> Done:
    """Submit one review; where GitHub takes it only in another shape, in that shape."""
    for attempt in range(_DOUBTS):
        try:
            with target.outbox.intent(post.digest, post.commit):
                sent = post_review(target.client, target.number, post.commit, post.event, _text(post, report), _drafts(post))  # type: ignore[arg-type]
            return _alone(post, sent, target)
        except Uncertain:
            if post.digest in said(read_reviews(target.client, target.number), target.viewer):
                return Done(len(post.comments), 1, ("GitHub's answer was lost, and the review is there",))
            if attempt == _DOUBTS - 1:
                raise
        except Unprocessable as error:
            other = _reshaped(post, error)
            if other is None:
                raise
            told = Done(told=(f"GitHub did not take the review as {post.event}: {'; '.join(error.errors) or error.reason}",))
            return told + _post_unless_said(other, report, target)
    raise AssertionError("every attempt returns or raises")


def _post_unless_said(post: Post, report: Report, target: Target) -> Done:
    """The other form is no news where an earlier run was given the same answer, and no review where it says nothing."""
    empty = not post.comments and not post.listed
    known = empty or post.digest in said(read_reviews(target.client, target.number), target.viewer)
    return Done() if known else _post(post, report, target)


def _reshaped(post: Post, error: Refused) -> Post | None:
    """The same findings in a form that GitHub may take: a comment instead of a verdict, or everything in the text."""
    if post.event != "COMMENT" and any(error.says(words) for words in _NOT_PERMITTED):
        return _named(replace(post, event="COMMENT", reasons=(*post.reasons, error.reason)))
    if post.comments:
        moved = tuple(Placed(each.finding, Sink.BODY, _NOT_TAKEN) for each in post.comments)
        return _named(replace(post, comments=(), listed=(*post.listed, *moved), part=1))
    return None


def _named(post: Post) -> Post:
    return replace(post, digest=digest(post))


def _alone(post: Post, sent: PostedReview, target: Target) -> Done:
    """Of two runs that said the same at once, the first one's review stays: whoever came later hides its own."""
    told = Done(len(post.comments), 1, (f"posted {post.event} with {len(post.comments)} inline comments",))
    same = [r for r in read_reviews(target.client, target.number) if r.id != sent.id and post.digest in said([r], target.viewer)]
    if not any(review.id < sent.id for review in same):
        return told
    marks = {FindingMark(each.finding.fingerprint, post.commit) for each in post.comments}
    twice = _later_copies(target, marks)
    minimize_comments(target.client, [sent.node, *twice], "DUPLICATE")
    return Done(told=("another run had said the same already: this one's review is hidden",))


def _later_copies(target: Target, marks: set[FindingMark]) -> list[str]:
    """The comments of ours that say what an older one says."""
    seen: set[object] = set()
    later = []
    for thread in sorted(read_threads(target.client, target.number).threads, key=lambda thread: thread.id):
        mark = read(thread.body, thread.author, target.viewer)
        if mark in marks and mark in seen:
            later.append(thread.comment_node)
        seen.add(mark)
    return later


def _text(post: Post, report: Report) -> str:
    return signed(_posted.body(post, report), ReviewMark(post.commit, post.digest))


def _drafts(post: Post) -> list[Draft]:
    return [
        Draft(
            each.finding.path,
            each.line,
            signed(_posted.inline(each), FindingMark(each.finding.fingerprint, post.commit)),
            each.finding.side,
            each.start,
        )
        for each in post.comments
    ]


def _withdraw(action: Withdraw, target: Target) -> Done:
    if action.review.state == "PENDING":
        left = clear_pending(target.client, target.number, [action.review], target.viewer)
        return Done(
            told=("an empty review that was left pending is deleted",)
            if left is None
            else ("a pending review of ours holds text: left alone",)
        )
    try:
        dismiss(target.client, target.number, action.review.id, action.why)
    except Forbidden as error:
        return Done(told=(f"our review {action.review.id} could not be dismissed: {error.message}",))
    return Done(told=(f"our review {action.review.id} is dismissed: {action.why}",))


def _settle(settled: Sequence[Settle], target: Target) -> Done:
    """Hide what is settled; what the token may not do is counted."""
    if not settled:
        return Done()
    hidden = minimize_comments(target.client, [each.thread.comment_node for each in settled], "RESOLVED")
    told = [f"{hidden.done} of {len(settled)} comments whose finding is gone are minimised{_forbidden(hidden.forbidden)}"]
    wanted = [each.thread.node for each in settled if each.resolve and each.thread.node]
    if wanted:
        closed = resolve_threads(target.client, wanted)
        told.append(f"{closed.done} of {len(wanted)} threads are resolved{_forbidden(closed.forbidden)}")
    return Done(told=tuple(told))


def _forbidden(number: int) -> str:
    return f", {number} the token may not touch" if number else ""
