"""Conflict markers that a merge left behind, on added lines."""

from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.patterns import lazy_pattern
from ._paths import is_document
from ._sources import CheckInput, added_lines, mentions_any

WANTS: tuple[str, ...] = ()
EVERY_FILE = False
_WORDS = (b"+<<<<<<<", b"+>>>>>>>", b"+|||||||")
_MARKER = lazy_pattern(r"(<{7}|>{7}|\|{7}|={7})(?: .*)?\r?")
_START, _END, _MIDDLE = "<<<<<<<", ">>>>>>>", "======="
_BODY = "Keep one side (or both), delete the marker lines, and run the tests on the result."


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a conflict, on its first marker line."""
    for file in sources.change.files:
        if not file.binary and mentions_any(file, _WORDS):
            yield from _in_file(file)


def _in_file(file: FileDiff) -> Iterator[Finding]:
    found = [
        (number, marker[1])
        for number, line in added_lines(file)
        if line[:7] and (marker := _MARKER.fullmatch(line))
    ]
    for conflict in _conflicts(found):
        signs = {sign for _number, sign in conflict}
        if signs == {_MIDDLE} or (is_document(file.path) and not {_START, _END} <= signs):
            continue
        first = conflict[0][0]
        where = ", ".join(str(number) for number, _sign in conflict)
        body, rule = f"{_BODY} Marker lines: {where}.", "conflict-marker"
        yield Finding(
            Priority.P0,
            rule,
            f"builtin/{rule}",
            file.path,
            first,
            first,
            "unresolved merge conflict",
            body,
        )


def _conflicts(found: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Markers in groups: a start begins one, an end closes it."""
    group: list[tuple[int, str]] = []
    for number, sign in found:
        if sign == _START and group:
            yield group
            group = []
        group.append((number, sign))
        if sign == _END:
            yield group
            group = []
    if group:
        yield group
