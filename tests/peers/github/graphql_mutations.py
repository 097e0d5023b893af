"""The mutations that are modelled, each with the permission that it needs."""

from collections.abc import Callable
from typing import Any

from .graphql_data import may_resolve
from .model import Pull, Repository, Review
from .rest_reviews import dismissed
from .routes import Call, Refusal
from .shapes import Json, node_id
from .world import forbidden, may


def mutate(call: Call, name: str, given: Json) -> Json:
    """Do a mutation; its payload, with references to what it changed."""
    if name not in _MUTATIONS:
        return _error("NOT_MODELLED", f"The fake of GitHub does not model the mutation {name}")
    call.world.remember()
    try:
        return _MUTATIONS[name](call, given)
    except Refusal as refusal:
        kind = "FORBIDDEN" if refusal.status == 403 else "UNPROCESSABLE"
        return _error(kind, "; ".join(map(str, refusal.errors)) or refusal.message)
    except LookupError as missing:
        return _error(
            "NOT_FOUND", f"Could not resolve to a node with the global id of '{missing.args[0]}'"
        )


def _error(kind: str, message: str) -> Json:
    return {"$error": {"type": kind, "message": message}}


def _resolve(call: Call, given: Json) -> Json:
    repo, pull, first = _thread(call, given["threadId"])
    _allow_resolving(call, repo, pull)
    pull.resolved[first] = call.user
    return {"thread": {"$ref": given["threadId"]}}


def _unresolve(call: Call, given: Json) -> Json:
    repo, pull, first = _thread(call, given["threadId"])
    _allow_resolving(call, repo, pull)
    pull.resolved.pop(first, None)
    return {"thread": {"$ref": given["threadId"]}}


def _minimize(call: Call, given: Json) -> Json:
    _need(call, "pull_requests=write; issues=write")
    key = given["subjectId"]
    found = _hidden(call, key)
    found.minimized = given["classifier"]
    return {"minimizedComment": {"$ref": key}}


def _unminimize(call: Call, given: Json) -> Json:
    _need(call, "pull_requests=write; issues=write")
    key = given["subjectId"]
    found = _hidden(call, key)
    found.minimized = ""
    return {"unminimizedComment": {"$ref": key}}


def _hidden(call: Call, key: str) -> Any:
    kinds = {"PRRC": "review_comments", "PRR": "reviews", "IC": "comments"}
    kind = kinds.get(key.split("_")[0], "")
    found = next(
        (
            each
            for repo in call.repos.values()
            for each in getattr(repo, kind, ())
            if node_id(key.split("_")[0], each.id) == key
        ),
        None,
    )
    if found is None:
        raise LookupError(key)
    return found


def _dismiss(call: Call, given: Json) -> Json:
    _need(call, "pull_requests=write")
    _, found = _review(call, given["pullRequestReviewId"])
    dismissed(found, given["message"])
    return {"pullRequestReview": {"$ref": given["pullRequestReviewId"]}}


def _delete(call: Call, given: Json) -> Json:
    _need(call, "pull_requests=write")
    repo, found = _review(call, given["pullRequestReviewId"])
    if found.state != "PENDING" or found.author != call.user:
        raise Refusal(422, "Can not delete a non-pending pull request review")
    repo.reviews.remove(found)
    repo.review_comments[:] = [each for each in repo.review_comments if each.review != found.id]
    return {"pullRequestReview": None}


_MUTATIONS: dict[str, Callable[[Call, Json], Json]] = {
    "resolveReviewThread": _resolve,
    "unresolveReviewThread": _unresolve,
    "minimizeComment": _minimize,
    "unminimizeComment": _unminimize,
    "dismissPullRequestReview": _dismiss,
    "deletePullRequestReview": _delete,
}


def _need(call: Call, needs: str) -> None:
    if call.token and not any(may(call.token, need) for need in needs.split("; ")):
        raise forbidden(call.token, needs)


def _allow_resolving(call: Call, repo: Repository, pull: Pull) -> None:
    if call.token and not may_resolve(call.world, repo, pull, call):
        raise forbidden(call.token, "contents=write")


def _thread(call: Call, key: str) -> tuple[Repository, Pull, int]:
    for repo in call.repos.values():
        for each in repo.review_comments:
            if node_id("PRRT", each.thread) == key:
                return repo, repo.pulls[each.number], each.thread
    raise LookupError(key)


def _review(call: Call, key: str) -> tuple[Repository, Review]:
    found: Any = (
        (repo, each)
        for repo in call.repos.values()
        for each in repo.reviews
        if node_id("PRR", each.id) == key
    )
    if (pair := next(found, None)) is None:
        raise LookupError(key)
    return pair
