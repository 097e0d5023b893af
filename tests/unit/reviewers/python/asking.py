"""The reviewer alone, without the rest of a run."""

from pathlib import Path

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.review import Review, ReviewRequest
from reviewgate_gh.reviewers import callers
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.reviewers._context import ReviewContext
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment


def review_change(place: Path, base: str, head: str, timeout: float = 300) -> Review | None:
    """What it says of the change between two commits; None where there is nothing to ask."""
    environment, options = Environment.current(), callers.Options()
    git = open_repository(place, environment.variables)
    change = load_change(git, Range(base, head), environment, False)
    with open_checkout(git, change) as files:
        context = ReviewContext(git, files, environment, Config(), timeout)
        if not callers.parts(change, options, context):
            return None
        return callers.review(ReviewRequest(change), options, context)
