"""Issues, and their conversation (a pull request's too)."""

from .model import Comment, Issue
from .routes import Answer, Call, not_found, route
from .shape_talk import comment, issue
from .shapes import Json
from .talk import edit, make_comment, make_issue, set_labels, set_state

REPO = "/repos/{owner}/{repo}"
ISSUE, _COMMENT = REPO + "/issues/{issue}", REPO + "/issues/comments/{comment}"
READ, WRITE = "issues=read; pull_requests=read", "issues=write; pull_requests=write"


def one(call: Call) -> Issue:
    found = call.repo.issues.get(int(call.params["issue"]))
    if found is None:
        raise not_found()
    return found


def comment_of(call: Call) -> Comment:
    """The comment of the path."""
    found = next(
        (each for each in call.repo.comments if each.id == int(call.params["comment"])), None
    )
    if found is None:
        raise not_found()
    return found


def _shape(call: Call, each: Issue) -> Json:
    return issue(call.world, call.repo, each)


def _said(call: Call, each: Comment) -> Json:
    return comment(call.world, call.repo, each)


@route("GET", REPO + "/issues", "issues=read")
def issues(call: Call) -> Answer:
    query = call.request.query
    wanted = set(filter(None, query.get("labels", "").split(",")))
    found = [
        each
        for each in reversed(call.repo.issues.values())
        if query.get("state", "open") in ("all", each.state)
    ]
    found = [
        each
        for each in found
        if wanted <= set(each.labels) and each.updated >= query.get("since", "")
    ]
    return call.paged(
        [each for each in found if query.get("creator", each.author.login) == each.author.login],
        lambda each: _shape(call, each),
    )


@route("POST", REPO + "/issues", "issues=write", creates=True)
def create(call: Call) -> Json:
    body = call.json()
    names = [each if isinstance(each, str) else each["name"] for each in body.get("labels") or []]
    return _shape(
        call,
        make_issue(
            call.world,
            call.repo,
            call.user,
            str(body.get("title") or ""),
            body.get("body") or "",
            names,
        ),
    )


@route("DELETE", ISSUE + "/sub_issue", "issues=write")
def remove_sub_issue(call: Call) -> Json:
    one(call)
    raise not_found()  # nothing here has any


@route("GET", ISSUE + "/sub_issues", "issues=read")
def sub_issues(call: Call) -> Answer:
    return call.paged(
        [call.repo.issues[number] for number in one(call).below], lambda each: _shape(call, each)
    )


@route("GET", ISSUE, READ)
def get(call: Call) -> Json:
    return _shape(call, one(call))


@route("PATCH", ISSUE, "issues=write")
def update(call: Call) -> Json:
    body, found = call.json(), one(call)
    found.title, found.body = body.get("title", found.title), body.get("body", found.body) or ""
    if "labels" in body:
        set_labels(call.world, call.repo, found, body["labels"])
    if "state" in body:
        set_state(call.world, found, body["state"], body.get("state_reason"))
    found.updated = call.world.now()
    return _shape(call, found)


@route("GET", ISSUE + "/comments", READ)
def comments(call: Call) -> Answer:
    number, since = one(call).number, call.request.query.get("since", "")
    return call.paged(
        [each for each in call.repo.comments if each.number == number and each.updated >= since],
        lambda each: _said(call, each),
    )


@route("POST", ISSUE + "/comments", WRITE, creates=True)
def say(call: Call) -> Json:
    return _said(
        call,
        make_comment(
            call.world, call.repo, one(call).number, call.user, str(call.json().get("body") or "")
        ),
    )


@route("GET", _COMMENT, READ)
def get_comment(call: Call) -> Json:
    return _said(call, comment_of(call))


@route("PATCH", _COMMENT, WRITE)
def edit_comment(call: Call) -> Json:
    found = comment_of(call)
    edit(call.world, found, str(call.json().get("body") or ""))
    return _said(call, found)


@route("DELETE", _COMMENT, WRITE)
def delete_comment(call: Call) -> Answer:
    call.repo.comments.remove(comment_of(call))
    return Answer(204)
