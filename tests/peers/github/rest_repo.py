"""The repository itself, who may do what in it, what it requires, its workflow runs, and the
asker."""

from .model import Repository
from .routes import Answer, Call, Refusal, not_found, route
from .shape_checks import branch_rules, workflow_run
from .shape_code import commit
from .shapes import Json, repository, user

_REPO = "/repos/{owner}/{repo}"
_ROLE = {"maintain": "write", "triage": "read"}  # `permission` knows four words, `role_name` all
_TIMES = ("limit", "remaining", "used", "reset")


@route("GET", _REPO, "metadata=read")
def get(call: Call) -> Json:
    return repository(call.world, call.repo)


@route("GET", "/user")
def whoami(call: Call) -> Json:
    if call.user and call.token and call.token.kind == "installation":
        raise Refusal(403, "Resource not accessible by integration")
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    who = dict.fromkeys(("name", "company", "location", "email", "hireable", "bio"), None) | {
        "blog": ""
    }
    dates = dict.fromkeys(("created_at", "updated_at"), "2020-01-01T00:00:00Z")
    return {**user(call.world, call.user), **who, **counts, **dates}


@route("GET", "/rate_limit")
def rate_limit(call: Call) -> Json:
    sent = call.world.limits.headers(call.token, call.world.clock())
    core = {name: int(sent.get(f"x-ratelimit-{name}", 0)) for name in _TIMES}
    return {"resources": {"core": core, "graphql": core, "search": core}, "rate": core}


@route("GET", _REPO + "/collaborators/{username}/permission", "metadata=read")
def permission(call: Call) -> Json:
    login, repo = call.params["username"], call.repo
    if login not in call.world.accounts:
        raise Refusal(404, f"{login} is not a user")
    role = (
        "admin"
        if login == repo.owner
        else repo.collaborators.get(login, "none" if repo.private else "read")
    )
    level = _ROLE.get(role, role)
    held = {"admin": 3, "write": 2, "read": 1, "none": 0}[level]
    rights = {
        "admin": held > 2,
        "maintain": held > 2 or role == "maintain",
        "push": held > 1,
        "triage": held > 1,
        "pull": held > 0,
    }
    who = {**user(call.world, call.world.accounts[login]), "role_name": role, "permissions": rights}
    return {"permission": level, "role_name": role, "user": who}


@route(
    "GET",
    _REPO + "/branches/{branch+}/protection/required_status_checks",
    "administration=read",
    always=True,
)
def required(call: Call) -> Json:
    name = call.params["branch"]
    _tip(call.repo, name)
    if name not in call.repo.required:
        raise Refusal(404, "Branch not protected")
    url = (
        f"{call.world.url}/repos/{call.repo.name}/branches/{name}/protection/required_status_checks"
    )
    checks = [{"context": context, "app_id": app} for context, app in call.repo.required[name]]
    return {
        "url": url,
        "strict": False,
        "contexts": [each["context"] for each in checks],
        "contexts_url": f"{url}/contexts",
        "checks": checks,
    }


@route("GET", _REPO + "/branches/{branch+}", "contents=read")
def branch(call: Call) -> Json:
    name, repo = call.params["branch"], call.repo
    tip = repo.git.commits("", _tip(repo, name))[0]
    url, page = (
        f"{call.world.url}/repos/{repo.name}/branches/{name}",
        f"https://github.com/{repo.name}/tree/{name}",
    )
    checks = [{"context": context, "app_id": app} for context, app in repo.required.get(name, [])]
    level = {
        "enforcement_level": "non_admins" if checks else "off",
        "contexts": [each["context"] for each in checks],
        "checks": checks,
    }
    links = {"self": url, "html": page}
    shown = {
        "protected": name in repo.required,
        "protection": {"enabled": name in repo.required, "required_status_checks": level},
    }
    return {
        "name": name,
        "commit": commit(call.world, repo, tip),
        "_links": links,
        **shown,
        "protection_url": f"{url}/protection",
    }


@route("GET", _REPO + "/rules/branches/{branch+}", "metadata=read")
def rules(call: Call) -> Answer:
    return call.paged(branch_rules(call.repo, call.params["branch"]), lambda each: each)


@route("GET", _REPO + "/actions/runs/{run}", "actions=read")
def run(call: Call) -> Json:
    found = call.repo.runs.get(int(call.params["run"]))
    if found is None:
        raise not_found()
    return workflow_run(call.world, call.repo, found)


def _tip(repo: Repository, name: str) -> str:
    found = repo.git.rev(f"refs/heads/{name}")
    if not found:
        raise Refusal(404, "Branch not found")
    return found
