"""A repository and its pull requests, as a test sees and changes them: what other people do."""

from dataclasses import replace
from typing import Any

from .checks import make_check, suite_of
from .model import CheckRun, Comment, Issue, Repository, Review, ReviewComment, Status, WorkflowRun
from .model import Pull as Stored
from .placing import settle
from .posting import post_comment, post_reply, post_review
from .talk import make_comment, make_issue, set_labels, set_state
from .world import World


class Repo:
    """One repository."""

    def __init__(self, world: World, stored: Repository) -> None:
        self.world, self.stored = world, stored

    def pull(self, head: str, base: str = "main", author: str = "ada", **options: Any) -> "Pull":
        """Open a pull request; options: title, body, draft, fork ("eve/repo"), labels."""
        git, world = self.stored.git, self.world
        title, body = options.get("title", "A change"), options.get("body", "")
        issue = make_issue(
            world, self.stored, world.account(author), title, body, options.get("labels", ())
        )
        ends = (
            base,
            git.commit_id(base),
            options.get("fork") or self.stored.name,
            head,
            git.commit_id(head),
        )
        self.stored.pulls[issue.number] = Stored(
            issue.number, next(world.ids), *ends, draft=options.get("draft", False)
        )
        pull = Pull(self, issue.number)
        pull.settle()
        return pull

    def issue(
        self, title: str, author: str = "ada", body: str = "", labels: tuple[str, ...] = ()
    ) -> Issue:
        """Open an issue."""
        return make_issue(self.world, self.stored, self.world.account(author), title, body, labels)

    def check(
        self, sha: str, name: str, conclusion: str | None = "success", run: int = 0, **fields: Any
    ) -> CheckRun:
        """A check run; a conclusion completes it unless `status` is given.

        `run` is its workflow run, `app` the slug of its app.
        """
        suite = suite_of(
            self.world, self.stored, self.world.app(fields.pop("app", "github-actions")), sha, run
        )
        if run:
            fields.setdefault(
                "details_url",
                f"https://github.com/{self.stored.name}/actions/runs/{run}/job/{next(self.world.numbers)}",
            )
        return make_check(self.world, self.stored, suite, name, conclusion=conclusion, **fields)

    def status(
        self,
        sha: str,
        context: str,
        state: str = "success",
        by: str = "ci-bot[bot]",
        description: str = "",
    ) -> Status:
        """A commit status."""
        made = Status(
            next(self.world.ids),
            sha,
            context,
            state,
            description,
            None,
            self.world.account(by),
            self.world.now(),
        )
        self.stored.statuses.append(made)
        return made

    def workflow_run(
        self, name: str, sha: str, branch: str = "topic", **fields: Any
    ) -> WorkflowRun:
        """A run of a workflow; `id` may be given."""
        number, head_repo = (
            fields.pop("id", next(self.world.numbers)),
            fields.pop("head_repo", self.stored.name),
        )
        made = WorkflowRun(number, name, sha, branch, head_repo, **fields)
        self.stored.runs[made.id] = made
        return made


class Pull:
    """One pull request."""

    def __init__(self, repo: Repo, number: int) -> None:
        self.repo, self.number = repo, number

    @property
    def stored(self) -> Stored:
        """Its record."""
        return self.repo.stored.pulls[self.number]

    @property
    def issue(self) -> Issue:
        """The record of its title, state and labels."""
        return self.repo.stored.issues[self.number]

    @property
    def reviews(self) -> list[Review]:
        """Its reviews, oldest first."""
        return [each for each in self.repo.stored.reviews if each.number == self.number]

    @property
    def inline(self) -> list[ReviewComment]:
        """The comments on its diff, oldest first."""
        return [each for each in self.repo.stored.review_comments if each.number == self.number]

    @property
    def comments(self) -> list[Comment]:
        """The comments of its conversation."""
        return [each for each in self.repo.stored.comments if each.number == self.number]

    def push(self, sha: str = "") -> str:
        """Move the head to a commit, or to where its branch is now; after a force-push reviews
        point to the new head."""
        with self.repo.world.lock:
            pull, git = self.stored, self.repo.stored.git
            old, pull.head_sha = pull.head_sha, git.commit_id(sha or pull.head_ref)
            pull.base_sha = git.commit_id(pull.base_ref)
            if not git.is_ancestor(old, pull.head_sha):
                for review in self.reviews:
                    review.commit_id = pull.head_sha
            self.settle()
            return pull.head_sha

    def settle(self) -> None:
        """Let refs, the test merge and the comments follow the head."""
        stored, pull = self.repo.stored, self.stored
        stored.git.point(f"refs/pull/{self.number}/head", pull.head_sha)
        pull.merge_sha = stored.git.merged(pull.base_sha, pull.head_sha)
        if pull.merge_sha:
            stored.git.point(f"refs/pull/{self.number}/merge", pull.merge_sha)
        mine = [
            settle(stored, pull, each) if each.number == self.number else each
            for each in stored.review_comments
        ]
        stored.review_comments[:] = mine
        self.issue.updated = self.repo.world.now()

    def review(
        self,
        by: str,
        *comments: dict[str, Any],
        event: str = "COMMENT",
        body: str = "",
        commit: str = "",
    ) -> Review:
        """Somebody's review; event "" leaves it pending."""
        asked = {
            "event": event,
            "body": body,
            "comments": list(comments),
            "commit_id": commit or self.stored.head_sha,
        }
        return post_review(
            self.repo.world, self.repo.stored, self.stored, self.repo.world.account(by), asked
        )

    def on_line(self, by: str, path: str, line: int, body: str, **fields: Any) -> ReviewComment:
        """Somebody's single comment on the diff."""
        asked = {
            "path": path,
            "line": line,
            "body": body,
            "commit_id": self.stored.head_sha,
            **fields,
        }
        return post_comment(
            self.repo.world, self.repo.stored, self.stored, self.repo.world.account(by), asked
        )

    def reply(self, to: ReviewComment, by: str, body: str) -> ReviewComment:
        """Somebody's reply in a thread."""
        return post_reply(
            self.repo.world, self.repo.stored, self.stored, self.repo.world.account(by), body, to
        )

    def say(self, by: str, body: str) -> Comment:
        """Somebody's comment in the conversation."""
        return make_comment(
            self.repo.world, self.repo.stored, self.number, self.repo.world.account(by), body
        )

    def resolve(self, comment: ReviewComment, by: str = "ada") -> None:
        """Somebody resolves the thread of a comment."""
        self.stored.resolved[comment.thread] = self.repo.world.account(by)

    def label(self, *names: str) -> None:
        """Let it have these labels and no other."""
        set_labels(self.repo.world, self.repo.stored, self.issue, names)

    def close(self, merged: bool = False) -> None:
        """Close or merge it."""
        set_state(self.repo.world, self.issue, "closed")
        self.stored.merged = merged

    def draft(self, on: bool = True) -> None:
        """Make it a draft, or ready for review."""
        self.repo.stored.pulls[self.number] = replace(self.stored, draft=on)
