"""The JSON of what people say: issues, comments, reviews and comments on a diff."""

from collections import Counter

from .model import Comment, Issue, Repository, Review, ReviewComment
from .shapes import Json, association, label, node_id, user
from .world import World

_NO_REACTIONS = dict.fromkeys(
    ("total_count", "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"), 0
)


def issue(world: World, repo: Repository, each: Issue) -> Json:
    """An issue; of a pull request too, which then says so."""
    base, page = f"{world.url}/repos/{repo.name}", f"https://github.com/{repo.name}"
    url, pull = f"{base}/issues/{each.number}", repo.pulls.get(each.number)
    urls = {f"{name}_url": f"{url}/{name}" for name in ("comments", "events", "timeline")}
    urls |= {"url": url, "repository_url": base, "labels_url": f"{url}/labels{{/name}}"}
    urls["html_url"] = f"{page}/{'pull' if pull else 'issues'}/{each.number}"
    who = {
        "id": each.id,
        "node_id": node_id("I", each.id),
        "number": each.number,
        "title": each.title,
        "body": each.body or None,
    }
    dates = {"created_at": each.created, "updated_at": each.updated, "closed_at": each.closed}
    state = {
        "state": each.state,
        "state_reason": each.state_reason,
        "locked": False,
        "active_lock_reason": None,
    }
    none = dict.fromkeys(("assignee", "milestone", "closed_by", "performed_via_github_app"))
    said = {
        "comments": sum(comment.number == each.number for comment in repo.comments),
        "reactions": {"url": url, **_NO_REACTIONS},
    }
    lists: Json = {
        "labels": [label(world, repo, repo.labels[name]) for name in each.labels],
        "assignees": [],
    }
    author = {
        "user": user(world, each.author),
        "author_association": association(repo, each.author),
    }
    code = {
        "url": f"{base}/pulls/{each.number}",
        **{f"{name}_url": urls["html_url"] for name in ("html", "diff", "patch")},
    }
    extra = (
        {
            "pull_request": {**code, "merged_at": each.closed if pull.merged else None},
            "draft": pull.draft,
        }
        if pull
        else {}
    )
    return {**who, **urls, **dates, **state, **none, **said, **lists, **author, **extra}


def comment(world: World, repo: Repository, each: Comment) -> Json:
    """A comment of a conversation."""
    base = f"{world.url}/repos/{repo.name}/issues"
    url, kind = f"{base}/comments/{each.id}", "pull" if each.number in repo.pulls else "issues"
    page = f"https://github.com/{repo.name}/{kind}/{each.number}#issuecomment-{each.id}"
    who = {
        "id": each.id,
        "node_id": node_id("IC", each.id),
        "url": url,
        "html_url": page,
        "issue_url": f"{base}/{each.number}",
    }
    said = {
        "body": each.body,
        "created_at": each.created,
        "updated_at": each.updated,
        "reactions": {"url": url, **_NO_REACTIONS, **_counted(each)},
    }
    author = {
        "user": user(world, each.author),
        "author_association": association(repo, each.author),
    }
    return {**who, **said, **author, "performed_via_github_app": None}


def _counted(each: Comment) -> dict[str, int]:
    words = [word for _, _, word in each.reactions]
    return {"total_count": len(words), **Counter(words)}


def review(world: World, repo: Repository, each: Review) -> Json:
    """A review."""
    pull = f"{world.url}/repos/{repo.name}/pulls/{each.number}"
    page = f"https://github.com/{repo.name}/pull/{each.number}#pullrequestreview-{each.id}"
    links = {"html": {"href": page}, "pull_request": {"href": pull}}
    who = {
        "id": each.id,
        "node_id": node_id("PRR", each.id),
        "html_url": page,
        "pull_request_url": pull,
        "_links": links,
    }
    author = {
        "user": user(world, each.author),
        "author_association": association(repo, each.author, repo.pulls[each.number]),
    }
    submitted = {"submitted_at": each.submitted} if each.submitted else {}
    return {
        **who,
        **author,
        "body": each.body,
        "state": each.state,
        "commit_id": each.commit_id,
        **submitted,
    }


def review_comment(world: World, repo: Repository, each: ReviewComment) -> Json:
    """A comment on a diff; outdated ones have no `line` and no `position`."""
    base = f"{world.url}/repos/{repo.name}/pulls"
    url, pull = f"{base}/comments/{each.id}", f"{base}/{each.number}"
    page = f"https://github.com/{repo.name}/pull/{each.number}#discussion_r{each.id}"
    links = {
        name: {"href": target}
        for name, target in (("self", url), ("html", page), ("pull_request", pull))
    }
    who = {
        "id": each.id,
        "node_id": node_id("PRRC", each.id),
        "url": url,
        "html_url": page,
        "pull_request_url": pull,
        "_links": links,
    }
    said = {
        "body": each.body,
        "created_at": each.created,
        "updated_at": each.updated,
        "reactions": {"url": url, **_NO_REACTIONS},
    }
    author = {
        "user": user(world, each.author),
        "author_association": association(repo, each.author, repo.pulls[each.number]),
    }
    commits = {
        "commit_id": each.commit_id,
        "original_commit_id": each.origin_commit,
        "pull_request_review_id": each.review,
    }
    reply = {"in_reply_to_id": each.reply_to} if each.reply_to else {}
    return {
        **who,
        **said,
        **author,
        **commits,
        **_lines(each),
        **reply,
        "diff_hunk": each.diff_hunk,
        "subject_type": each.subject,
    }


def _lines(each: ReviewComment) -> Json:
    origin, now = each.origin, each.now
    several = origin.start_side if origin.start_line else None
    old = {
        "original_line": origin.line or None,
        "original_start_line": origin.start_line or None,
        "original_position": origin.position or 1,
    }
    new = {
        "line": now.line or None if now else None,
        "start_line": now.start_line or None if now else None,
    }
    where = {
        "path": origin.path,
        "side": origin.side,
        "start_side": several,
        "position": (now.position or 1) if now else None,
    }
    return {**where, **old, **new}
