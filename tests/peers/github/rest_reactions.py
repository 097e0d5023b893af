"""Reactions to comments of a conversation."""

from .model import Account
from .rest_issues import WRITE, comment_of
from .routes import Answer, Call, invalid, not_found, route
from .shapes import Json, node_id, user

_LIST = "/repos/{owner}/{repo}/issues/comments/{comment}/reactions"
_WORDS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def _shape(call: Call, each: tuple[int, Account, str]) -> Json:
    number, who, word = each
    return {
        "id": number,
        "node_id": node_id("REA", number),
        "user": user(call.world, who),
        "content": word,
        "created_at": call.world.now(),
    }


@route("GET", _LIST, "issues=read; pull_requests=read")
def reactions(call: Call) -> Answer:
    return call.paged(comment_of(call).reactions, lambda each: _shape(call, each))


@route("POST", _LIST, WRITE)
def react(call: Call) -> Answer:
    """Created, or 200 with the one that is there."""
    found, word = comment_of(call), call.json().get("content")
    if word not in _WORDS:
        raise invalid("Reaction", "content", "invalid")
    for each in found.reactions:
        if each[1:] == (call.user, word):
            return Answer(200, _shape(call, each))
    found.reactions.append((next(call.world.ids), call.user, word))
    return Answer(201, _shape(call, found.reactions[-1]))


@route("DELETE", _LIST + "/{reaction}", WRITE)
def remove(call: Call) -> Answer:
    found = comment_of(call)
    for each in found.reactions:
        if each[0] == int(call.params["reaction"]) and each[1] == call.user:
            found.reactions.remove(each)
            return Answer(204)
    raise not_found()
