"""Where each open finding is said on a pull request: at its line, in the review's text, or only in the report."""

from collections.abc import Collection, Iterable

from ..model.action import Placed, Sink
from ..model.finding import Confidence, Finding, Priority, State

_NEVER = Priority.P3
_CRITICAL = "P1"
_UNSURE = "not certain: for human review, on the terminal and in the summary"
_MINOR = "nice to have: never posted"
_TOOLS = "a tool's suggestion: on the terminal and in the summary"
_BELOW = "less severe than publish.inline_from"
_OVERLAP = "another comment of ours stands at this line"
_NOWHERE = "GitHub shows no line of the diff for it"
_MANY = "beyond publish.max_inline"


def place(findings: Iterable[Finding], overlapping: Collection[str], inline_from: str, most: int) -> tuple[Placed, ...]:
    """The open findings, most severe first, each with exactly one place; `overlapping` are fingerprints, `most` limits the inline ones."""
    ordered = sorted(
        (f for f in findings if f.state is State.OPEN), key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal)
    )
    placed = [_place(finding, finding.fingerprint in overlapping, inline_from) for finding in ordered]
    inline = 0
    for at, each in enumerate(placed):
        if each.sink is Sink.INLINE:
            inline += 1
            placed[at] = each if inline <= most else Placed(each.finding, Sink.BODY, _MANY)
    return tuple(placed)


def _place(finding: Finding, overlaps: bool, inline_from: str) -> Placed:
    if why := _kept_back(finding, inline_from):
        return Placed(finding, Sink.REPORT, why)
    if overlaps:
        return Placed(finding, Sink.BODY, _OVERLAP)
    start, line = _lines(finding)
    if line:
        return Placed(finding, Sink.INLINE, start=start, line=line)
    return Placed(finding, Sink.BODY if finding.priority.reaches(_CRITICAL) else Sink.REPORT, _NOWHERE)


def _kept_back(finding: Finding, inline_from: str) -> str:
    """Why it is not posted at all; "" where it is. A finding with a rule comes from a tool (a model names a category)."""
    if finding.confidence is Confidence.LOW:
        return _UNSURE
    if finding.priority is _NEVER:
        return _MINOR
    if finding.rule and not finding.priority.reaches(_CRITICAL):
        return _TOOLS
    return "" if finding.priority.reaches(inline_from) else _BELOW


def _lines(finding: Finding) -> tuple[int, int]:
    """First (0: the same) and last line of its comment, among the lines that the diff shows; 0 where there is none.

    Lines that follow one another without a gap lie in one hunk, as GitHub asks.
    """
    last = max(finding.line_start, finding.line_end)
    shown = {quoted.number for quoted in finding.excerpt if finding.line_start <= quoted.number <= last}
    if finding.side != "RIGHT" or not finding.placed or not shown:
        return 0, 0
    whole = len(shown) == last - finding.line_start + 1
    return (finding.line_start if whole and last > finding.line_start else 0), max(shown)
