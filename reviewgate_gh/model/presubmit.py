"""What is known of a pull request before a review of it is posted, as values."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from .finding import Priority
from .pull import Thread
from .values import dataclass


class CiClass(StrEnum):
    """CI in one word. `all_pending` means: at least one is; `not_run`: there are checks, and none of them did anything."""

    ALL_PASSED = "all_pass"
    ANY_FAILURE = "any_failure"
    ALL_PENDING = "all_pending"
    NO_CHECKS = "no_checks"
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Required:
    """A check that the branch's rules ask for; `app` is spelt as in `Check.app`, and "" means that any app may report it.

    `own` says that it is our own verdict, which nobody but us can report.
    """

    name: str
    app: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A check that counts neither for nor against CI, by its raw name and its app's, and why."""

    name: str
    app: str
    why: str


@dataclass(frozen=True, slots=True)
class CiStatus:
    """What CI says: raw names, sorted, each once a list.

    `total` counts the checks that were judged; `missing_required` have not reported and stand in `pending`, too; `cut` says
    why the list of checks may not be whole; `notes` are for people; `left_out` are our own results, which are in no other list.
    """

    cls: CiClass
    failed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    total: int = 0
    missing_required: tuple[str, ...] = ()
    cut: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class NewFinding:
    """What a comment would be about: its place (`line` is the last one, 0 the whole file) and its fingerprint, "" where unknown.

    `inline` says that it would be posted at that line, unless it is there already.
    """

    path: str
    line: int
    fingerprint: str = ""
    side: str = "RIGHT"
    inline: bool = True


@dataclass(frozen=True, slots=True)
class Current:
    """What a review found: the findings, and the priority of each fingerprint that still stands in the code.

    `not_reviewed` counts the files that nobody read.
    """

    findings: tuple[NewFinding, ...] = ()
    standing: Mapping[str, Priority] = field(default_factory=dict)
    not_reviewed: int = 0


class Bucket(StrEnum):
    """How one of our earlier comments stands to this review; in the order in which they are asked."""

    ALREADY_POSTED = "alreadyPosted"
    STALE = "stale"
    RESOLVED = "resolved"
    OVERLAP = "overlap"
    NO_CONFLICT = "noConflict"


@dataclass(frozen=True, slots=True)
class Existing:
    """One of our own threads, what its marker says (fingerprint, reviewed commit, who found it), its bucket, and why for people."""

    thread: Thread
    fingerprint: str
    reviewed: str
    bucket: Bucket
    note: str = ""
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """GitHub's comparison of two commits: its word, how many commits lie between, and the files (old names too; None: not all)."""

    status: str
    ahead: int = 0
    paths: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class HeadDrift:
    """The reviewed commit against the pull request's head now.

    `compare` is identical, ahead, behind, diverged or unknown; `at_risk`: a comment's line may have moved or be gone.
    """

    reviewed: str
    head: str
    drifted: bool
    compare: str
    ahead: int = 0
    at_risk: bool = False


@dataclass(frozen=True, slots=True)
class Presubmit:
    """The whole report. `reasons` are those against APPROVE; `notes` are for people and not part of the report."""

    number: int
    sha: str
    repository: str
    is_self: bool
    ci: CiStatus
    existing: tuple[Existing, ...]
    drift: HeadDrift
    reasons: tuple[str, ...] = ()
    findings_file_invalid: bool = False
    notes: tuple[str, ...] = ()

    def bucket(self, bucket: Bucket) -> tuple[Existing, ...]:
        """The comments of one bucket."""
        return tuple(each for each in self.existing if each.bucket is bucket)

    @property
    def block_on_existing(self) -> bool:
        """A comment of ours about something else stands where a new finding belongs."""
        return bool(self.bucket(Bucket.OVERLAP))
