"""reporters/_plot.py: bars whose parts stand on one another, and their numbers."""

from reviewgate_gh.reporters._plot import Series, bar_plot
from tests.unit.reporters.test_html import Page


def test_parts_stand_on_one_another_and_the_highest_bar_fills_the_plot() -> None:
    series = [Series("block", [1, 2], "block"), Series("pass", [3, 0], "pass")]
    page = Page(bar_plot("Reviews", ["2026-03-02", "2026-03-03"], series))
    parts = [
        (attrs["class"], *(float(attrs[name] or 0) for name in ("y", "height")))
        for tag, attrs in page.tags
        if tag == "rect" and "x" in attrs
    ]
    # 154 units are 4 reviews; the plot's foot is at 158
    assert parts == [("block", 119.5, 38.5), ("pass", 4, 115.5), ("block", 81, 77)]
    assert page.values("text-anchor", "text") == ["start", "start", "start", "end"]
    assert page.values("aria-label", "svg") == [
        "Reviews: bars from 2026-03-02 to 2026-03-03, as in the table"
    ]


def test_numbers_have_at_most_two_decimals_and_their_unit() -> None:
    text = Page(bar_plot("Cost", ["2026-03-02"], [Series("models", [1234.5678], "other")], " $"))
    assert "1,234.57 $" in text.text and "models ($)" in text.text and "1,234.57\n" in text.text
    assert bar_plot("Cost", ["2026-03-02"], [Series("models", [0.0], "other")]) == ""
