"""Where each open finding is said on a pull request: at its line, in the review's text, or only in
the report."""

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from ..model.finding import Confidence, Finding, FindingState, Priority
from ..text.visible import is_valid_unicode
from .actions import PlacedFinding, Placement
from .dismissal import DELETED

MAX_LISTED = 50
_NEVER = Priority.P3
_CRITICAL = "P1"
_UNSURE = "uncertain: for human review, shown on the terminal and in the summary"
_MINOR = "nice to have: never posted"
_TOOLS = "a tool's suggestion: shown on the terminal and in the summary"
_BELOW = "less severe than publish.inline_from"
_OVERLAP = "another of our comments is on this line"
_NOWHERE = "GitHub's diff has no line for it"
_MANY = "beyond publish.max_inline"
FULL_REASON = f"beyond the {MAX_LISTED} findings that a review lists"
_SAID = "already posted"


class PlacementLimits(Struct, frozen=True):
    """What may be said on a pull request: how severe, and how many findings at their lines; the
    texts of reviews list some more."""

    inline_from: str = "P2"
    max_inline: int = 10
    max_listed: int = MAX_LISTED


class AlreadyPosted(Struct, frozen=True):
    """What stands there: findings by fingerprint that comments or texts of ours say, new ones at
    lines that are taken, and those whose comment was deleted."""

    placements: Mapping[str, Placement] = field(default_factory=dict)
    overlapping: Collection[str] = ()
    deleted: Collection[str] = ()


def place_findings(
    findings: Iterable[Finding], before: AlreadyPosted, room: PlacementLimits
) -> tuple[PlacedFinding, ...]:
    """The open findings, most severe first, each with exactly one place.

    What was already posted keeps its room, so that the same findings have the same places in every
    run.
    """
    ordered = sorted(
        (f for f in findings if f.state is FindingState.OPEN),
        key=lambda f: (f.priority.value, f.path, f.line_start, f.rule, f.ordinal),
    )
    said = [before.placements[f.fingerprint] for f in ordered if f.fingerprint in before.placements]
    # Comments whose lines GitHub did not take stand in a text, and their room is used all the same.
    moved = max(0, said.count(Placement.BODY) - room.max_listed)
    free = {
        Placement.INLINE: room.max_inline - said.count(Placement.INLINE) - moved,
        Placement.BODY: room.max_listed - said.count(Placement.BODY),
    }
    return tuple(_within(free, _place(finding, before, room.inline_from)) for finding in ordered)


def _within(free: dict[Placement, int], wanted: PlacedFinding) -> PlacedFinding:
    """Its place, or the next one that has room."""
    if wanted.placement is Placement.INLINE and free[Placement.INLINE] <= 0:
        wanted = PlacedFinding(wanted.finding, Placement.BODY, _MANY)
    if wanted.placement is Placement.BODY and free[Placement.BODY] <= 0:
        wanted = replace(wanted, placement=Placement.REPORT, reason=FULL_REASON)
    if wanted.placement in free:
        free[wanted.placement] -= 1
    return wanted


def _place(finding: Finding, before: AlreadyPosted, inline_from: str) -> PlacedFinding:
    if finding.fingerprint in before.placements:
        return PlacedFinding(finding, Placement.ALREADY_POSTED, _SAID)
    if why := _kept_back(finding, inline_from):
        return PlacedFinding(finding, Placement.REPORT, why)
    if finding.fingerprint in before.deleted:
        return PlacedFinding(finding, Placement.BODY, DELETED)
    if finding.fingerprint in before.overlapping:
        return PlacedFinding(finding, Placement.BODY, _OVERLAP)
    start, line = _lines(finding)
    if line:
        return PlacedFinding(finding, Placement.INLINE, start=start, line=line)
    return PlacedFinding(
        finding,
        Placement.BODY if finding.priority.reaches(_CRITICAL) else Placement.REPORT,
        _NOWHERE,
    )


def _kept_back(finding: Finding, inline_from: str) -> str:
    """Why it is not posted at all; "" where it is. One with a rule is a tool's (a model names a
    category), and a model may second it."""
    if finding.confidence is Confidence.LOW:
        return _UNSURE
    if finding.priority is _NEVER:
        return _MINOR
    if finding.rule and not finding.seconded and not finding.priority.reaches(_CRITICAL):
        return _TOOLS
    return "" if finding.priority.reaches(inline_from) else _BELOW


def _lines(finding: Finding) -> tuple[int, int]:
    """First (0: the same) and last line of its comment, among the lines that the diff shows; 0
    where there is none.

    Lines that follow one another without a gap lie in one hunk, as GitHub asks. What the change
    breaks elsewhere is said at the line that does.
    """
    if finding.cause:
        return 0, finding.cause.line if is_valid_unicode(finding.cause.path) else 0
    last = max(finding.line_start, finding.line_end)
    shown = {
        quoted.number for quoted in finding.excerpt if finding.line_start <= quoted.number <= last
    }
    if (
        finding.side != "RIGHT"
        or not finding.placed
        or not shown
        or not is_valid_unicode(finding.path)
    ):
        return 0, 0
    whole = len(shown) == last - finding.line_start + 1
    return (finding.line_start if whole and last > finding.line_start else 0), max(shown)
