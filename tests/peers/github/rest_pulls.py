"""Pull requests: the object, its diff, its files, its commits."""

from .routes import Answer, Call, Refusal, page_of, route
from .shape_code import commit, files, pull
from .shapes import Json
from .talk import set_state

_PULL = "/repos/{owner}/{repo}/pulls/{number}"
MOST_FILES_IN_DIFF, MOST_LINES_IN_DIFF, MOST_FILES, MOST_COMMITS = 300, 20_000, 3000, 250
_INSTEAD = (
    "Consider using 'List pull requests files' API or locally cloning the repository instead."
)


@route("GET", "/repos/{owner}/{repo}/pulls", "pull_requests=read")
def pulls(call: Call) -> Answer:
    query, repo = call.request.query, call.repo
    found = [
        each
        for each in reversed(repo.pulls.values())
        if query.get("state", "open") in ("all", repo.issues[each.number].state)
    ]
    found = [each for each in found if query.get("base", each.base_ref) == each.base_ref]
    named = [
        each
        for each in found
        if query.get("head", "") in ("", f"{each.head_repo.split('/')[0]}:{each.head_ref}")
    ]
    return call.paged(named, lambda each: pull(call.world, repo, each, whole=False))


@route("GET", _PULL, "pull_requests=read")
def get(call: Call) -> Answer:
    accepted = call.request.headers.get("accept", "")
    if "diff" in accepted:
        return _diff(call)
    return Answer(200, pull(call.world, call.repo, call.pull))


@route("PATCH", _PULL, "pull_requests=write")
def update(call: Call) -> Json:
    body, issue = call.json(), call.repo.issues[call.pull.number]
    issue.title, issue.body = body.get("title", issue.title), body.get("body", issue.body) or ""
    if "state" in body:
        set_state(call.world, issue, body["state"])
    return pull(call.world, call.repo, call.pull)


@route("GET", _PULL + "/files", "pull_requests=read")
def changed(call: Call) -> Answer:
    repo, head = call.repo, call.pull.head_sha
    diff = repo.git.files(repo.merge_base(call.pull), head)[:MOST_FILES]
    size, page = page_of(call.request.query)
    rows = files(call.world, repo, diff[(page - 1) * size : page * size], head)
    return Answer(200, rows, call.links(page, max(1, -(-len(diff) // size))))


@route("GET", _PULL + "/commits", "pull_requests=read")
def commits(call: Call) -> Answer:
    found = call.repo.git.commits(call.repo.merge_base(call.pull), call.pull.head_sha)[
        :MOST_COMMITS
    ]
    return call.paged(found, lambda each: commit(call.world, call.repo, each))


@route("GET", "/repos/{owner}/{repo}/commits/{sha}/pulls", "pull_requests=read")
def of_commit(call: Call) -> Answer:
    repo, sha = call.repo, call.params["sha"]
    found = [
        each
        for each in repo.pulls.values()
        if sha in {one.sha for one in repo.git.commits(repo.merge_base(each), each.head_sha)}
    ]
    return call.paged(found, lambda each: pull(call.world, repo, each, whole=False))


def _diff(call: Call) -> Answer:
    repo, base = call.repo, call.repo.merge_base(call.pull)
    if len(repo.git.files(base, call.pull.head_sha)) > MOST_FILES_IN_DIFF:
        raise _too_large("files", MOST_FILES_IN_DIFF)
    text = repo.git.diff(base, call.pull.head_sha)
    if text.count(b"\n") > MOST_LINES_IN_DIFF:
        raise _too_large("lines", MOST_LINES_IN_DIFF)
    return Answer(200, text, {"content-type": "application/vnd.github.v3.diff; charset=utf-8"})


def _too_large(what: str, most: int) -> Refusal:
    said = f"Sorry, the diff exceeded the maximum number of {what} ({most}). {_INSTEAD}"
    return Refusal(406, said, [{"resource": "PullRequest", "field": "diff", "code": "too_large"}])
