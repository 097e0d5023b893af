"""Reviews: posted whole with commit and event, listed, dismissed; a pending one that was left over is found and cleared."""

from collections.abc import Sequence
from typing import Any, Literal

from ...model.pull import Account, Draft, PostedReview
from . import people
from .client import Client
from .errors import Malformed, NotFound, Refused, stored
from .read import Part

Event = Literal["COMMENT", "APPROVE", "REQUEST_CHANGES"]
_PENDING, _DISMISSED = "PENDING", "DISMISSED"


def post_review(client: Client, number: int, commit: str, event: Event, body: str, comments: Sequence[Draft] = ()) -> PostedReview:
    """Post one review of the commit that was read; one wrong comment refuses all of it.

    Raises:
        Unprocessable: GitHub does not take it; nothing is stored.
        Uncertain: it may have been stored: list the reviews before it is posted again.
    """
    drafts = [_draft(each) for each in comments]
    # Without an event it would stay pending, without a commit it would be about whatever was pushed meanwhile.
    sent = {"commit_id": commit, "event": event, "body": body, "comments": drafts}
    answer = client.write("POST", client.path("pulls", number, "reviews"), sent)
    with stored():
        posted = _review(answer)
        if posted.state == _PENDING:
            raise Malformed(f"GitHub left the review {posted.id} pending")
    return posted


def read_reviews(client: Client, number: int) -> tuple[PostedReview, ...]:
    """Every review of a pull request, oldest first; pending ones are only the asker's own."""
    return tuple(_review(each) for each in client.pages(client.path("pulls", number, "reviews")).items)


def own_reviews(reviews: Sequence[PostedReview], me: Account | None) -> tuple[PostedReview, ...]:
    """Those that we wrote; none while it is not known who we are."""
    return tuple(each for each in reviews if each.author.same_as(me))


def clear_pending(client: Client, number: int, reviews: Sequence[PostedReview], me: Account | None) -> PostedReview | None:
    """Delete our pending review if it is empty, as an interrupted run leaves it. One with text or comments stays and is returned."""
    pending = next((each for each in own_reviews(reviews, me) if each.state == _PENDING), None)
    if pending is None:
        return None
    try:
        path = client.path("pulls", number, "reviews", pending.id)
        if pending.body.strip() or client.pages(f"{path}/comments").items:
            return pending
        client.write("DELETE", path)
    except NotFound:
        pass  # it is gone, by an earlier try or somebody else
    return None


def edit_review(client: Client, number: int, review: int, body: str) -> None:
    """Other text for a review of ours."""
    answer = client.write("PUT", client.path("pulls", number, "reviews", review), {"body": body})
    with stored():
        _review(answer)


def dismiss(client: Client, number: int, review: int, message: str) -> None:
    """Take a verdict of ours back; one that is dismissed already stays so."""
    path = client.path("pulls", number, "reviews", review)
    try:
        answer = client.write("PUT", f"{path}/dismissals", {"message": message, "event": "DISMISS"})
    except Refused:
        if _review(client.get(path)).state != _DISMISSED:
            raise
        return
    with stored():
        if _review(answer).state != _DISMISSED:
            raise Malformed(f"GitHub did not dismiss the review {review}")


def _draft(comment: Draft) -> dict[str, Any]:
    """As the API wants it: a range is named only where there is one."""
    place: dict[str, Any] = {"path": comment.path, "body": comment.body, "line": comment.line, "side": comment.side}
    if 0 < comment.start_line < comment.line:
        place |= {"start_line": comment.start_line, "start_side": comment.side}
    return place


def _review(part: Part) -> PostedReview:
    return PostedReview(
        id=part.number("id"),
        author=people.from_rest(part.maybe("user")),
        state=part.text("state"),
        body=part.text("body"),
        commit=part.oid("commit_id") if part.maybe("commit_id") else "",
        submitted=part.optional("submitted_at"),
        node=part.text("node_id"),
    )
