"""The same review in a form that GitHub may take, after it has refused the first one: a comment, at other lines, or all in the text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from ..model.action import Placed, Post, Sink
from .actions import digest
from .downgrade import Event

_NOT_PERMITTED = ("can not approve", "cannot approve", "can not request changes", "cannot request changes", "not permitted to")
_NO_COMMIT = ("is not part of the pull request",)
_PENDING = ("pending review",)
_SETTING = 'To let workflows approve, turn on the repository setting "Allow GitHub Actions to create and approve pull requests".'
_NOT_TAKEN = "GitHub rejected its line"
_GONE = "its commit is no longer in the pull request"
_HINTS = {
    _PENDING: "this account has a pending review on the pull request: submit or discard it, then run again",
    _NO_COMMIT: "review the pull request's head, or push what was reviewed",
}


class Shape(Enum):
    """What is changed, in the order in which it is tried."""

    EVENT = "the review's event"
    COMMIT = "the commit"
    LINES = "a comment's line"
    TEXT = "the comments"


def next_shape(post: Post, words: Sequence[str], tried: Collection[Shape], vouched: bool) -> Shape | None:
    """What to change of a review that was refused with these words. `vouched`: the reviewed commit was the pull request's head."""
    if _says(words, _PENDING):
        return None
    if post.event != Event.COMMENT.value and _says(words, _NOT_PERMITTED):
        return Shape.EVENT
    if elsewhere(words):
        return Shape.COMMIT if vouched and Shape.COMMIT not in tried else None
    left = [shape for shape in (Shape.LINES, Shape.TEXT) if shape not in tried]
    return left[0] if post.comments and left else None


def elsewhere(words: Sequence[str]) -> bool:
    """The reviewed commit is none of the pull request's."""
    return _says(words, _NO_COMMIT)


def hint(words: Sequence[str]) -> str:
    """What a person can do where there is no other shape."""
    return next((text for signs, text in _HINTS.items() if _says(words, signs)), "")


def as_comment(post: Post, words: Sequence[str]) -> Post:
    """Without a verdict."""
    setting = (_SETTING,) if _says(words, ("github actions is not permitted",)) else ()
    withheld = tuple(words) if post.event == Event.APPROVE.value else ()
    return _named(replace(post, event=Event.COMMENT.value, reasons=(*post.reasons, *words, *setting), withheld=withheld))


def at_head(post: Post, head: str) -> Post:
    """As text about a commit that was forced away, hung on the head of now: nothing of it is a verdict."""
    why = f"The reviewed commit {post.commit[:12]} is no longer in the pull request."
    return _in_text(replace(post, event=Event.COMMENT.value, reasons=(*post.reasons, why), at=head, withheld=()), post.comments, _GONE)


def only_shown(post: Post, shown: Mapping[str, Sequence[range]]) -> Post:
    """Comments at lines of GitHub's own diff alone, the others in the text; where all seem to be in it, all in the text."""
    fitted = [_fitted(each, shown.get(each.finding.path, ())) for each in post.comments]
    moved = [each for each, fit in zip(post.comments, fitted, strict=True) if fit is None]
    comments = tuple(fit for fit in fitted if fit)
    return in_text(post) if comments == post.comments else _in_text(replace(post, comments=comments), moved, _NOT_TAKEN)


def in_text(post: Post) -> Post:
    """No comments at lines."""
    return _in_text(replace(post, comments=()), post.comments, _NOT_TAKEN)


def _fitted(placed: Placed, hunks: Sequence[range]) -> Placed | None:
    """The comment where the diff has its lines, on its last line where it has only that, or none."""
    hunk = next((each for each in hunks if placed.line in each), None)
    if hunk is None:
        return None
    return placed if not placed.start or placed.start in hunk else replace(placed, start=0)


def _in_text(post: Post, moved: Sequence[Placed], why: str) -> Post:
    kept = tuple(each for each in post.comments if each not in moved)
    listed = tuple(Placed(each.finding, Sink.BODY, why) for each in moved)
    return _named(replace(post, comments=kept, listed=(*post.listed, *listed), part=1 if listed else post.part))


def _named(post: Post) -> Post:
    return replace(post, digest=digest(post))


def _says(words: Sequence[str], signs: Collection[str]) -> bool:
    return any(sign in said.lower() for said in words for sign in signs)
