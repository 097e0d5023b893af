"""What CI says of a commit: check runs, suites, statuses."""

from .checks import combined, latest, make_check, newest_statuses, statuses_of, suite_of
from .model import CheckRun, Status
from .routes import Answer, Call, Refusal, invalid, not_found, route
from .shape_checks import annotation, check_run, simple_status, status, suite
from .shapes import Json, minimal_repository

_COMMIT, _CHECKS = "/repos/{owner}/{repo}/commits/{ref+}", "/repos/{owner}/{repo}/check-runs"
MOST_ANNOTATIONS, MOST_SUITES, MOST_STATUSES = 50, 1000, 1000


def commit_of(call: Call) -> str:
    """The commit that the path names."""
    found = call.repo.git.commit_id(call.params["ref"])
    if not found:
        raise Refusal(422, f"No commit found for SHA: {call.params['ref']}")
    return found


@route("GET", _COMMIT + "/check-runs", "checks=read")
def check_runs(call: Call) -> Answer:
    sha, query = commit_of(call), call.request.query
    newest = {each.id for each in sorted(call.repo.suites, key=lambda each: -each.id)[:MOST_SUITES]}
    found = [each for each in call.repo.checks if each.head_sha == sha and each.suite.id in newest]
    found = (
        sorted(found, key=lambda each: -each.id) if query.get("filter") == "all" else latest(found)
    )
    found = [
        each
        for each in found
        if query.get("check_name", each.name) == each.name
        and query.get("status", each.status) == each.status
    ]
    found = [
        each
        for each in found
        if query.get("app_id", str(each.suite.app.id)) == str(each.suite.app.id)
    ]
    return call.paged(found, lambda each: check_run(call.world, call.repo, each), wrap="check_runs")


@route("GET", _COMMIT + "/check-suites", "checks=read")
def check_suites(call: Call) -> Answer:
    sha = commit_of(call)
    found = [each for each in call.repo.suites if each.head_sha == sha]
    return call.paged(found, lambda each: suite(call.world, call.repo, each), wrap="check_suites")


@route("GET", _COMMIT + "/status", "statuses=read")
def combined_status(call: Call) -> Answer:
    sha, repo = commit_of(call), call.repo
    found = newest_statuses(repo, sha)
    answer = call.paged(found, lambda each: simple_status(call.world, repo, each), wrap="statuses")
    url = f"{call.world.url}/repos/{repo.name}/commits/{sha}"
    answer.body |= {
        "state": combined(found),
        "sha": sha,
        "repository": minimal_repository(call.world, repo),
    }
    answer.body |= {"commit_url": url, "url": f"{url}/status"}
    return answer


@route("GET", _COMMIT + "/statuses", "statuses=read")
def statuses(call: Call) -> Answer:
    found = statuses_of(call.repo, commit_of(call))
    return call.paged(found, lambda each: status(call.world, call.repo, each))


@route("POST", "/repos/{owner}/{repo}/statuses/{sha}", "statuses=write", creates=True)
def make_status(call: Call) -> Json:
    body, sha = call.json(), call.repo.git.commit_id(call.params["sha"])
    if not sha:
        raise invalid("Status", "sha", "custom", f"No commit found for SHA: {call.params['sha']}")
    if (
        len(
            [
                each
                for each in statuses_of(call.repo, sha)
                if each.context == body.get("context", "default")
            ]
        )
        >= MOST_STATUSES
    ):
        raise invalid(
            "Status",
            "base",
            "custom",
            "This SHA and context has reached the maximum number of statuses.",
        )
    texts = (
        body.get("context") or "default",
        body["state"],
        body.get("description"),
        body.get("target_url"),
    )
    made = Status(next(call.world.ids), sha, *texts, call.user, call.world.now())
    call.repo.statuses.append(made)
    return status(call.world, call.repo, made)


@route("POST", _CHECKS, "checks=write", creates=True)
def create(call: Call) -> Json:
    body, app = call.json(), call.token.app if call.token else None
    if app is None:
        raise Refusal(403, "You must authenticate via a GitHub App.")
    sha = call.repo.git.rev(f"{body.get('head_sha', '')}^{{commit}}")
    if not sha:
        raise invalid(
            "CheckRun", "head_sha", "custom", f"No commit found for SHA: {body.get('head_sha')}"
        )
    _completed(body)
    fields = {"started": body.get("started_at"), "completed": body.get("completed_at"), **body}
    made = make_check(
        call.world,
        call.repo,
        suite_of(call.world, call.repo, app, sha),
        **_without(fields, "head_sha"),
    )
    _output(made, body.get("output") or {})
    return check_run(call.world, call.repo, made)


@route("GET", _CHECKS + "/{check}", "checks=read")
def get(call: Call) -> Json:
    return check_run(call.world, call.repo, _one(call))


@route("PATCH", _CHECKS + "/{check}", "checks=write")
def update(call: Call) -> Json:
    body, found, token = call.json(), _one(call), call.token
    if token is None or token.app != found.suite.app:
        raise Refusal(
            403,
            f"Invalid app_id `{token and token.app and token.app.id}` - check run can only be "
            "modified by the app that created it.",
        )
    _completed(body)
    found.status = "completed" if body.get("conclusion") else body.get("status") or found.status
    found.conclusion = body.get("conclusion") or found.conclusion
    found.name, found.details_url = (
        body.get("name") or found.name,
        body.get("details_url") or found.details_url,
    )
    found.completed = body.get("completed_at") or (
        call.world.now() if found.status == "completed" else None
    )
    _output(found, body.get("output") or {})
    return check_run(call.world, call.repo, found)


@route("GET", _CHECKS + "/{check}/annotations", "checks=read")
def annotations(call: Call) -> Answer:
    return call.paged(_one(call).annotations, annotation)


def _one(call: Call) -> CheckRun:
    found = next((each for each in call.repo.checks if each.id == int(call.params["check"])), None)
    if found is None:
        raise not_found()
    return found


def _completed(body: Json) -> None:
    if body.get("status") == "completed" and not body.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "missing_field")


def _output(check: CheckRun, output: Json) -> None:
    """Later annotations are added to the earlier ones."""
    new = output.get("annotations") or []
    if len(new) > MOST_ANNOTATIONS:
        raise invalid(
            "CheckRun",
            "annotations",
            "invalid",
            f"maximum of {MOST_ANNOTATIONS} annotations per request",
        )
    check.output |= {name: text for name, text in output.items() if name != "annotations"}
    check.annotations += new


def _without(fields: Json, name: str) -> Json:
    return {key: value for key, value in fields.items() if key != name}


@route("GET", "/repos/{owner}/{repo}/actions/jobs/{job}/logs", "actions=read", always=True)
def job_log(call: Call) -> Answer:
    """Only an address: the storage is another host."""
    page = f"/job/{call.params['job']}"
    found = [each for each in call.repo.checks if (each.details_url or "").endswith(page)]
    if not found or not found[0].log_url:
        raise not_found()
    return Answer(302, None, {"Location": found[0].log_url})
