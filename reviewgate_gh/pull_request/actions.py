"""What publishing will do to a pull request: planned as values, applied afterwards, shown by a dry
run."""

from enum import StrEnum

from msgspec import Struct, field

from ..findings.markers import ReviewMarker
from ..model.finding import Finding
from ..model.pull_request import PostedReview, Thread


class Placement(StrEnum):
    """The one primary place where a finding is said."""

    INLINE = "inline"  # a comment at its line
    BODY = "body"  # the review's own text
    REPORT = "report"  # the terminal, the step summary and the files only
    ALREADY_POSTED = "said"  # an earlier comment or review of ours


class PlacedFinding(Struct, frozen=True):
    """A finding and where it is said.

    An inline one has the lines of its comment; `start` 0 is a comment on one line.
    """

    finding: Finding
    placement: Placement
    reason: str = ""
    start: int = 0
    line: int = 0

    @property
    def path(self) -> str:
        """The file of its comment: the one of the hunk that breaks code elsewhere."""
        return self.finding.commented_path

    @property
    def is_at_cause(self) -> bool:
        """Its comment is not where it stands, so that it has to say where that is."""
        if self.finding.rule:  # a tool's text says so itself within one file
            return self.path != self.finding.path
        return self.finding.cause is not None


class Summary(Struct, frozen=True):
    """What the living summary says beside the report and the findings that it lists itself.

    `commented` are open findings that are said elsewhere. The others are rows: of findings that
    this review could not check again, of what was fixed, and of the last reviews.
    """

    commented: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


class PostReview(Struct, frozen=True):
    """One review to submit, never a pending one: GitHub's word for the event, the reviewed commit,
    and what it says.

    `digest` names what is said, so that a later run knows it; `part` counts from 1 where one review
    does not hold all comments; `more` findings are only counted in the text. `target_commit` is the
    commit to hang it on where the reviewed one is gone. `withheld`: what keeps an approval back,
    where it is said on its own. `partial`: it is about a part of the pull request's commits. With a
    `summary` its text is the living one; `elsewhere` is the address of the review that has it.
    `page` is the pull request's, for links.
    """

    event: str
    commit: str
    comments: tuple[PlacedFinding, ...] = ()
    listed: tuple[PlacedFinding, ...] = ()
    reasons: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    digest: str = ""
    part: int = 1
    more: int = 0
    target_commit: str = ""
    withheld: tuple[str, ...] = ()
    partial: bool = False
    summary: Summary | None = None
    elsewhere: str = ""
    page: str = ""


class UpdateSummary(Struct, frozen=True):
    """The review of ours that holds the living summary, with its mark, and what its text says now,
    as if it were posted. `keeps_open`: its hidden list of open findings stays that of the report
    before, as nothing new is said."""

    review: PostedReview
    mark: ReviewMarker
    post: PostReview
    keeps_open: bool = False


class ResolveThread(Struct, frozen=True):
    """A thread of ours whose finding is gone: its comment is minimised and, where that is wanted,
    the thread resolved."""

    thread: Thread
    fingerprint: str
    resolve: bool = False


class ReopenThread(Struct, frozen=True):
    """A thread of ours whose finding was gone and is back: what was hidden is shown, what we
    resolved is opened."""

    thread: Thread
    hidden: bool
    resolved: bool


class MinimizeDuplicate(Struct, frozen=True):
    """A review or comment of ours, by its node, that says what an older one of ours says: of two
    runs at once, or of a killed one."""

    node: str


class RemoveListed(Struct, frozen=True):
    """A review of ours whose text lists findings that stand there already: they are taken out of
    it."""

    review: PostedReview
    fingerprints: frozenset[str]


class WithdrawReview(Struct, frozen=True):
    """A review of ours that no longer holds: a verdict is dismissed, an empty one that was left
    pending is deleted."""

    review: PostedReview
    reason: str


PublishAction = (
    PostReview
    | UpdateSummary
    | ResolveThread
    | ReopenThread
    | MinimizeDuplicate
    | RemoveListed
    | WithdrawReview
)


class PublishPlan(Struct, frozen=True):
    """Everything that will be done, in this order, and each open finding with its place."""

    actions: tuple[PublishAction, ...] = ()
    placed: tuple[PlacedFinding, ...] = field(default=())
    notes: tuple[str, ...] = ()
