"""tools/trend.py: the reviews of a repository over time."""

import re

from msgspec.structs import replace

from reviewgate_gh.tools.history import History, PastReview
from reviewgate_gh.tools.trend import periods, render_trend
from tests.unit.reporters.test_html import Page

ONE = PastReview("r", "2026-03-02T10:00:00Z", "pass", {}, "a", "b", "ada", "", cost=0.25, seconds=4)
PAST = History(
    (
        replace(ONE, started="2026-03-09T10:00:00Z", waived=("w1", "w2"), seconds=10),
        replace(ONE, started="2026-03-08T23:59:59Z", outcome="block", waived=("w1",)),
        replace(ONE, outcome="block", dismissed=("d",), refuted=("x", "y"), overridden="late"),
        replace(ONE, outcome="block", dismissed=("d",), cost=None, seconds=9.0),
    ),
    (),
    damaged=1,
)


def at(*days: str) -> list[PastReview]:
    return [replace(ONE, started=f"{day}T00:00:00Z") for day in days]


def shape(reviews: list[PastReview]) -> tuple[str, int, str, str, int]:
    """Unit, how many, the first and the last, and the reviews that are in one."""
    found = periods(reviews)
    counted = sum(len(each.reviews) for each in found)
    return found[0].unit, len(found), str(found[0].start), str(found[-1].start), counted


def test_periods_have_no_gap_and_are_few() -> None:
    assert periods([]) == [] and periods(at("yesterday")) == []
    assert shape(at("2026-03-02", "2026-03-02")) == ("day", 1, "2026-03-02", "2026-03-02", 2)
    assert shape(at("2026-03-31", "2026-03-01")) == ("day", 31, "2026-03-01", "2026-03-31", 2)
    # From the Monday before, to the one of the last week
    assert shape(at("2026-03-01", "2026-04-01")) == ("week", 6, "2026-02-23", "2026-03-30", 2)
    assert shape(at("2025-12-31", "2026-12-01")) == ("month", 13, "2025-12-01", "2026-12-01", 2)
    assert shape(at("0001-01-01", "9999-12-31"))[:2] == ("month", 120)


def test_a_finding_counts_once_in_a_period_and_an_override_is_none_of_the_verdicts() -> None:
    first, *_, last = periods(PAST.reviews)
    assert (first.outcomes("block"), first.outcomes("overridden")) == (1, 1)
    assert first.distinct(lambda each: each.dismissed) == 1
    assert (first.cost, first.seconds, last.cost, last.seconds) == (0.25, 6.5, 0.25, 10)


def test_the_numbers_are_beside_the_bars() -> None:
    text = render_trend(PAST, "<shop>")
    page = Page(text)
    assert "Reviews of <shop>" in page.text
    assert "4 reviews, 2 of which blocked. Each bar is a day." in page.text
    assert "1 more report could not be read" in page.text
    assert page.values("id", "section") == ["verdicts", "waived", "false-alarms", "cost", "time"]
    assert " | From | pass | block | overridden" in page.text
    rows = re.findall(r"^(?: \|) (2026-\S+) \| (.*)$", page.text, re.MULTILINE)
    assert rows[0] == ("2026-03-09", "1 | 0 | 0") and ("2026-03-02", "0 | 1 | 1") in rows
    assert len(page.values("class", "rect")) == len(re.findall("<rect", text))
    assert page.raw.keys() == {"style"} and "script-src" not in text


def test_what_never_happened_is_no_plot() -> None:
    page = Page(render_trend(History((replace(ONE, cost=None),), ()), "shop"))
    assert page.values("id", "section") == ["verdicts", "time"]
    assert "No reviews are kept yet." in render_trend(History((), ()), "shop")
