"""What the fake stores: plain records that a test may read and change."""

from dataclasses import dataclass, field
from typing import Any

from .git import Git


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody on GitHub; `kind` is User, Bot or Organization. REST shows a bot's login with [bot],
    a GraphQL actor without."""

    login: str
    id: int
    kind: str = "User"


@dataclass(frozen=True, slots=True)
class App:
    """A GitHub App: who makes check runs."""

    id: int
    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Token:
    """A credential: whose, of which kind (installation or user), and what it may do
    ({"pull_requests": "write"})."""

    account: Account
    kind: str
    permissions: dict[str, str]
    app: App | None = None
    limit: int = 1000


@dataclass(slots=True)
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(slots=True)
class Comment:
    """A comment of a conversation (an issue's or a pull request's); `reactions` are an id, who and
    which word."""

    id: int
    number: int
    author: Account
    body: str
    created: str
    updated: str
    minimized: str = ""
    edited: str | None = None
    reactions: list[tuple[int, Account, str]] = field(default_factory=list)


@dataclass(slots=True)
class Issue:
    """An issue, and the conversation half of a pull request."""

    id: int
    number: int
    author: Account
    title: str
    body: str
    created: str
    updated: str
    state: str = "open"
    state_reason: str | None = None
    closed: str | None = None
    labels: list[str] = field(default_factory=list)
    below: list[int] = field(default_factory=list)  # the numbers of its sub-issues


@dataclass(slots=True)
class Review:
    id: int
    number: int
    author: Account
    state: str  # PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
    body: str
    commit_id: str
    submitted: str | None
    created: str
    dismissed_with: str = ""
    minimized: str = ""


@dataclass(slots=True)
class Place:
    """Where a comment stands in the diff; `line` 0 stands for the whole file, and for a comment
    that is outdated."""

    path: str
    line: int
    side: str = "RIGHT"
    start_line: int = 0
    start_side: str = "RIGHT"
    position: int = 0


@dataclass(slots=True)
class ReviewComment:
    """A comment on a diff. `origin` and `origin_commit` never change; `now` and `commit_id` follow
    the head, `now` None when outdated."""

    id: int
    number: int
    review: int
    author: Account
    body: str
    origin: Place
    origin_commit: str
    now: Place | None
    commit_id: str
    diff_hunk: str
    created: str
    updated: str
    reply_to: int = 0
    subject: str = "line"
    minimized: str = ""
    edited: str | None = None

    @property
    def thread(self) -> int:
        """The number of its thread: that of the first comment."""
        return self.reply_to or self.id


@dataclass(slots=True)
class Pull:
    """The code half of a pull request; its Issue has the rest."""

    number: int
    id: int
    base_ref: str
    base_sha: str
    head_repo: str
    head_ref: str
    head_sha: str
    draft: bool = False
    merged: bool = False
    merge_sha: str = ""
    linked: list[tuple[str, int]] = field(default_factory=list)  # issues of a repository, by hand
    # First comment of a thread -> who resolved it
    resolved: dict[int, Account] = field(default_factory=dict)


@dataclass(slots=True)
class Suite:
    id: int
    app: App
    head_sha: str
    run: int = 0


@dataclass(slots=True)
class CheckRun:
    id: int
    name: str
    head_sha: str
    suite: Suite
    status: str
    conclusion: str | None
    started: str | None
    completed: str | None
    details_url: str | None = None
    external_id: str = ""
    output: dict[str, Any] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    log_url: str = ""


@dataclass(slots=True)
class Status:
    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: Account
    created: str


@dataclass(slots=True)
class WorkflowRun:
    id: int
    name: str
    head_sha: str
    head_branch: str
    head_repo: str
    event: str = "pull_request"
    path: str = ".github/workflows/ci.yml"
    status: str = "completed"
    conclusion: str | None = "success"
    actor: Account | None = None
    pulls: list[int] = field(default_factory=list)  # GitHub leaves this empty for forks


@dataclass(slots=True)
class Repository:
    id: int
    name: str  # owner/name
    git: Git
    private: bool = True
    default_branch: str = "main"
    actions_may_approve: bool = False
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)
    labels: dict[str, Label] = field(default_factory=dict)
    suites: list[Suite] = field(default_factory=list)
    checks: list[CheckRun] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    # Login -> admin, maintain, write, triage, read
    collaborators: dict[str, str] = field(default_factory=dict)
    # Branch -> (context, app id), by protection
    required: dict[str, list[tuple[str, int | None]]] = field(default_factory=dict)
    # The same, by a ruleset
    rules: dict[str, list[tuple[str, int | None]]] = field(default_factory=dict)

    @property
    def owner(self) -> str:
        """The first half of its name."""
        return self.name.split("/")[0]

    def merge_base(self, pull: Pull, head: str = "") -> str:
        """Where a pull request's diff starts."""
        return self.git.merge_base(
            self.git.commit_id(pull.base_ref) or pull.base_sha, head or pull.head_sha
        )
