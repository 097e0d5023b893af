"""The version of the program in a Helm chart, which says it twice: by what the chart is for, and by
the image that it starts."""

import re
from collections.abc import Iterator

from ....model.finding import Finding, Priority
from ....text.patterns import lazy_pattern
from .._remark import ComparisonRule, put, quoted, with_places
from .._sources import ComparedFile, ComparisonInput, Line, Place

EVERY_FILE = True
_RULE = ComparisonRule(
    "version-mismatch",
    Priority.P2,
    "Whoever installs the chart gets another version than it says. Change them together, or leave "
    "the tag empty and derive it from `appVersion`.",
)
# https://helm.sh/docs/topics/charts/#the-appversion-field
_APP = lazy_pattern(r"^appVersion:\s*[\"']?v?(?P<number>[\w.+-]+)")
_TAG = lazy_pattern(
    r"^\s*(?:tag:\s*[\"']?|image:\s*[\"']?[\w./:-]+:)v?(?P<number>\d+\.\d+[\w.+-]*)[\"']?\s*$"
)


def compare(sources: ComparisonInput) -> Iterator[Finding]:
    """One finding a chart."""
    for file in sources.files:
        if file.name not in ("Chart.yaml", "values.yaml") or file.is_new or file.is_gone:
            continue
        other = file.folder + ("values.yaml" if file.name == "Chart.yaml" else "Chart.yaml")
        own, theirs = (_APP, _TAG) if file.name == "Chart.yaml" else (_TAG, _APP)
        beside = sources.read_head([other]).get(other, "").split("\n")
        numbers = [
            (at, m["number"]) for at, row in enumerate(beside, 1) if (m := theirs.match(row))
        ]
        for old, line, new in _changed(file, own):
            was = next((base for base in sources.files if base.path == other), None)
            before = (
                {m["number"] for row in was.base_rows if (m := theirs.match(row))} if was else set()
            )
            places = [
                Place(other, at, beside[at - 1])
                for at, number in numbers
                if number == old or (old in before and number != new)
            ]
            if places and new not in (number for _at, number in numbers):
                title = f"the version is {new} here and {_number_of(places[0], theirs)} in {other}"
                yield with_places(put(_RULE, file, line, title, quoted(old)), places)
                return


def _number_of(place: Place, pattern: re.Pattern[str]) -> str:
    found = pattern.match(place.text)
    return str(found["number"]) if found else ""


def _changed(file: ComparedFile, pattern: re.Pattern[str]) -> Iterator[tuple[str, Line, str]]:
    for block in file.blocks:
        was = [found["number"] for line in block.removed if (found := pattern.match(line.text))]
        now = [(line, m["number"]) for line in block.added if (m := pattern.match(line.text))]
        if len(was) == len(now) == 1 and was[0] != now[0][1]:
            yield was[0], *now[0]
