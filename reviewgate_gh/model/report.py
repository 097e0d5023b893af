"""The report: the only thing that reporters, delivery and later runs read."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, TypeVar

from msgspec import Struct, field

from .coverage import Coverage, ReadDepth
from .finding import Finding
from .review import ModelCall, Review, ReviewStatus

SCHEMA_VERSION: Final = 1


class Outcome(StrEnum):
    """The verdict's four words."""

    PASS = "pass"
    CONCERNS = "concerns"
    BLOCK = "block"
    INCONCLUSIVE = "inconclusive"


class Verdict(Struct, frozen=True, forbid_unknown_fields=True):
    """What the gate says, why, and what was not reviewed: nobody read it, or nobody for its
    language. `counts` are of open findings.

    `quorum` says how many of the language models have reviewed, and who is missing; "" without any.
    """

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    not_reviewed: tuple[str, ...] = ()
    quorum: str = ""


class ChangedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the report's file list."""

    path: str
    status: str
    old_path: str = ""


class ReviewedChange(Struct, frozen=True, forbid_unknown_fields=True):
    """Which change it was: object ids and file list only, no content.

    `trusted`: approved; `own`: made in this clone, it seems. `repository` is the address of its
    page where the commits are known to be there.
    """

    base: str
    head: str
    trusted: bool
    rules: str
    commits: tuple[str, ...] = ()
    files: tuple[ChangedFile, ...] = ()
    notes: tuple[str, ...] = ()
    own: bool = False
    repository: str = ""


class ShownCode(Struct, frozen=True, forbid_unknown_fields=True):
    """Unchanged lines that models were shown beside the change, one after another, and why."""

    path: str
    line_start: int
    line_end: int
    why: str

    @property
    def location(self) -> str:
        """`path:line` or `path:first-last` for people."""
        last = f"-{self.line_end}" if self.line_end != self.line_start else ""
        return f"{self.path}:{self.line_start}{last}"


class ReviewRow(Struct, frozen=True, forbid_unknown_fields=True):
    """One review without its findings: who, how it ended, what it counted; `hard` as in `Review`.
    `began` is in seconds since the run began."""

    reviewer: str
    part: str
    status: ReviewStatus
    found: int = 0
    outside: int = 0
    covered: int = 0
    error: str = ""
    version: str = ""
    required: bool = True
    seconds: float = 0.0
    said: str = ""
    asked: ModelCall | None = None
    hard: int = 0
    began: float = 0.0

    @property
    def name(self) -> str:
        """`linters/ruff`, or the reviewer's name alone."""
        return f"{self.reviewer}/{self.part}" if self.part else self.reviewer


AnyReview = TypeVar("AnyReview", bound=Review | ReviewRow)


def group_by_end(rows: Iterable[AnyReview]) -> list[tuple[str, AnyReview]]:
    """The questions of a reviewer that ended alike as one: `model (security, tests)`, or the name
    of a single one, with the first of them."""
    alike: dict[tuple[str, str, str], list[AnyReview]] = {}
    for row in rows:
        alike.setdefault((row.reviewer, row.status.value, row.error), []).append(row)
    return [
        (
            f"{same[0].reviewer} ({', '.join(row.part or row.reviewer for row in same)})"
            if len(same) > 1
            else same[0].name,
            same[0],
        )
        for same in alike.values()
    ]


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """One run. Times are ISO 8601 in UTC; `tools` maps a tool to its version; `skipped` holds the
    reason of an override; `late` says that the run's own deadline ended it; `context` is the
    unchanged code that models were shown beside the change."""

    review_id: str
    change: ReviewedChange
    reviews: tuple[ReviewRow, ...]
    findings: tuple[Finding, ...]
    verdict: Verdict
    mode: str = "block"
    threshold: str = "P1"
    config_source: str = "defaults"
    config_digest: str = ""
    tools: Mapping[str, str] = field(default_factory=dict)
    actor: str = ""
    waivers: tuple[str, ...] = ()
    skipped: str = ""
    late: bool = False
    notices: tuple[str, ...] = ()
    started: str = ""
    finished: str = ""
    coverage: Coverage = Coverage()
    context: tuple[ShownCode, ...] = ()
    known: tuple[str, ...] = ()
    schema_version: Literal[1] = SCHEMA_VERSION

    @property
    def unread(self) -> tuple[str, ...]:
        """Of what was not reviewed, that which nobody read at all: without it there is no
        verdict."""
        return unread_paths(self.verdict.not_reviewed, self.coverage)


def unread_paths(not_reviewed: Sequence[str], coverage: Coverage) -> tuple[str, ...]:
    """Of what was not reviewed, that which was not even scanned."""
    scanned = {row.path for row in coverage.missing if row.how is not ReadDepth.UNREAD}
    return tuple(path for path in not_reviewed if path not in scanned)
