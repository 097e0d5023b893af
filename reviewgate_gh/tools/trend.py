"""The trend of a repository, from what is kept of its reviews, as a page for a browser."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from statistics import median

from msgspec import Struct

from ..model.report import Outcome
from ..reporters._markup import Html, element, line
from ..reporters._page import page, section
from ..reporters._plot import Series, bar_plot
from ..reporters._words import PROGRAM_NAME, count_noun
from .history import History, PastReview

_MOST_BARS = 31
_MOST_PERIODS = 120  # months: older ones are left out
_OVERRIDDEN = "overridden"
_COLOURS = {
    Outcome.PASS.value: "pass",
    Outcome.CONCERNS.value: "concerns",
    Outcome.BLOCK.value: "block",
    Outcome.INCONCLUSIVE.value: "inconclusive",
    _OVERRIDDEN: "other",
}


class Period(Struct, frozen=True):
    """The reviews that began on a day, in a week or in a month, as `unit` says; `start` is its
    first day."""

    unit: str
    start: date
    reviews: tuple[PastReview, ...]

    def outcomes(self, word: str) -> int:
        """How many reviews ended with this word."""
        return sum(_word(each) == word for each in self.reviews)

    def distinct(self, fingerprints: Callable[[PastReview], Iterable[str]]) -> int:
        """How many findings there are among them: each counts once, however often it was met."""
        return len({name for each in self.reviews for name in fingerprints(each)})

    @property
    def cost(self) -> float:
        """Of language models, in US dollars as far as it is known."""
        return round(sum(each.cost or 0 for each in self.reviews), 2)

    @property
    def seconds(self) -> float:
        """Of the review in the middle."""
        return round(float(median(each.seconds for each in self.reviews)), 2) if self.reviews else 0


def _word(review: PastReview) -> str:
    return _OVERRIDDEN if review.overridden else review.outcome


def periods(reviews: Iterable[PastReview]) -> list[Period]:
    """Days, weeks or months, whichever are few enough, without a gap; the oldest first. A review
    without a date is in none."""
    dated = sorted(
        ((day, each) for each in reviews if (day := _day(each.started))), key=lambda pair: pair[0]
    )
    if not dated:
        return []
    first, last = dated[0][0], dated[-1][0]
    unit, starts = _starts(first, last)
    found: list[list[PastReview]] = [[] for _ in starts]
    for day, each in dated:
        if day >= starts[0]:
            found[bisect_right(starts, day) - 1].append(each)
    return [Period(unit, *both) for both in zip(starts, map(tuple, found), strict=True)]


def _starts(first: date, last: date) -> tuple[str, list[date]]:
    """The first days of the periods, and what these are."""
    monday = first - timedelta(days=first.weekday())
    for unit, begin, length in (("day", first, 1), ("week", monday, 7)):
        if (number := (last - begin).days // length + 1) <= _MOST_BARS:
            return unit, [begin + timedelta(days=at * length) for at in range(number)]
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return "month", [date(at // 12, at % 12 + 1, 1) for at in months[-_MOST_PERIODS:]]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def render_trend(past: History, name: str) -> str:
    """The page about the repository of this name."""
    found = periods(past.reviews)
    return page(
        f"{PROGRAM_NAME}: {name}",
        element("header", element("h1", "Reviews of ", line(name)), *_said(past, found)),
        element("main", *_plots(found)),
        script=False,
    )


def _said(past: History, found: Sequence[Period]) -> Iterator[Html]:
    shown = [each for period in found for each in period.reviews]
    if not shown:
        yield element("p", "No reviews are kept yet.")
        return
    blocked = sum(_word(each) == Outcome.BLOCK for each in shown)
    yield element(
        "p",
        f"{count_noun(len(shown), 'review')}, {blocked:,} of which blocked. Each bar is a "
        f"{found[0].unit}. A clone keeps its last 100 reports.",
    )
    if left := past.damaged + len(past.reviews) - len(shown):
        text = f"{count_noun(left, 'more report')} could not be read, has no date or is too old."
        yield element("p", text)


def _plots(found: Sequence[Period]) -> Iterator[Html]:
    starts = [period.start.isoformat() for period in found]

    def plot(name: str, heading: str, series: Sequence[Series], unit: str = "") -> Html:
        return section(name, heading, bar_plot(heading, starts, series, unit))

    words = [
        Series(word, [period.outcomes(word) for period in found], colour)
        for word, colour in _COLOURS.items()
    ]
    yield plot("verdicts", "Reviews by verdict", words)
    yield plot(
        "waived",
        "Findings that were waived",
        [Series("waived", _distinct(found, lambda one: one.waived), "concerns")],
    )
    yield plot(
        "false-alarms",
        "False alarms",
        [
            Series("dismissed by people", _distinct(found, lambda one: one.dismissed), "block"),
            Series("refuted by a model", _distinct(found, lambda one: one.refuted), "other"),
        ],
    )
    costs = [Series("language models", [period.cost for period in found], "other")]
    yield plot("cost", "Cost", costs, " $")
    times = [Series("median", [period.seconds for period in found], "other")]
    yield plot("time", "Time of a review", times, " s")


def _distinct(
    found: Sequence[Period], fingerprints: Callable[[PastReview], Iterable[str]]
) -> list[int]:
    return [period.distinct(fingerprints) for period in found]
