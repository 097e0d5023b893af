"""The JSON of people, apps and repositories."""

from base64 import b64encode
from typing import Any
from urllib.parse import quote

from .model import Account, App, Label, Pull, Repository
from .world import World

Json = dict[str, Any]
_EPOCH = "2020-01-01T00:00:00Z"
_USER_URLS = (
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "orgs",
    "repos",
    "events",
    "received_events",
)
_REPO_URLS = (
    *(
        "archive",
        "assignees",
        "blobs",
        "branches",
        "collaborators",
        "comments",
        "commits",
        "compare",
        "contents",
        "contributors",
    ),
    *(
        "deployments",
        "downloads",
        "events",
        "forks",
        "git_commits",
        "git_refs",
        "git_tags",
        "hooks",
        "issue_comment",
        "issue_events",
    ),
    *(
        "issues",
        "keys",
        "labels",
        "languages",
        "merges",
        "milestones",
        "notifications",
        "pulls",
        "releases",
        "stargazers",
        "statuses",
    ),
    *("subscribers", "subscription", "tags", "teams", "trees"),
)
_COUNTS = (
    "forks",
    "forks_count",
    "open_issues",
    "open_issues_count",
    "stargazers_count",
    "watchers",
    "watchers_count",
    "size",
)


def node_id(kind: str, number: int) -> str:
    """An opaque global id."""
    return f"{kind}_{b64encode(str(number).encode()).decode().rstrip('=')}"


def user(world: World, account: Account) -> Json:
    """A simple user."""
    url, page = (
        f"{world.url}/users/{quote(account.login)}",
        f"https://github.com/{account.login.removesuffix('[bot]')}",
    )
    urls = {f"{name}_url": f"{url}/{name}" for name in _USER_URLS} | {
        "organizations_url": f"{url}/orgs"
    }
    urls.pop("orgs_url")
    who = {
        "login": account.login,
        "id": account.id,
        "node_id": node_id("U", account.id),
        "type": account.kind,
        "site_admin": False,
    }
    return {
        **who,
        "avatar_url": f"https://avatars.githubusercontent.com/u/{account.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": page,
        **urls,
    }


def app(world: World, each: App) -> Json:
    """A GitHub App."""
    page = {
        "external_url": "https://example.com",
        "html_url": f"https://github.com/apps/{each.slug}",
    }
    who = {
        "id": each.id,
        "slug": each.slug,
        "name": each.name,
        "node_id": node_id("A", each.id),
        "client_id": f"Iv1.{each.id}",
    }
    owner = user(world, Account("github", 9919, "Organization"))
    dates = {"created_at": _EPOCH, "updated_at": _EPOCH}
    return {
        **who,
        **page,
        **dates,
        "owner": owner,
        "description": "",
        "permissions": {"checks": "write"},
        "events": ["push"],
    }


def minimal_repository(world: World, repo: Repository, name: str = "") -> Json:
    """A repository as other objects hold it; another `name` is a fork of it."""
    full = name or repo.name
    owner, short = full.split("/")
    url, page = f"{world.url}/repos/{full}", f"https://github.com/{full}"
    urls = {f"{each}_url": f"{url}/{each}" for each in _REPO_URLS}
    number = repo.id + (1 if name and name != repo.name else 0)
    who = {
        "id": number,
        "node_id": node_id("R", number),
        "name": short,
        "full_name": full,
        "owner": user(world, world.account(owner)),
    }
    what = {
        "private": repo.private,
        "fork": full != repo.name,
        "description": None,
        "url": url,
        "html_url": page,
    }
    return {**who, **what, **urls, "default_branch": repo.default_branch}


def repository(world: World, repo: Repository, name: str = "") -> Json:
    """A whole repository."""
    base = minimal_repository(world, repo, name)
    page, counts = (
        base["html_url"],
        dict.fromkeys((*_COUNTS, "network_count", "subscribers_count"), 0),
    )
    clones = {
        "clone_url": f"{page}.git",
        "git_url": f"git://{page[8:]}.git",
        "ssh_url": f"git@{page[8:]}.git",
        "svn_url": page,
    }
    has = {
        f"has_{what}": what == "issues"
        for what in ("issues", "projects", "wiki", "pages", "discussions", "downloads")
    }
    flags = dict.fromkeys(("archived", "disabled"), False) | dict.fromkeys(
        ("homepage", "language", "mirror_url", "license")
    )
    dates = dict.fromkeys(("pushed_at", "created_at", "updated_at"), _EPOCH)
    shown = {"visibility": "private" if repo.private else "public"}
    return {**base, **counts, **clones, **has, **flags, **dates, **shown}


def label(world: World, repo: Repository, each: Label) -> Json:
    """A label."""
    url = f"{world.url}/repos/{repo.name}/labels/{each.name}"
    who = {"id": each.id, "node_id": node_id("LA", each.id), "url": url, "name": each.name}
    return {**who, "description": each.description, "color": each.color, "default": False}


def association(repo: Repository, account: Account, pull: Pull | None = None) -> str:
    """What somebody is to a repository."""
    if account.login == repo.owner:
        return "OWNER"
    if account.login in repo.collaborators:
        return "COLLABORATOR"
    return (
        "CONTRIBUTOR"
        if pull and repo.issues[pull.number].author == account and account.kind == "User"
        else "NONE"
    )


def minimal_pull(world: World, repo: Repository, pull: Pull) -> Json:
    """A pull request as check runs and workflow runs hold it."""
    number = pull.number
    ends = {
        "head": (pull.head_ref, pull.head_sha, pull.head_repo),
        "base": (pull.base_ref, pull.base_sha, repo.name),
    }
    sides = {
        end: {"ref": ref, "sha": sha, "repo": _tiny(world, repo, name)}
        for end, (ref, sha, name) in ends.items()
    }
    return {
        "id": pull.id,
        "number": number,
        "url": f"{world.url}/repos/{repo.name}/pulls/{number}",
        **sides,
    }


def _tiny(world: World, repo: Repository, name: str) -> Json:
    return {
        "id": repo.id + (name != repo.name),
        "url": f"{world.url}/repos/{name}",
        "name": name.split("/")[1],
    }
