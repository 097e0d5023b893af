"""How a comparison says something: a rule with its weight and advice, and a finding that names what
was there and what is there now."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ...model.finding import Finding, Priority
from ...text.redact import redact
from ...text.visible import show_hidden
from ._sources import ComparedFile, Line, Place

_LONGEST = 120
_MOST_PLACES = 20
WHOLE_FILE = Line(0, "")


class ComparisonRule(Struct, frozen=True):
    """The name behind `change/`, how much it weighs, and why it matters and what to do."""

    name: str
    priority: Priority
    advice: str


def quoted(text: str) -> str:
    """Code of the change as a message may hold it: one line, no secret, nothing hidden."""
    bare = show_hidden(redact(" ".join(text.split())))
    return f"`{bare if len(bare) <= _LONGEST else bare[: _LONGEST - 1] + '…'}`".replace("\n", " ")


def taken(
    rule: ComparisonRule, file: ComparedFile, line: Line, title: str, now: str = ""
) -> Finding:
    """A finding about a line of the base that is gone; `now` says what the head has instead."""
    before = f"Before: {quoted(line.text)}. " if line.text.strip() else ""
    after = f"Now: {now}. " if now else "Now: nothing in its place. " if before else ""
    return _finding(rule, file.path, line, title, f"{before}{after}{rule.advice}", "LEFT")


def put(
    rule: ComparisonRule, file: ComparedFile, line: Line, title: str, before: str = ""
) -> Finding:
    """A finding about a line of the head; `before` says what the base had."""
    was = f"Before: {before}. " if before else ""
    now = f"Now: {quoted(line.text)}. " if line.text.strip() else ""
    return _finding(rule, file.path, line, title, f"{was}{now}{rule.advice}", "RIGHT")


def hint(rule: ComparisonRule, why: str = "") -> ComparisonRule:
    """The rule where it is only worth a look: shown in one row, posted nowhere."""
    return replace(rule, priority=Priority.P3, advice=f"{why} {rule.advice}".lstrip())


def with_places(finding: Finding, places: Iterable[Place]) -> Finding:
    """The finding with other lines of the head that it concerns."""
    named = tuple(f"{place.path}:{place.number}" for place in places)[:_MOST_PLACES]
    return replace(finding, places=named)


def _finding(
    rule: ComparisonRule, path: str, line: Line, title: str, body: str, side: str
) -> Finding:
    """It is about the change wherever its line is: a mark that is gone leaves the line below it as
    it was."""
    side = side if line.number else "RIGHT"
    title, body = (show_hidden(redact(text)) for text in (title, body))
    return Finding(
        rule.priority,
        "change",
        f"change/{rule.name}",
        path,
        line.number,
        line.number,
        title,
        body,
        side=side,
        compared=True,
    )
