"""The JSON of commits, files of a diff and pull requests."""

from typing import Any
from urllib.parse import quote

from .git import Commit, DiffFile
from .model import Pull, Repository
from .shapes import Json, association, label, node_id, repository, user
from .world import World

# One answer of the list of files shows at most so many lines of patches, then rows come back empty
# and nothing says so.
LINES_PER_ANSWER, BYTES_PER_FILE = 20_000, 500_000


def commit(world: World, repo: Repository, each: Commit) -> Json:
    """A commit."""
    url, page = (
        f"{world.url}/repos/{repo.name}/commits/{each.sha}",
        f"https://github.com/{repo.name}/commit/{each.sha}",
    )
    people = {"author": _person(each.author), "committer": _person(each.committer)}
    tree = {"sha": each.tree, "url": f"{world.url}/repos/{repo.name}/git/trees/{each.tree}"}
    verification = {
        "verified": False,
        "reason": "unsigned",
        "signature": None,
        "payload": None,
        "verified_at": None,
    }
    inner = {
        **people,
        "message": each.message,
        "tree": tree,
        "url": url,
        "comment_count": 0,
        "verification": verification,
    }
    parents = [
        {"sha": sha, "url": f"{world.url}/repos/{repo.name}/commits/{sha}", "html_url": page}
        for sha in each.parents
    ]
    who = {
        "sha": each.sha,
        "node_id": node_id("C", int(each.sha[:12], 16)),
        "url": url,
        "html_url": page,
        "comments_url": f"{url}/comments",
    }
    return {**who, "commit": inner, "author": None, "committer": None, "parents": parents}


def simple_commit(each: Commit) -> Json:
    """A commit as suites and workflow runs hold it."""
    people = {
        role: {"name": who[0], "email": who[1]}
        for role, who in (("author", each.author), ("committer", each.committer))
    }
    return {
        "id": each.sha,
        "tree_id": each.tree,
        "message": each.message,
        "timestamp": each.committer[2],
        **people,
    }


def files(world: World, repo: Repository, diff: tuple[DiffFile, ...], head: str) -> list[Json]:
    """The rows of one answer, patches left out as GitHub leaves them out."""
    rows, left = [], LINES_PER_ANSWER
    for each in diff:
        lines = each.patch.count("\n") + 1 if each.patch else 0
        left -= lines
        rows.append(_file(world, repo, each, head, left >= 0))
    return rows


def _file(world: World, repo: Repository, each: DiffFile, head: str, room: bool) -> Json:
    page = f"https://github.com/{repo.name}"
    path = quote(each.path)
    urls = {"blob_url": f"{page}/blob/{head}/{path}", "raw_url": f"{page}/raw/{head}/{path}"}
    urls["contents_url"] = f"{world.url}/repos/{repo.name}/contents/{path}?ref={head}"
    counts = (each.additions, each.deletions) if room else (0, 0)
    row = {
        "sha": each.sha,
        "filename": each.path,
        "status": each.status,
        "additions": counts[0],
        "deletions": counts[1],
    }
    shown = (
        {"patch": each.patch}
        if room and each.patch and len(each.patch.encode()) <= BYTES_PER_FILE
        else {}
    )
    renamed = {"previous_filename": each.old_path} if each.old_path != each.path else {}
    return {**row, "changes": sum(counts), **urls, **shown, **renamed}


def pull(world: World, repo: Repository, each: Pull, whole: bool = True) -> Json:
    """A pull request; in lists without what must be counted."""
    issue = repo.issues[each.number]
    url, page = (
        f"{world.url}/repos/{repo.name}/pulls/{each.number}",
        f"https://github.com/{repo.name}/pull/{each.number}",
    )
    links = _links(world, repo, each, url, page)
    who = {
        "id": each.id,
        "node_id": node_id("PR", each.id),
        "number": each.number,
        "url": url,
        "html_url": page,
        "state": issue.state,
    }
    text = {
        "title": issue.title,
        "body": issue.body or None,
        "user": user(world, issue.author),
        "draft": each.draft,
        "locked": False,
    }
    dates = {
        "created_at": issue.created,
        "updated_at": issue.updated,
        "closed_at": issue.closed,
        "merged_at": issue.closed if each.merged else None,
    }
    owner = each.head_repo.split("/")[0]
    sides = {"head": _side(world, repo, owner, each.head_repo, each.head_ref, each.head_sha)}
    sides["base"] = _side(world, repo, repo.owner, repo.name, each.base_ref, each.base_sha)
    none = dict.fromkeys(("assignee", "milestone", "auto_merge", "active_lock_reason"))
    labels = [label(world, repo, repo.labels[name]) for name in issue.labels]
    lists: Json = {
        "labels": labels,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
    }
    extra = _counted(repo, each) if whole else {}
    merge = {
        "merge_commit_sha": each.merge_sha or None,
        "author_association": association(repo, issue.author, each),
    }
    return {**who, **links, **text, **dates, **sides, **none, **lists, **merge, **extra}


def _links(world: World, repo: Repository, each: Pull, url: str, page: str) -> Json:
    issue = f"{world.url}/repos/{repo.name}/issues/{each.number}"
    comment, statuses = (
        f"{world.url}/repos/{repo.name}/pulls/comments{{/number}}",
        f"{world.url}/repos/{repo.name}/statuses/{each.head_sha}",
    )
    named = {
        "comments": f"{issue}/comments",
        "commits": f"{url}/commits",
        "statuses": statuses,
        "issue": issue,
    }
    named |= {"review_comments": f"{url}/comments", "review_comment": comment}
    relations = {
        name: {"href": target} for name, target in {**named, "html": page, "self": url}.items()
    }
    flat = {f"{name}_url": target for name, target in named.items()}
    return {**flat, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "_links": relations}


def _counted(repo: Repository, each: Pull) -> Json:
    base = repo.merge_base(each)
    diff, commits = repo.git.files(base, each.head_sha), repo.git.commits(base, each.head_sha)
    talk = {
        "comments": sum(comment.number == each.number for comment in repo.comments),
        "review_comments": sum(comment.number == each.number for comment in repo.review_comments),
    }
    code = {"commits": len(commits), "changed_files": len(diff)}
    code |= {
        "additions": sum(file.additions for file in diff),
        "deletions": sum(file.deletions for file in diff),
    }
    state = {
        "merged": each.merged,
        "mergeable": bool(each.merge_sha),
        "mergeable_state": "clean" if each.merge_sha else "dirty",
    }
    return {
        **talk,
        **code,
        **state,
        "rebaseable": False,
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def _side(world: World, repo: Repository, owner: str, name: str, ref: str, sha: str) -> Json:
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user(world, world.account(owner)),
        "repo": repository(world, repo, name),
    }


def _person(fields: tuple[str, str, str]) -> dict[str, Any]:
    return dict(zip(("name", "email", "date"), fields, strict=True))
