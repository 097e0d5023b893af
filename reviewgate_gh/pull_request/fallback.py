"""The same review in a form that GitHub may take, after it has refused the first one: a comment, at
other lines, or all in the text."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum

from msgspec.structs import replace

from .actions import PlacedFinding, Placement, PostReview
from .event import GitHubReviewEvent
from .planned_posts import post_digest

_NOT_PERMITTED = (
    "can not approve",
    "cannot approve",
    "can not request changes",
    "cannot request changes",
    "not permitted to",
)
_NO_COMMIT = ("is not part of the pull request",)
_PENDING = ("pending review",)
_SETTING = (
    'To let workflows approve, turn on the repository setting "Allow GitHub Actions to create '
    'and approve pull requests".'
)
_NOT_TAKEN = "GitHub rejected its line"
_GONE = "its commit is no longer in the pull request"
_HINTS = {
    _PENDING: (
        "this account has a pending review on the pull request: submit or discard it, then run "
        "again"
    ),
    _NO_COMMIT: "review the pull request's head, or push what was reviewed",
}


class Fallback(Enum):
    """What is changed, in the order in which it is tried."""

    EVENT = "the review's event"
    COMMIT = "the commit"
    LINES = "a comment's line"
    PARTS = "so many comments at once"
    TEXT = "the comments"


def next_fallback(
    post: PostReview, words: Sequence[str], tried: Collection[Fallback], vouched: bool
) -> Fallback | None:
    """What to change of a review that was refused with these words.

    `vouched`: the reviewed commit was the pull request's head.
    """
    if _says(words, _PENDING):
        return None
    if post.event != GitHubReviewEvent.COMMENT.value and _says(words, _NOT_PERMITTED):
        return Fallback.EVENT
    if is_foreign_commit(words):
        return Fallback.COMMIT if vouched and Fallback.COMMIT not in tried else None
    smaller = Fallback.PARTS if len(post.comments) > 1 else Fallback.TEXT
    left = [shape for shape in (Fallback.LINES, smaller) if shape not in tried]
    return left[0] if post.comments and left else None


def is_foreign_commit(words: Sequence[str]) -> bool:
    """The reviewed commit is none of the pull request's."""
    return _says(words, _NO_COMMIT)


def refusal_hint(words: Sequence[str]) -> str:
    """What a person can do where there is no other shape."""
    return next((text for signs, text in _HINTS.items() if _says(words, signs)), "")


def without_event(post: PostReview, words: Sequence[str]) -> PostReview:
    """Without a verdict."""
    setting = (_SETTING,) if _says(words, ("github actions is not permitted",)) else ()
    withheld = tuple(words) if post.event == GitHubReviewEvent.APPROVE.value else ()
    return _named(
        replace(
            post,
            event=GitHubReviewEvent.COMMENT.value,
            reasons=(*post.reasons, *words, *setting),
            withheld=withheld,
        )
    )


def as_text_at_head(post: PostReview, head: str) -> PostReview:
    """As text about a commit that was forced away, hung on the head of now: nothing of it is a
    verdict."""
    why = f"The reviewed commit {post.commit[:12]} is no longer in the pull request."
    return _in_text(
        replace(
            post,
            event=GitHubReviewEvent.COMMENT.value,
            reasons=(*post.reasons, why),
            target_commit=head,
            withheld=(),
        ),
        post.comments,
        _GONE,
    )


def on_shown_lines_only(post: PostReview, shown: Mapping[str, Sequence[range]]) -> PostReview:
    """Comments at lines of GitHub's own diff alone, the others in the text; as it is where the diff
    is not known."""
    if not shown:
        return post
    fitted = [_fitted(each, shown.get(each.path, ())) for each in post.comments]
    moved = [each for each, fit in zip(post.comments, fitted, strict=True) if fit is None]
    comments = tuple(fit for fit in fitted if fit)
    return (
        post
        if comments == post.comments
        else _in_text(replace(post, comments=comments), moved, _NOT_TAKEN)
    )


def all_in_text(post: PostReview) -> PostReview:
    """No comments at lines."""
    return _in_text(replace(post, comments=()), post.comments, _NOT_TAKEN)


def halves(comments: tuple[PlacedFinding, ...]) -> tuple[tuple[PlacedFinding, ...], ...]:
    """Two parts of about the same size; one comment is one part."""
    half = (len(comments) + 1) // 2
    return tuple(filter(None, (comments[:half], comments[half:])))


def with_comments(post: PostReview, comments: tuple[PlacedFinding, ...]) -> PostReview:
    """The review with these comments only."""
    return _named(replace(post, comments=comments))


def continued(post: PostReview) -> PostReview:
    """What follows a part of it: no text, no verdict."""
    return replace(
        post,
        event=GitHubReviewEvent.COMMENT.value,
        comments=(),
        listed=(),
        reasons=(),
        hints=(),
        part=2,
        more=0,
        withheld=(),
        summary=None,
    )


def _fitted(placed: PlacedFinding, hunks: Sequence[range]) -> PlacedFinding | None:
    """The comment where the diff has its lines, on its last line where it has only that, or
    none."""
    hunk = next((each for each in hunks if placed.line in each), None)
    if hunk is None:
        return None
    return placed if not placed.start or placed.start in hunk else replace(placed, start=0)


def _in_text(post: PostReview, moved: Sequence[PlacedFinding], why: str) -> PostReview:
    kept = tuple(each for each in post.comments if each not in moved)
    listed = tuple(PlacedFinding(each.finding, Placement.BODY, why) for each in moved)
    return _named(
        replace(
            post, comments=kept, listed=(*post.listed, *listed), part=1 if listed else post.part
        )
    )


def _named(post: PostReview) -> PostReview:
    return replace(post, digest=post_digest(post))


def _says(words: Sequence[str], signs: Collection[str]) -> bool:
    return any(sign in said.lower() for said in words for sign in signs)
