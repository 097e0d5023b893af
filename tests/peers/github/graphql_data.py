"""What GraphQL can be asked: the state as a tree of fields, objects with an id once each, under
`nodes`."""

import re
from typing import Any

from .checks import latest, newest_statuses, rollup
from .model import Account, CheckRun, Comment, Pull, Repository, Review, ReviewComment, Status
from .routes import Call
from .shape_checks import branch_rules
from .shapes import Json, association, node_id
from .world import World, forbidden, may

_INT = 2**31
_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #(\d+)\b", re.IGNORECASE)
_PERMISSION = {
    "admin": "ADMIN",
    "maintain": "MAINTAIN",
    "write": "WRITE",
    "triage": "TRIAGE",
    "read": "READ",
}


class Data:
    """The tree for one asker."""

    def __init__(self, call: Call) -> None:
        self.call, self.world = call, call.world
        self.nodes: dict[str, Json] = {}
        shown = [repo for repo in call.repos.values() if not repo.private or call.token]
        repos = {repo.name.lower(): self._repository(repo) for repo in shown}
        self.root: Json = {
            "viewer": self._viewer(),
            "repository": {"$by": ["owner", "name"], "items": repos},
        }
        self.root |= {
            "node": {"$by": ["id"], "items": self.nodes},
            "rateLimit": {"cost": 1, "limit": 1000, "remaining": 900},
        }

    def _put(self, kind: str, key: str, fields: Json) -> Json:
        self.nodes[key] = {"__typename": kind, "id": key, **fields}
        return {"$ref": key}

    def _viewer(self) -> Json:
        """The viewer is a User to the schema, a bot too, and its login keeps [bot]."""
        who = self.call.user
        return {
            **_numbers(who.id),
            "__typename": "User",
            "id": node_id("U", who.id),
            "login": who.login,
            "name": None,
        }

    def _repository(self, repo: Repository) -> Json:
        hidden = self._denied("pull_requests=read", repo)
        pulls = {str(number): self._pull(repo, pull) for number, pull in repo.pulls.items()}
        mine = repo.collaborators.get(self.call.user.login, "read") if self.call.token else "read"
        fields = {
            **_numbers(repo.id),
            "name": repo.name.split("/")[1],
            "nameWithOwner": repo.name,
            "owner": actor(self.world.account(repo.owner)),
            "isPrivate": repo.private,
            "url": f"https://github.com/{repo.name}",
            "viewerPermission": _PERMISSION.get(mine, "READ"),
            "defaultBranchRef": {"name": repo.default_branch},
            "ref": {"$by": ["qualifiedName"], "items": self._refs(repo), "else": None},
            "pullRequest": hidden or {"$by": ["number"], "items": pulls},
            "pullRequests": hidden or list(pulls.values()),
            "object": {
                "$by": ["oid"],
                "else": None,
                "items": {
                    sha: self._commit(repo, sha)
                    for pull in repo.pulls.values()
                    for sha in (pull.head_sha, pull.merge_sha)
                    if sha
                },
            },
        }
        return self._put("Repository", node_id("R", repo.id), fields)

    def _refs(self, repo: Repository) -> dict[str, Json]:
        """The branches that pull requests go to, with the rules that REST shows; GitHub has null
        for a branch that is not there."""
        branches = {repo.default_branch, *(pull.base_ref for pull in repo.pulls.values())}
        rules = {
            name: [{"type": each["type"].upper()} for each in branch_rules(repo, name)]
            for name in branches
        }
        return {
            f"refs/heads/{name}": {"name": name, "rules": found} for name, found in rules.items()
        }

    def _pull(self, repo: Repository, pull: Pull) -> Json:
        issue, base = repo.issues[pull.number], repo.merge_base(pull)
        state = "MERGED" if pull.merged else issue.state.upper()
        files = repo.git.files(base, pull.head_sha)
        said = [self._comment(repo, each) for each in repo.comments if each.number == pull.number]
        commits = [
            {"commit": self._commit(repo, each.sha)}
            for each in repo.git.commits(base, pull.head_sha)
        ]
        fields = {
            **_numbers(pull.id),
            **{
                "number": pull.number,
                "title": issue.title,
                "body": issue.body,
                "state": state,
                "closed": state != "OPEN",
                "merged": pull.merged,
            },
            **self._written(repo, issue.author, issue.created, issue.updated, pull),
            "url": f"https://github.com/{repo.name}/pull/{pull.number}",
            "isDraft": pull.draft,
            "mergeable": "MERGEABLE" if pull.merge_sha else "CONFLICTING",
            **{
                "baseRefName": pull.base_ref,
                "baseRefOid": pull.base_sha,
                "headRefName": pull.head_ref,
                "headRefOid": pull.head_sha,
            },
            **{
                "isCrossRepository": pull.head_repo != repo.name,
                "headRepository": {"nameWithOwner": pull.head_repo},
            },
            "headRepositoryOwner": actor(self.world.account(pull.head_repo.split("/")[0])),
            "changedFiles": len(files),
            **{
                name: sum(getattr(file, name) for file in files)
                for name in ("additions", "deletions")
            },
            "reviewDecision": None,
            "comments": said,
            "commits": commits,
            "labels": [{"name": name} for name in issue.labels],
            "reviews": [
                self._review(repo, each)
                for each in repo.reviews
                if each.number == pull.number and self._sees(each)
            ],
            "closingIssuesReferences": self._closed(repo, pull),
            "reviewThreads": self._threads(repo, pull),
            "statusCheckRollup": self._rollup(repo, pull.head_sha),
        }
        return self._put("PullRequest", node_id("PR", pull.id), fields)

    def _closed(self, repo: Repository, pull: Pull) -> Json | list[Json]:
        """The issues that it closes: named in its body where it goes to the default branch, or
        linked by hand, also those of other repositories."""
        if hidden := self._denied("issues=read", repo):
            return hidden
        body = repo.issues[pull.number].body if pull.base_ref == repo.default_branch else ""
        named = [(repo, int(found[1])) for found in _CLOSES.finditer(body)]
        others = [(self.call.repos[name], number) for name, number in pull.linked]
        return [
            {
                "number": number,
                "title": there.issues[number].title,
                "body": there.issues[number].body,
                "repository": {"nameWithOwner": there.name},
            }
            for there, number in (*named, *others)
            if number in there.issues and number not in there.pulls
        ]

    def _sees(self, review: Review) -> bool:
        return review.state != "PENDING" or review.author == self.call.user

    def _review(self, repo: Repository, each: Review) -> Json:
        mine = [
            self._said(repo, comment)
            for comment in repo.review_comments
            if comment.review == each.id
        ]
        fields = {
            **_numbers(each.id),
            **self._written(repo, each.author, each.created, each.created, repo.pulls[each.number]),
            **{
                "body": each.body,
                "state": each.state,
                "submittedAt": each.submitted,
                "commit": self._commit(repo, each.commit_id),
            },
            "url": f"https://github.com/{repo.name}/pull/{each.number}#pullrequestreview-{each.id}",
            "comments": mine,
            **_minimized(each.minimized),
        }
        return self._put("PullRequestReview", node_id("PRR", each.id), fields)

    def _threads(self, repo: Repository, pull: Pull) -> list[Json]:
        pending = {
            each.id
            for each in repo.reviews
            if each.state == "PENDING" and each.author != self.call.user
        }
        shown = [
            each
            for each in repo.review_comments
            if each.number == pull.number and each.review not in pending
        ]
        threads = dict.fromkeys(each.thread for each in shown)
        return [
            self._thread(repo, pull, [each for each in shown if each.thread == thread])
            for thread in threads
        ]

    def _thread(self, repo: Repository, pull: Pull, said: list[ReviewComment]) -> Json:
        first = said[0]
        origin, now, resolver = first.origin, first.now, pull.resolved.get(first.thread)
        may_write = may_resolve(self.world, repo, pull, self.call)
        fields = {
            "path": origin.path,
            **{
                "line": now.line or None if now else None,
                "startLine": now.start_line or None if now else None,
            },
            **{"originalLine": origin.line or None, "originalStartLine": origin.start_line or None},
            **{
                "diffSide": origin.side,
                "startDiffSide": origin.start_side if origin.start_line else None,
            },
            **{
                "isResolved": resolver is not None,
                "isOutdated": now is None,
                "isCollapsed": resolver is not None or now is None,
            },
            "resolvedBy": {"login": resolver.login, **_numbers(resolver.id)} if resolver else None,
            "subjectType": first.subject.upper(),
            **{
                "viewerCanResolve": may_write and not resolver,
                "viewerCanUnresolve": may_write and resolver is not None,
            },
            "viewerCanReply": may(self.call.token, "pull_requests=write"),
            "comments": [self._said(repo, each) for each in said],
        }
        return self._put("PullRequestReviewThread", node_id("PRRT", first.thread), fields)

    def _said(self, repo: Repository, each: ReviewComment) -> Json:
        first = next((other for other in repo.review_comments if other.id == each.reply_to), None)
        origin, now = each.origin, each.now
        fields = {
            **_numbers(each.id),
            **self._written(repo, each.author, each.created, each.updated, repo.pulls[each.number]),
            **{
                "body": each.body,
                "path": origin.path,
                "diffHunk": each.diff_hunk,
                "outdated": now is None,
            },
            **{
                "line": now.line or None if now else None,
                "startLine": now.start_line or None if now else None,
            },
            **{"originalLine": origin.line or None, "originalStartLine": origin.start_line or None},
            **{
                "commit": self._commit(repo, each.commit_id),
                "originalCommit": self._commit(repo, each.origin_commit),
            },
            "url": f"https://github.com/{repo.name}/pull/{each.number}#discussion_r{each.id}",
            "subjectType": each.subject.upper(),
            "replyTo": {"$ref": node_id("PRRC", first.id)} if first else None,
            "pullRequestReview": {"$ref": node_id("PRR", each.review)},
            **_minimized(each.minimized),
            "lastEditedAt": each.edited,
            "viewerCanMinimize": may(self.call.token, "pull_requests=write"),
        }
        return self._put("PullRequestReviewComment", node_id("PRRC", each.id), fields)

    def _comment(self, repo: Repository, each: Comment) -> Json:
        url = f"https://github.com/{repo.name}/pull/{each.number}#issuecomment-{each.id}"
        written = self._written(repo, each.author, each.created, each.updated)
        fields = {
            **_numbers(each.id),
            **written,
            "body": each.body,
            "lastEditedAt": each.edited,
            "url": url,
            **_minimized(each.minimized),
        }
        return self._put("IssueComment", node_id("IC", each.id), fields)

    def _commit(self, repo: Repository, sha: str) -> Json:
        key = f"C_{sha}"
        if key not in self.nodes:
            found = repo.git.commits("", sha)[0]
            fields = {
                "oid": sha,
                "message": found.message,
                "messageHeadline": found.message.split("\n")[0],
                "committedDate": found.committer[2],
            }
            return self._put(
                "Commit", key, {**fields, "statusCheckRollup": self._rollup(repo, sha)}
            )
        return {"$ref": key}

    def _rollup(self, repo: Repository, sha: str) -> Json | None:
        if hidden := self._denied("checks=read", repo) or self._denied("statuses=read", repo):
            return hidden
        checks, statuses = (
            latest([each for each in repo.checks if each.head_sha == sha]),
            newest_statuses(repo, sha),
        )
        if not checks and not statuses:
            return None
        contexts = [self._check(repo, each) for each in checks] + [
            self._status(each) for each in statuses
        ]
        counts = {"checkRunCount": len(checks), "statusContextCount": len(statuses)}
        return {
            "id": f"SCR_{sha}",
            "state": rollup(checks, statuses),
            "contexts": {"$list": contexts, **counts},
        }

    def _check(self, repo: Repository, each: CheckRun) -> Json:
        run = repo.runs.get(each.suite.run)
        workflow = (
            {**_numbers(run.id), "workflow": {"name": run.name}, "event": run.event}
            if run
            else None
        )
        made_by = {
            **_numbers(each.suite.app.id),
            "slug": each.suite.app.slug,
            "name": each.suite.app.name,
        }
        when = {"startedAt": each.started, "completedAt": each.completed}
        state = {
            "name": each.name,
            "status": each.status.upper(),
            "conclusion": each.conclusion and each.conclusion.upper(),
            **when,
        }
        fields = {
            **_numbers(each.id),
            **state,
            "detailsUrl": each.details_url,
            "checkSuite": {"app": made_by, "workflowRun": workflow},
        }
        return self._put("CheckRun", node_id("CR", each.id), fields)

    def _status(self, each: Status) -> Json:
        said = {
            "context": each.context,
            "state": each.state.upper(),
            "description": each.description,
            "targetUrl": each.target_url,
        }
        fields = {**said, "createdAt": each.created, "creator": actor(each.creator)}
        return self._put("StatusContext", node_id("SC", each.id), fields)

    def _written(
        self,
        repo: Repository,
        author: Account,
        created: str,
        updated: str,
        pull: Pull | None = None,
    ) -> Json:
        who = {
            "author": actor(author),
            "authorAssociation": association(repo, author, pull),
            "viewerDidAuthor": author == self.call.user,
        }
        return {**who, "createdAt": created, "updatedAt": updated}

    def _denied(self, need: str, repo: Repository) -> Json | None:
        """An error in the place of what a token may not read."""
        if not repo.private or may(self.call.token, need) or self.call.token is None:
            return None
        return {"$error": {"type": "FORBIDDEN", "message": str(forbidden(self.call.token, need))}}


def actor(account: Account) -> Json:
    """Somebody as an Actor: a bot's login has no [bot] here."""
    return {
        **_numbers(account.id),
        "__typename": account.kind,
        "id": node_id("U", account.id),
        "login": account.login.removesuffix("[bot]"),
    }


def may_resolve(world: World, repo: Repository, pull: Pull, call: Call) -> bool:
    """An integration needs contents: write for it; a person, to write here or to have opened the
    pull request."""
    token = call.token
    if token is None or token.kind == "installation":
        return may(token, "contents=write")
    return token.account == repo.issues[pull.number].author or repo.collaborators.get(
        token.account.login
    ) in ("write", "maintain", "admin")


def _numbers(number: int) -> Json:
    """What does not fit GraphQL's Int is only in `fullDatabaseId`, as text."""
    return {"databaseId": number if number < _INT else None, "fullDatabaseId": str(number)}


def _minimized(reason: str) -> dict[str, Any]:
    return {"isMinimized": bool(reason), "minimizedReason": reason.lower() or None}
