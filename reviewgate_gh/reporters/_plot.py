"""Stacked bars over time as SVG, with the numbers as a table beside them."""

from collections.abc import Sequence

from msgspec import Struct

from ._markup import NOTHING, Html, element, line, markup, table

_WIDTH, _HEIGHT, _FOOT, _LEFT = 520, 180, 22, 46
_GAP = 0.2  # of a bar's room


class Series(Struct, frozen=True):
    """What is counted, a value for each period, and a class of page.css that is its colour."""

    name: str
    values: Sequence[float]
    colour: str


def bar_plot(title: str, periods: Sequence[str], series: Sequence[Series], unit: str = "") -> Html:
    """The bars and the table; values have at most two decimals, and what is 0 throughout is left
    out."""
    series = [each for each in series if any(each.values)]
    sums = [sum(values) for values in zip(*(each.values for each in series), strict=True)]
    highest = max(sums, default=0)
    if not highest:
        return NOTHING
    marks = [
        _text(0, 12, _shown(highest) + unit),
        _text(0, _HEIGHT - _FOOT, "0"),
        _text(_LEFT, _HEIGHT - 6, periods[0]),
        *([_text(_WIDTH, _HEIGHT - 6, periods[-1], anchor="end")] if len(periods) > 1 else []),
    ]
    svg = element(
        "svg",
        *(_bar(at, len(periods), series, highest) for at in range(len(periods))),
        *marks,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{title}: bars from {periods[0]} to {periods[-1]}, as in the table",
    )
    rows = [
        [line(period), *(_shown(each.values[at]) for each in series)]
        for at, period in enumerate(periods)
    ]
    heads = ["From", *(f"{each.name} ({unit.strip()})" if unit else each.name for each in series)]
    plot = element("div", svg, _legend(series))
    return element("figure", plot, table(title, heads, rows[::-1]))


def _bar(at: int, number: int, series: Sequence[Series], highest: float) -> Html:
    """The parts of one bar, the first at the bottom."""
    room = (_WIDTH - _LEFT) / number
    width = min(room * (1 - _GAP), 40)
    x, y = _LEFT + at * room + (room - width) / 2, float(_HEIGHT - _FOOT)
    parts = []
    for each in series:
        height = each.values[at] / highest * (_HEIGHT - _FOOT - 4)
        y -= height
        if height:
            places = {"x": x, "y": y, "width": width, "height": height}
            attributes = {name: f"{place:.1f}" for name, place in places.items()}
            parts.append(element("rect", class_=each.colour, **attributes))
    return markup(*parts)


def _text(x: float, y: float, text: str, anchor: str = "start") -> Html:
    return element("text", line(text), x=f"{x:.0f}", y=f"{y:.0f}", text_anchor=anchor)


def _legend(series: Sequence[Series]) -> Html:
    box = {"viewBox": "0 0 10 10", "width": "10", "height": "10", "aria_hidden": "true"}
    square = {"width": "10", "height": "10"}
    names = (
        element(
            "li", element("svg", element("rect", class_=each.colour, **square), **box), each.name
        )
        for each in series
    )
    return element("ul", *names, class_="legend") if len(series) > 1 else NOTHING


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")
