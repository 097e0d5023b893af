"""Sending one review: looked for where its answer is lost, in another shape where GitHub does not
take it, and in parts where it does not take it at once."""

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct

from ..findings.identity import unit_digest
from ..findings.markers import FindingMarker, source_id, with_marker
from ..github.client import Client
from ..github.pull_requests import read_diff_lines
from ..github.reading import NotFound, Refused, TooQuick, UncertainWrite, Unprocessable
from ..github.reviews import PendingPosts, post_review, read_reviews
from ..model.errors import UpstreamError, WrongPullRequest
from ..model.finding import Finding
from ..model.pull_request import Account, DraftComment
from ..model.report import Report
from ..reporters._words import count_noun
from .actions import PlacedFinding, PostReview
from .comments import posted_digests
from .fallback import (
    Fallback,
    all_in_text,
    as_text_at_head,
    continued,
    halves,
    is_foreign_commit,
    next_fallback,
    on_shown_lines_only,
    refusal_hint,
    with_comments,
    without_event,
)
from .posted_text import inline_comment
from .review_text import posted_text

_DOUBTS = 3
_PLACES_LOST = (Fallback.LINES, Fallback.TEXT)  # not for what only came too quickly
_NOT_THE_COMMENT = (TooQuick, NotFound)
_MOST_ALONE = 3  # comments that are refused one by one while nothing is taken: then it is not they
_SOURCES = 20  # of a finding, in its marker
_LAGS = (0.0, 2.0, 5.0)  # seconds before each look for a review whose answer was lost


class PublishTarget(Struct, frozen=True):
    """Where it goes: the pull request, who we are, and the record of what is being sent.

    `base` is the base branch. `head` is the current head, if it is certain that the reviewed commit
    was the head.
    """

    client: Client
    number: int
    viewer: Account | None
    outbox: PendingPosts
    base: str = ""
    head: str = ""


class ApplyResult(Struct, frozen=True):
    """The result of a plan: messages for people, how much was posted, what is posted there but must
    not be, and why GitHub takes no verdict of ours."""

    comments: int = 0
    reviews: int = 0
    messages: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    def __add__(self, other: "ApplyResult") -> "ApplyResult":
        return ApplyResult(
            self.comments + other.comments,
            self.reviews + other.reviews,
            self.messages + other.messages,
            self.errors + other.errors,
            self.refused + other.refused,
        )


def send_post(
    post: PostReview, report: Report, target: PublishTarget, tried: tuple[Fallback, ...] = ()
) -> ApplyResult:
    """Submit one review; where GitHub takes it only in another shape, in that shape. `tried` are
    the shapes that it did not take."""
    try:
        return _sent(post, report, target)
    except Unprocessable as error:
        return _otherwise(post, error, report, target, tried)
    except NotFound:
        # What GitHub may answer to a review of many comments, too:
        # https://github.com/PyGithub/PyGithub/issues/3038
        if len(post.comments) < 2:
            raise
        return _in_parts(post, report, target)


def _sent(post: PostReview, report: Report, target: PublishTarget) -> ApplyResult:
    """Submit it as it is."""
    for attempt in range(_DOUBTS):
        try:
            _submit(post, report, target)
            return ApplyResult(
                len(post.comments),
                1,
                (f"posted {post.event} with {count_noun(len(post.comments), 'inline comment')}",),
            )
        except UncertainWrite:
            if _arrived(post, target):
                return ApplyResult(
                    len(post.comments), 1, ("GitHub's answer was lost, but the review was posted",)
                )
            if attempt == _DOUBTS - 1:
                raise
    raise AssertionError("every attempt returns or raises")


def _arrived(post: PostReview, target: PublishTarget) -> bool:
    """Whether the review is posted. GitHub's list may lag behind a write, so one look that does not
    show it proves nothing."""
    for seconds in _LAGS:
        target.client.sleep(seconds)
        if post.digest in posted_digests(read_reviews(target.client, target.number), target.viewer):
            return True
    return False


def _submit(post: PostReview, report: Report, target: PublishTarget) -> None:
    with target.outbox.record(post.digest, post.commit):
        post_review(
            target.client,
            target.number,
            post.target_commit or post.commit,
            post.event,  # type: ignore[arg-type]
            posted_text(post, report),
            _drafts(post),
        )


def _otherwise(
    post: PostReview,
    error: Unprocessable,
    report: Report,
    target: PublishTarget,
    tried: tuple[Fallback, ...],
) -> ApplyResult:
    """Retry in a form that GitHub may accept, unless an earlier run was refused in the same way or
    nothing would be left to post.

    Raises:
        UpstreamError: there is no other form to try.
    """
    words = _words(error)
    unsuited = _PLACES_LOST if isinstance(error, TooQuick) else ()
    shape = next_fallback(post, words, (*tried, *unsuited), bool(target.head))
    if shape is None:
        raise (WrongPullRequest if is_foreign_commit(words) else UpstreamError)(
            error.message, refusal_hint(words) or error.hint
        ) from None
    told = ApplyResult(messages=(f"GitHub rejected {shape.value}: {'; '.join(words)}",))
    if shape is Fallback.PARTS:
        return told + _in_parts(post, report, target)
    other = _reshaped(post, shape, words, target)
    if other == post:
        return _otherwise(post, error, report, target, (*tried, shape))
    if shape is Fallback.EVENT:
        told += _refused_verdict(post, other)
    said = bool(other.withheld) and not other.elsewhere
    empty = not (other.comments or other.listed or said)
    if empty or (
        other.digest != post.digest
        and other.digest
        in posted_digests(read_reviews(target.client, target.number), target.viewer)
    ):
        return told
    return told + send_post(other, report, target, (*tried, shape))


def _refused_verdict(post: PostReview, other: PostReview) -> ApplyResult:
    """Why there is no verdict, which the summary says."""
    return ApplyResult(refused=other.reasons[len(post.reasons) :])


def _words(error: Refused) -> tuple[str, ...]:
    return error.errors or (error.reason,)


def _in_parts(post: PostReview, report: Report, target: PublishTarget) -> ApplyResult:
    """The comments in ever smaller parts, until GitHub takes each; what it does not take on its own
    goes to the text. The text comes with the first part that is taken.

    Raises:
        UpstreamError: even a single comment comes too quickly, or it is not about the comments.
    """
    done, rest = ApplyResult(), post
    alone: tuple[PlacedFinding, ...] = ()
    left = [*halves(post.comments)]
    while left:
        part = left.pop(0)
        try:
            done += _sent(with_comments(rest, part), report, target)
            rest = continued(post)
        except (Unprocessable, NotFound) as error:
            single = len(part) == 1
            if refusal_hint(_words(error)) or (single and isinstance(error, _NOT_THE_COMMENT)):
                raise
            alone += part if single else ()
            left = left if single else [*halves(part), *left]
            if rest is post and len(alone) == _MOST_ALONE:
                alone, left = (*alone, *chain.from_iterable(left)), []
    if not alone and rest is not post:
        return done
    return done + send_post(all_in_text(with_comments(rest, alone)), report, target, (*Fallback,))


def _reshaped(
    post: PostReview, shape: Fallback, words: Sequence[str], target: PublishTarget
) -> PostReview:
    if shape is Fallback.EVENT:
        return without_event(post, words)
    if shape is Fallback.COMMIT:
        return as_text_at_head(post, target.head)
    return (
        on_shown_lines_only(post, read_diff_lines(target.client, target.base, post.commit))
        if shape is Fallback.LINES
        else all_in_text(post)
    )


def _drafts(post: PostReview) -> list[DraftComment]:
    return [_draft(each, post) for each in post.comments]


def _draft(placed: PlacedFinding, post: PostReview) -> DraftComment:
    finding = placed.finding
    text = inline_comment(placed, post.page, post.commit)
    return DraftComment(
        placed.path,
        placed.line,
        with_marker(text, _mark(finding, post.commit)),
        finding.side,
        placed.start,
    )


def _mark(finding: Finding, commit: str) -> FindingMarker:
    return FindingMarker(
        finding.fingerprint,
        commit,
        tuple(dict.fromkeys(source_id(name) for name in finding.sources[:_SOURCES])),
        unit_digest(finding),
    )
