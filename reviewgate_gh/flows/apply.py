"""A plan becomes requests, one after the other. Each is sent at most once: where an answer is lost, the next step looks first."""

from collections.abc import Callable, Iterable, Sequence

from ..model.action import Plan, Post, Show, Withdraw
from ..model.errors import Elsewhere, UpstreamError
from ..model.finding import Finding
from ..model.pull import Account, Draft
from ..model.report import Report
from ..model.values import dataclass
from ..reporters import _posted
from ..reporters._words import counted
from ..steps import ledger
from ..steps.markers import FindingMark, ReviewMark, signed, source_id
from ..steps.own_reviews import repetitions, said
from ..steps.reshape import Shape, as_comment, at_head, elsewhere, hint, in_text, next_shape, only_shown
from ..system.github.client import Client
from ..system.github.errors import Refused, Uncertain, Unprocessable
from ..system.github.reviews import clear_pending, dismiss, post_review, read_reviews
from ..system.github.shown import read_shown
from ..system.github.standing import Standing, read_latest
from ..system.outbox import Outbox
from .tidying import shown_again, tidied

_DOUBTS = 3
_SOURCES = 20  # of a finding, in its marker
_LAGS = (0.0, 2.0, 5.0)  # seconds before each look for a review whose answer was lost


@dataclass(frozen=True, slots=True)
class Target:
    """Where it goes: the pull request, who we are, and the record of what is being sent.

    `base` is the base branch. `head` is the current head, if it is certain that the reviewed commit was the head.
    """

    client: Client
    number: int
    viewer: Account | None
    outbox: Outbox
    base: str = ""
    head: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a plan: messages for people, how much was posted, and what is posted there but must not be."""

    comments: int = 0
    reviews: int = 0
    told: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    def __add__(self, other: "Done") -> "Done":
        return Done(self.comments + other.comments, self.reviews + other.reviews, self.told + other.told, self.wrong + other.wrong)


def apply(planned: Plan, report: Report, target: Target, again: Callable[[Standing], Iterable[Withdraw]]) -> Done:
    """Carry out the actions. `again` says which of the posted reviews no longer hold afterwards.

    Raises:
        UpstreamError: GitHub refuses a review, lets an approval stand that we take back, keeps a comment hidden, or cannot be reached;
            what was done before stays, and a second run goes on from there.
    """
    done = Done()
    for action in planned.actions:
        if isinstance(action, Withdraw):
            done += _withdraw(action, target)
        elif isinstance(action, Post):
            done += _post(action, report, target)
    if done.reviews:
        done += _look(target, again)
    done += _show([action for action in planned.actions if isinstance(action, Show)], target)
    done += Done(told=tuple(tidied(planned.actions, target.client, target.number)))
    if done.wrong:
        raise UpstreamError("; ".join(done.wrong), "run this again, or make the change by hand on GitHub")
    return done


def _post(post: Post, report: Report, target: Target, tried: tuple[Shape, ...] = ()) -> Done:
    """Submit one review; where GitHub takes it only in another shape, in that shape. `tried` are the shapes that it did not take."""
    for attempt in range(_DOUBTS):
        try:
            _submit(post, report, target)
            return Done(len(post.comments), 1, (f"posted {post.event} with {counted(len(post.comments), 'inline comment')}",))
        except Uncertain:
            if _arrived(post, target):
                return Done(len(post.comments), 1, ("GitHub's answer was lost, but the review was posted",))
            if attempt == _DOUBTS - 1:
                raise
        except Unprocessable as error:
            return _otherwise(post, error, report, target, tried)
    raise AssertionError("every attempt returns or raises")


def _arrived(post: Post, target: Target) -> bool:
    """Whether the review is posted. GitHub's list may lag behind a write, so one look that does not show it proves nothing."""
    for seconds in _LAGS:
        target.client.pause(seconds)
        if post.digest in said(read_reviews(target.client, target.number), target.viewer):
            return True
    return False


def _submit(post: Post, report: Report, target: Target) -> None:
    with target.outbox.intent(post.digest, post.commit):
        post_review(target.client, target.number, post.at or post.commit, post.event, _text(post, report), _drafts(post))  # type: ignore[arg-type]


def _otherwise(post: Post, error: Unprocessable, report: Report, target: Target, tried: tuple[Shape, ...]) -> Done:
    """Retry in a form that GitHub may accept, unless an earlier run was refused in the same way or nothing would be left to post.

    Raises:
        UpstreamError: there is no other form to try.
    """
    words = error.errors or (error.reason,)
    shape = next_shape(post, words, tried, bool(target.head))
    if shape is None:
        raise (Elsewhere if elsewhere(words) else UpstreamError)(error.message, hint(words)) from None
    told = Done(told=(f"GitHub rejected {shape.value}: {'; '.join(words)}",))
    other = _reshaped(post, shape, words, target)
    empty = not (other.comments or other.listed or other.withheld)
    if empty or (other.digest != post.digest and other.digest in said(read_reviews(target.client, target.number), target.viewer)):
        return told
    return told + _post(other, report, target, (*tried, shape))


def _reshaped(post: Post, shape: Shape, words: Sequence[str], target: Target) -> Post:
    if shape is Shape.EVENT:
        return as_comment(post, words)
    if shape is Shape.COMMIT:
        return at_head(post, target.head)
    return only_shown(post, read_shown(target.client, target.base, post.commit)) if shape is Shape.LINES else in_text(post)


def _look(target: Target, again: Callable[[Standing], Iterable[Withdraw]]) -> Done:
    """After posting: of two concurrent runs the first one's review stays, and what no longer holds is withdrawn."""
    now = read_latest(target.client, target.number)
    done = Done(told=tuple(tidied(repetitions(now.threads, now.reviews, target.viewer), target.client, target.number)))
    for action in again(now):
        done += _withdraw(action, target)
    return done


def _show(back: Sequence[Show], target: Target) -> Done:
    """A comment that stays hidden although its finding is back is an error: nothing else would report the finding."""
    told, left = shown_again(back, target.client)
    hidden = (
        (f"{counted(left, 'comment')} of ours could not be shown again although the finding is back ({'; '.join(told)})",) if left else ()
    )
    return Done(told=tuple(told), wrong=hidden)


def _text(post: Post, report: Report) -> str:
    mark = ReviewMark(post.commit, post.digest, tuple(each.finding.fingerprint for each in post.listed), post.event, post.partial)
    return signed("\n\n".join(filter(None, (_posted.body(post, report), ledger.write(report)))), mark)


def _drafts(post: Post) -> list[Draft]:
    return [
        Draft(
            each.finding.path,
            each.line,
            signed(_posted.inline(each), _mark(each.finding, post.commit)),
            each.finding.side,
            each.start,
        )
        for each in post.comments
    ]


def _mark(finding: Finding, commit: str) -> FindingMark:
    return FindingMark(finding.fingerprint, commit, tuple(dict.fromkeys(source_id(name) for name in finding.sources[:_SOURCES])))


def _withdraw(action: Withdraw, target: Target) -> Done:
    review = action.review
    if review.state == "PENDING":
        left = clear_pending(target.client, target.number, [review], target.viewer)
        kept = "a pending review of ours contains text, so it was left alone"
        return Done(told=("deleted an empty pending review" if left is None else kept,))
    try:
        dismiss(target.client, target.number, review.id, action.why)
    except Refused as error:
        told = f"could not dismiss our review {review.id}, dismiss it by hand: {error.message}"
        return Done(wrong=(told,)) if review.state == "APPROVED" else Done(told=(told,))
    return Done(told=(f"dismissed our review {review.id}: {action.why}",))
