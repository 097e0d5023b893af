"""One reviewer's answer and what it cost: a reviewer that breaks is data too."""

from collections.abc import Callable, Sequence
from enum import StrEnum

from msgspec import Struct

from .change import Change
from .finding import Finding


class Usage(Struct, frozen=True, forbid_unknown_fields=True):
    """What a question cost. `input` holds all tokens that were sent; `cached` and `written` are
    those of them that a prompt cache gave or took in. `cost` is in US dollars where the vendor says
    it or a price is known."""

    calls: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    cost: float | None = None

    def plus(self, other: "Usage") -> "Usage":
        """Both together; the costs that are known are added."""
        cost = (
            None
            if self.cost is None and other.cost is None
            else (self.cost or 0) + (other.cost or 0)
        )
        written, output = self.written + other.written, self.output + other.output
        return Usage(
            self.calls + other.calls,
            self.input + other.input,
            self.cached + other.cached,
            written,
            output,
            cost,
        )


NO_USAGE = Usage()


class ModelCall(Struct, frozen=True, forbid_unknown_fields=True):
    """Which model answered: names from the config, 12 hex digits of the question, and its cost.

    `kept`: an earlier answer served again. `instead` names the reviewer in whose place it was
    asked, and why. `without_lookups`: look-ups were offered, and its program did not take them.
    """

    model: str = ""
    endpoint: str = ""
    prompt: str = ""
    usage: Usage = NO_USAGE
    kept: bool = False
    instead: str = ""
    without_lookups: bool = False


class ReviewStatus(StrEnum):
    """How a review ended; only OK is an answer."""

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    UNPARSABLE = "unparsable"
    UNAVAILABLE = "unavailable"
    SKIPPED = "skipped"

    @property
    def broken(self) -> bool:
        """It was asked and gave no answer that can be believed."""
        return self in (ReviewStatus.FAILED, ReviewStatus.TIMEOUT, ReviewStatus.UNPARSABLE)


class ReviewRequest(Struct, frozen=True):
    """What one reviewer is asked: the change, and which part (a linter's tool, a lens).

    `without_hunks` is there before git has made the patch: without hunks, and its binary files are
    not known yet.
    """

    without_hunks: Change
    part: str = ""
    complete: Callable[[], Change] | None = None

    @property
    def change(self) -> Change:
        """The change with its hunks; waits for them."""
        return self.complete() if self.complete else self.without_hunks


class Review(Struct, frozen=True, forbid_unknown_fields=True):
    """`found` counts all that the reviewer reported; `outside` those of them off the changed lines
    that it kept no finding for.

    `covered` names the paths it read; `seconds` is wall time, from `began` on the environment's
    clock; `error` says why there is no answer, `note` what an answer leaves open.
    `uncompared` names files whose base and head it did not compare, and why.
    `summaries` are a model's, one for each batch of files.
    `said` is the verdict in its own words, which decides nothing, and `asked` is there where it is
    a language model's. `hard` is the exit code with which an external gate ends an orchestrated run
    whatever its failure mode; 0: none.
    """

    reviewer: str
    part: str = ""
    status: ReviewStatus = ReviewStatus.OK
    findings: tuple[Finding, ...] = ()
    found: int = 0
    outside: int = 0
    covered: tuple[str, ...] = ()
    error: str = ""
    version: str = ""
    required: bool = True
    seconds: float = 0.0
    said: str = ""
    asked: ModelCall | None = None
    hard: int = 0
    note: str = ""
    uncompared: tuple[tuple[str, str], ...] = ()
    summaries: tuple[str, ...] = ()
    began: float = 0.0

    @property
    def name(self) -> str:
        """`linters/ruff`, or the reviewer's name alone."""
        return f"{self.reviewer}/{self.part}" if self.part else self.reviewer


class PartialReview(Struct, frozen=True, forbid_unknown_fields=True):
    """What a reviewer said of some of its files. `piece` is their number among the pieces of one
    question, whose answers are joined in that order; most questions have one piece. Questions to
    language models are numbered by `question`.

    `undecided` are findings that may be older than the change, `on_base` is what the same tool says
    of these files at base, and `base_error` why it says nothing.
    """

    review: Review
    piece: int = 0
    question: int = 0
    undecided: tuple[Finding, ...] = ()
    on_base: tuple[Finding, ...] = ()
    base_error: str = ""


class Portion(Struct, frozen=True, forbid_unknown_fields=True):
    """What one of several machines asks: the reviewers and tools that it asks by name about all of
    the change, the files of the tools that share them, and the batches of language models. `piece`
    is its number. `share` is how much of the budget is its own."""

    piece: int
    whole: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    batches: frozenset[int] = frozenset()
    share: float = 0.0


ReviewCall = Callable[[], Sequence[PartialReview]]  # asks one reviewer
