"""What GitHub says about a pull request, its checks and its comments, as values."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct


class Account(Struct, frozen=True):
    """Who did something. REST and GraphQL spell a bot's login differently, so accounts are compared
    by numeric id and type.

    `kind` is `User`, `Bot`, `Organization` or `Mannequin`; id 0 is a deleted or unknown account and
    equals none.
    """

    id: int = 0
    login: str = ""
    kind: str = "User"

    def same_as(self, other: "Account | None") -> bool:
        """Both are known and one and the same."""
        return (
            other is not None
            and self.id != 0
            and (self.id, self.kind == "Bot") == (other.id, other.kind == "Bot")
        )

    @property
    def app(self) -> str:
        """The slug of the app behind a bot; "" for anybody else."""
        return self.login.removesuffix("[bot]") if self.kind == "Bot" else ""


class PullRequest(Struct, frozen=True):
    """A pull request as it stands now. `base` and `head` are full object ids; `head_repository` is
    "" where it is gone.

    `changed_files` and `commits` are GitHub's own counts; `merge_commit` is the test merge, ""
    while there is none; `url` is its page.
    """

    number: int
    repository: str
    base: str
    head: str
    base_ref: str
    author: Account
    head_repository: str = ""
    state: str = "open"
    draft: bool = False
    changed_files: int = 0
    commits: int = 0
    merge_commit: str = ""
    node: str = ""
    labels: frozenset[str] = frozenset()
    url: str = ""


class OwnResult(StrEnum):
    """Whether a check is a result of our own: of the run that asks, or the verdict that an earlier
    publication left. Only NO is false."""

    NO = ""
    RUN = "run"
    VERDICT = "verdict"


class Check(Struct, frozen=True):
    """A check run (`kind` "check") or a commit status ("status"), in GitHub's own words, which may
    be new ones.

    Times are ISO 8601 or "". `run` is the number of its workflow run, `marked` says that its
    external id is one of ours or a copy.
    """

    kind: str
    name: str
    status: str
    conclusion: str = ""
    app: str = ""
    workflow: str = ""
    started: str = ""
    completed: str = ""
    own: OwnResult = OwnResult.NO
    run: str = ""
    marked: bool = False


class CheckOutput(Struct, frozen=True):
    """What a check says: its result in GitHub's words, the lines of its title and summary, and its
    annotations, each with the path that it is about. Only of a failed one more than the result is
    read. `job` is the number of its job in GitHub Actions, 0 for none."""

    name: str
    result: str
    failed: bool = False
    said: tuple[str, ...] = ()
    annotations: tuple[tuple[str, str], ...] = ()
    job: int = 0

    @property
    def headline(self) -> str:
        """In one line."""
        return f"check {self.name}: {self.result}"


class CiReader(Struct, frozen=True):
    """What CI says of a commit: `checks` reads all of it once, `log` the lines of a failed job up
    to its last error. Both raise UpstreamError where GitHub does not tell."""

    checks: Callable[[], Sequence[CheckOutput]]
    log: Callable[[int], Sequence[str]]


class ThreadReply(Struct, frozen=True):
    """A comment below the first one of a thread, or in the conversation; when it was written
    (ISO 8601), and whether its text has been changed since, by whomever."""

    id: int
    author: Account
    body: str
    created: str = ""
    edited: bool = False


class Thread(Struct, frozen=True):
    """A review thread: its first comment, what was answered, and how it stands.

    `line` is the line at the pull request's head, 0 where it is outdated or about the whole file;
    `commit` is the commit GitHub names now, which it moves after a force-push, so it is shown and
    never trusted. `hidden_as` is GitHub's word for why the first comment is minimised,
    `resolved_by` the number of the account that resolved the thread; REST knows neither.
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
    replies: tuple[ThreadReply, ...] = ()
    resolved: bool | None = None
    minimized: bool = False
    can_resolve: bool = False
    hidden_as: str = ""
    resolved_by: int = 0


class PostedReview(Struct, frozen=True):
    """A review that somebody submitted (or left pending): its state is GitHub's word.

    REST does not say whether it is minimised (None).
    """

    id: int
    author: Account
    state: str
    body: str
    commit: str = ""
    submitted: str = ""
    node: str = ""
    minimized: bool | None = None


class PullFile(Struct, frozen=True):
    """A row of GitHub's list of changed files, in its words; `patch` is None where GitHub shows
    none, `oid` is the blob at head."""

    path: str
    old_path: str
    status: str
    additions: int
    deletions: int
    oid: str
    patch: str | None = None


class DraftComment(Struct, frozen=True):
    """An inline comment to be posted: `line` is the last line of its range, `start_line` the first
    one, 0 for a single line."""

    path: str
    line: int
    body: str
    side: str = "RIGHT"
    start_line: int = 0


class CiClass(StrEnum):
    """CI in one word.

    `all_pending` means: at least one is; `not_run`: there are checks, and none of them did
    anything.
    """

    ALL_PASSED = "all_pass"
    ANY_FAILURE = "any_failure"
    ALL_PENDING = "all_pending"
    NO_CHECKS = "no_checks"
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"


class RequiredCheck(Struct, frozen=True):
    """A check that the branch's rules ask for; `app` is spelt as in `Check.app`, and "" means that
    any app may report it.

    `own` says that it is our own verdict, which nobody but us can report.
    """

    name: str
    app: str = ""
    own: bool = False


class IgnoredCheck(Struct, frozen=True):
    """A check that counts neither for nor against CI, by its raw name and its app's, and why."""

    name: str
    app: str
    reason: str


class CheckRow(Struct, frozen=True):
    """One check as it was judged, by its raw name and its app's. `result` is passed, failed,
    pending, did not run, unknown, not reported or not counted; `source` is required, other or
    ours; `reason` says why one does not count.
    """

    name: str
    app: str
    kind: str
    result: str
    source: str
    reason: str = ""


class CiStatus(Struct, frozen=True):
    """What CI says: raw names, sorted, each once a list.

    `total` counts the checks that were judged; `missing_required` have not reported and stand in
    `pending`, too; `cut` says why the list of checks may not be whole; `notes` are for people;
    `ignored` are our own results, which are in no other list but `checks`, which has every check.
    """

    ci_class: CiClass
    failed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    total: int = 0
    missing_required: tuple[str, ...] = ()
    cut: str = ""
    notes: tuple[str, ...] = ()
    ignored: tuple[IgnoredCheck, ...] = ()
    checks: tuple[CheckRow, ...] = ()


class Bucket(StrEnum):
    """How one of our earlier comments stands to this review; in the order in which they are
    asked."""

    ALREADY_POSTED = "alreadyPosted"
    STALE = "stale"
    RESOLVED = "resolved"
    OVERLAP = "overlap"
    NO_CONFLICT = "noConflict"


class ExistingComment(Struct, frozen=True):
    """One of our own threads, what its marker says (fingerprint, reviewed commit, who found it),
    its bucket, and why for people.

    Of a finding that is there still, the fingerprint is the present one. `changed_to` is that of a
    finding which it was before its code changed, and which people have settled in that form.
    `overlaps`: its finding is there still, and a new one is about the same line.
    """

    thread: Thread
    fingerprint: str
    reviewed: str
    bucket: Bucket
    note: str = ""
    sources: tuple[str, ...] = ()
    changed_to: str = ""
    overlaps: bool = False


class Comparison(Struct, frozen=True):
    """GitHub's comparison of two commits: its word, how many commits lie between, and the files
    (old names too; None: not all)."""

    status: str
    ahead: int = 0
    paths: frozenset[str] | None = None


class HeadMovement(Struct, frozen=True):
    """The reviewed commit against the pull request's head now.

    `compare` is identical, ahead, behind, diverged or unknown; `at_risk`: a comment's line may have
    moved or be gone.
    """

    reviewed: str
    head: str
    moved: bool
    compare: str
    ahead: int = 0
    at_risk: bool = False


class PresubmitReport(Struct, frozen=True):
    """The whole report.

    `reasons` are those against APPROVE; `notes` are for people and not part of the report.
    """

    number: int
    sha: str
    repository: str
    is_self: bool
    ci: CiStatus
    existing: tuple[ExistingComment, ...]
    head_movement: HeadMovement
    reasons: tuple[str, ...] = ()
    findings_file_invalid: bool = False
    notes: tuple[str, ...] = ()

    def bucket(self, bucket: Bucket) -> tuple[ExistingComment, ...]:
        """The comments of one bucket, as a review meets them: one that stays counts as an overlap
        where a new finding is about its line."""
        return tuple(
            each
            for each in self.existing
            if (Bucket.OVERLAP if each.overlaps else each.bucket) is bucket
        )

    @property
    def block_on_existing(self) -> bool:
        """A comment of ours about something else stands where a new finding belongs."""
        return bool(self.bucket(Bucket.OVERLAP))
