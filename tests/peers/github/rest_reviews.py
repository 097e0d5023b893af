"""Reviews of a pull request: made in one piece or not at all."""

from .model import Review
from .posting import post_review, submit
from .routes import Answer, Call, Refusal, not_found, route, unprocessable
from .shape_talk import review, review_comment
from .shapes import Json

_BASE = "/repos/{owner}/{repo}/pulls/{number}/reviews"


def _visible(call: Call) -> list[Review]:
    """A pending review is shown to its author alone."""
    who = call.token.account if call.token else None
    mine = (each for each in call.repo.reviews if each.number == call.pull.number)
    return [each for each in mine if each.state != "PENDING" or each.author == who]


def _one(call: Call) -> Review:
    found = next((each for each in _visible(call) if each.id == int(call.params["review"])), None)
    if found is None:
        raise not_found()
    return found


def _shape(call: Call, each: Review) -> Json:
    return review(call.world, call.repo, each)


@route("GET", _BASE, "pull_requests=read")
def reviews(call: Call) -> Answer:
    return call.paged(_visible(call), lambda each: _shape(call, each))


@route("POST", _BASE, "pull_requests=write", creates=True)
def create(call: Call) -> Answer:
    return Answer(
        200, _shape(call, post_review(call.world, call.repo, call.pull, call.user, call.json()))
    )


@route("GET", _BASE + "/{review}", "pull_requests=read")
def get(call: Call) -> Json:
    return _shape(call, _one(call))


@route("PUT", _BASE + "/{review}", "pull_requests=write")
def update(call: Call) -> Json:
    found = _own(call)
    found.body = str(call.json()["body"])
    return _shape(call, found)


@route("DELETE", _BASE + "/{review}", "pull_requests=write")
def delete(call: Call) -> Json:
    found = _own(call)
    if found.state != "PENDING":
        raise unprocessable("Can not delete a non-pending pull request review")
    shown = _shape(call, found)
    call.repo.reviews.remove(found)
    call.repo.review_comments[:] = [
        each for each in call.repo.review_comments if each.review != found.id
    ]
    return shown


@route("POST", _BASE + "/{review}/events", "pull_requests=write")
def events(call: Call) -> Json:
    found = _own(call)
    if found.state != "PENDING":
        raise unprocessable("Pull request review has already been submitted")
    submit(call.world, call.repo, call.pull, found, call.json())
    return _shape(call, found)


@route("PUT", _BASE + "/{review}/dismissals", "pull_requests=write")
def dismiss(call: Call) -> Json:
    found = _one(call)
    dismissed(found, str(call.json().get("message", "")))
    return _shape(call, found)


@route("GET", _BASE + "/{review}/comments", "pull_requests=read")
def comments(call: Call) -> Answer:
    found = _one(call)
    mine = [each for each in call.repo.review_comments if each.review == found.id]
    return call.paged(mine, lambda each: review_comment(call.world, call.repo, each))


def dismissed(each: Review, message: str) -> None:
    """Only a verdict can be dismissed."""
    if each.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise unprocessable("Can not dismiss a commented pull request review")
    if not message:
        raise unprocessable("Message can't be blank")
    each.state, each.dismissed_with = "DISMISSED", message


def _own(call: Call) -> Review:
    found = _one(call)
    if found.author != call.user:
        raise Refusal(403, "Resource not accessible by integration")
    return found
