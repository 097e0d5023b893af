"""What a plan is made from: what the configuration says about posting, and what GitHub holds of
ours."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ..findings.markers import ReviewMarker
from ..model.pull_request import Account, ExistingComment, PostedReview
from .comments import (
    own_reviews_with_markers,
    standing_summary,
)
from .summary import StandingSummary


class PublishLimits(Struct, frozen=True):
    """What the configuration says about posting."""

    max_inline: int = 10
    inline_from: str = "P2"
    resolve: bool = False


class PublishContext(Struct, frozen=True):
    """What GitHub holds of ours: threads in their buckets, every review, who we are, new findings
    at taken lines, findings that our reviews' texts list, and the head now.

    `ahead`: the head is known to be a later commit than the reviewed one. GitHub may also, for a
    while, show an older one. `covers_all`: the report is about all of the pull request's commits.
    `url` is the pull request's page. `living`: this report may change the summary.
    `deleted` are findings whose comments people deleted.
    """

    existing: Sequence[ExistingComment] = ()
    reviews: Sequence[PostedReview] = ()
    viewer: Account | None = None
    overlapping: Collection[str] = ()
    listed: Collection[str] = ()
    head: str = ""
    ahead: bool = False
    covers_all: bool = True
    url: str = ""
    living: bool = True
    deleted: Collection[str] = ()

    @property
    def summary(self) -> StandingSummary | None:
        """The living summary as it stands."""
        return standing_summary(self.reviews, self.viewer) if self.living else None

    def own_reviews(self) -> Iterator[tuple[PostedReview, ReviewMarker]]:
        """The reviews that we submitted, with their marks."""
        return own_reviews_with_markers(self.reviews, self.viewer)
