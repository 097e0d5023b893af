"""What one run of the gate is asked for, and what all of its steps work with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from ..git import Git
from ..model.change import Change, Range
from ..model.config import Config, ReviewerConfig
from ..model.review import NO_USAGE, PartialReview, Portion, Review, Usage
from ..settings.change import LoadingChange
from ..settings.settings import AppliedSettings
from ..system.environment import Environment
from ..system.progress import Progress

if TYPE_CHECKING:
    from ..findings.suppressions import SuppressionFilter
    from ..model.pull_request import CiReader
    from ..model.question import RunEffort
    from .budget import BudgetAccount
    from .incremental import LastReviewQuery


class AnswerOptions(NamedTuple):
    """Answers of language models: `fresh` takes none of earlier runs, `record` is a folder to keep
    all in, `replay` one with all."""

    fresh: bool = False
    record: Path | None = None
    replay: Path | None = None


class CollectedAnswers(Struct, frozen=True):
    """What reviewers said on other machines: their answers, and reviews that say which are missing;
    `messages` say what was not used, and how long it took.

    `notices` and `looked_up` are those of language models, and `spent` is what they cost. `late`:
    the deadline of one of these runs had passed.
    """

    parts: tuple[PartialReview, ...]
    missing: tuple[Review, ...] = ()
    messages: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    looked_up: tuple[str, ...] = ()
    spent: Usage = NO_USAGE
    late: bool = False


class ReviewOptions(Struct, frozen=True):
    """What one run is asked for: the range, its entry point, and what only a command line may say.

    `seconds_used` are the seconds of the deadline that are gone already. `extra_reviewers` are
    those that the config does not declare, or not so. `effort`, `answers` and `last_review` (of a
    pull request) are for language models, and so is `spending`, the account that several runs
    share. With `asks_no_models` what they said in that last review counts, and it must have been of
    this very head. `ci` reads what the checks of a pull request's head say, for models
    and the lens that would else run the project's commands; `intent` what it is meant to do, for
    the lens that compares it with that. `progress` is that of several runs. `portion` is what this
    run asks, where others ask the rest; `collect` gives the answers that were collected so.
    """

    range: Range
    entry_point: str = "cli"
    trusted: bool = False
    policy: str = ""
    reviewers: tuple[str, ...] = ()
    deadline: float | None = None
    seconds_used: float = 0
    imported_reviews: tuple[Review, ...] = ()
    effort: "RunEffort | None" = None
    answers: AnswerOptions = AnswerOptions()
    last_review: "LastReviewQuery | None" = None
    asks_no_models: bool = False
    extra_reviewers: Mapping[str, ReviewerConfig] = field(default_factory=dict)
    spending: "BudgetAccount | None" = None
    ci: "CiReader | None" = None
    progress: Progress | None = None
    portion: Portion | None = None
    collect: "Callable[[ReviewRun], CollectedAnswers] | None" = None
    intent: Callable[[], str] | None = None


class ReviewRun(Struct, frozen=True):
    """One run of the gate: made once from the options, and handed to every step.

    `excluded` are the paths that linters and models do not read, `excluded_before` those that they
    did not read on the base. The run has `seconds` from `began` on, which is a time of the clock.
    """

    options: ReviewOptions
    git: Git
    environment: Environment
    loading: LoadingChange
    settings: AppliedSettings
    excluded: frozenset[str]
    began: float
    seconds: float
    suppressions: "SuppressionFilter"
    progress: Progress
    excluded_before: frozenset[str] = frozenset()

    @property
    def change(self) -> Change:
        """The change with its hunks; waits for them."""
        return self.loading.complete()

    @property
    def config(self) -> Config:
        """The config that counts."""
        return self.settings.config

    @property
    def deadline(self) -> float:
        """The clock's time at which the run is over."""
        return self.began + self.seconds
