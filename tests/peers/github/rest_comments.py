"""Comments on the diff of a pull request, and replies to them."""

from .model import ReviewComment
from .posting import MOST_CHARACTERS, post_comment, post_reply
from .routes import Answer, Call, Refusal, invalid, not_found, route
from .shape_talk import review_comment
from .shapes import Json

_PULL, _ONE = (
    "/repos/{owner}/{repo}/pulls/{number}/comments",
    "/repos/{owner}/{repo}/pulls/comments/{comment}",
)


def shown(call: Call) -> list[ReviewComment]:
    """The comments that the asker may see: not those of a pending review, its author's own
    included."""
    pending = {each.id for each in call.repo.reviews if each.state == "PENDING"}
    return [each for each in call.repo.review_comments if each.review not in pending]


def _shape(call: Call, each: ReviewComment) -> Json:
    return review_comment(call.world, call.repo, each)


def _one(call: Call) -> ReviewComment:
    found = next((each for each in shown(call) if each.id == int(call.params["comment"])), None)
    if found is None:
        raise not_found()
    return found


def _own(call: Call) -> ReviewComment:
    found = _one(call)
    if found.author != call.user and call.repo.collaborators.get(call.user.login) not in (
        "write",
        "maintain",
        "admin",
    ):
        raise Refusal(403, "Resource not accessible by integration")
    return found


@route("GET", _PULL, "pull_requests=read")
def comments(call: Call) -> Answer:
    mine = [
        each
        for each in shown(call)
        if each.number == call.pull.number and each.created >= call.request.query.get("since", "")
    ]
    newest = call.request.query.get("direction") == "desc" and "sort" in call.request.query
    return call.paged(mine[::-1] if newest else mine, lambda each: _shape(call, each))


@route("POST", _PULL, "pull_requests=write", creates=True)
def create(call: Call) -> Json:
    body = call.json()
    if "in_reply_to" in body:
        return _shape(call, _reply(call, str(body.get("body") or ""), int(body["in_reply_to"])))
    return _shape(call, post_comment(call.world, call.repo, call.pull, call.user, body))


@route("POST", _PULL + "/{comment}/replies", "pull_requests=write", creates=True)
def reply(call: Call) -> Json:
    return _shape(call, _reply(call, str(call.json().get("body") or ""), _one(call).id))


@route("GET", _ONE, "pull_requests=read")
def get(call: Call) -> Json:
    return _shape(call, _one(call))


@route("PATCH", _ONE, "pull_requests=write")
def update(call: Call) -> Json:
    found, text = _own(call), str(call.json().get("body") or "")
    if not text.strip() or len(text) > MOST_CHARACTERS:
        raise invalid("PullRequestReviewComment", "body", "custom", "body is blank or too long")
    found.body = text
    found.updated = found.edited = call.world.now()
    return _shape(call, found)


@route("DELETE", _ONE, "pull_requests=write")
def delete(call: Call) -> Answer:
    call.repo.review_comments.remove(_own(call))
    return Answer(204)


def _reply(call: Call, text: str, to: int) -> ReviewComment:
    first = next(
        (each for each in shown(call) if each.id == to and each.number == call.pull.number), None
    )
    if first is None:
        raise not_found()
    return post_reply(call.world, call.repo, call.pull, call.user, text, first)
