"""What GitHub says about a pull request, as values."""

from enum import StrEnum

from .values import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """Who did something. REST and GraphQL spell a bot's login differently, so accounts are compared by numeric id and type.

    `kind` is `User`, `Bot`, `Organization` or `Mannequin`; id 0 is a deleted or unknown account and equals none.
    """

    id: int = 0
    login: str = ""
    kind: str = "User"

    def same_as(self, other: "Account | None") -> bool:
        """Both are known and one and the same."""
        return other is not None and self.id != 0 and (self.id, self.kind == "Bot") == (other.id, other.kind == "Bot")

    @property
    def app(self) -> str:
        """The slug of the app behind a bot; "" for anybody else."""
        return self.login.removesuffix("[bot]") if self.kind == "Bot" else ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it stands now. `base` and `head` are full object ids; `head_repository` is "" where it is gone.

    `changed_files` and `commits` are GitHub's own counts; `merge_commit` is the test merge, "" while there is none.
    """

    number: int
    repository: str
    base: str
    head: str
    base_ref: str
    author: Account
    head_repository: str = ""
    head_ref: str = ""
    state: str = "open"
    draft: bool = False
    changed_files: int = 0
    commits: int = 0
    merge_commit: str = ""
    node: str = ""
    labels: frozenset[str] = frozenset()


class Ours(StrEnum):
    """Whether a check is a result of our own: of the run that asks, or the verdict that an earlier publication left. Only NO is false."""

    NO = ""
    RUN = "run"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Check:
    """A check run (`kind` "check") or a commit status ("status"), in GitHub's own words, which may be new ones.

    Times are ISO 8601 or "". `run` is the number of its workflow run, `marked` says that its external id is one of ours or a copy.
    """

    kind: str
    name: str
    status: str
    conclusion: str = ""
    app: str = ""
    workflow: str = ""
    started: str = ""
    completed: str = ""
    own: Ours = Ours.NO
    run: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """A comment below the first one of a thread."""

    id: int
    author: Account
    body: str
    created: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """A review thread: its first comment, what was answered, and how it stands.

    `line` is the line at the pull request's head, 0 where it is outdated or about the whole file; `commit` is the commit
    GitHub names now, which it moves after a force-push, so it is shown and never trusted. `hidden_as` is GitHub's word for why the
    first comment is minimised, `resolved_by` the number of the account that resolved the thread; REST knows neither.
    """

    id: int
    path: str
    line: int
    body: str
    author: Account
    node: str = ""
    comment_node: str = ""
    side: str = "RIGHT"
    start_line: int = 0
    commit: str = ""
    created: str = ""
    replies: tuple[Reply, ...] = ()
    resolved: bool | None = None
    outdated: bool = False
    minimized: bool = False
    can_resolve: bool = False
    hidden_as: str = ""
    resolved_by: int = 0


@dataclass(frozen=True, slots=True)
class PostedReview:
    """A review that somebody submitted (or left pending): its state is GitHub's word. REST does not say whether it is minimised (None)."""

    id: int
    author: Account
    state: str
    body: str
    commit: str = ""
    submitted: str = ""
    node: str = ""
    minimized: bool | None = None


@dataclass(frozen=True, slots=True)
class PullFile:
    """A row of GitHub's list of changed files, in its words; `patch` is None where GitHub shows none, `oid` is the blob at head."""

    path: str
    old_path: str
    status: str
    additions: int
    deletions: int
    oid: str
    patch: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An inline comment to be posted: `line` is the last line of its range, `start_line` the first one, 0 for a single line."""

    path: str
    line: int
    body: str
    side: str = "RIGHT"
    start_line: int = 0
