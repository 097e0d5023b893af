"""What one run of the gate is asked for."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..model.change import Range
from ..model.config import ReviewerConfig
from ..model.review import Review
from ..model.values import dataclass

if TYPE_CHECKING:
    from ..model.question import Effort
    from .incremental import LastReviewQuery as Since


class AnswerOptions(NamedTuple):
    """Answers of language models: `fresh` takes none of earlier runs, `record` is a folder to keep
    all in, `replay` one with all."""

    fresh: bool = False
    record: Path | None = None
    replay: Path | None = None


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """What one run is asked for: the range, the door it came through, and what only the command
    line may say.

    `spent` are the seconds of the deadline that are gone already; `also` are reviewers that the
    config does not declare, or not so; `effort`, `recall` and `since` (what the last review of a
    pull request left) are for language models.
    """

    range: Range
    entry_point: str = "cli"
    trusted: bool = False
    policy: str = ""
    reviewers: tuple[str, ...] = ()
    deadline: float | None = None
    seconds_used: float = 0
    imported_reviews: tuple[Review, ...] = ()
    effort: "Effort | None" = None
    answers: AnswerOptions = AnswerOptions()
    last_review: "Since | None" = None
    extra_reviewers: Mapping[str, ReviewerConfig] = field(default_factory=dict)
