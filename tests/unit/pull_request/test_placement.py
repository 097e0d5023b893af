"""Where findings are said: each in exactly one place, the same in every run, and none where it must
not be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.findings.merge import merge_findings, merge_patterns
from reviewgate_gh.model.finding import (
    CausingPlace,
    Confidence,
    Finding,
    FindingState,
    Priority,
    QuotedLine,
)
from reviewgate_gh.pull_request.actions import PlacedFinding, Placement
from reviewgate_gh.pull_request.placement import (
    FULL_REASON,
    AlreadyPosted,
    PlacementLimits,
    place_findings,
)
from reviewgate_gh.pull_request.posted_text import inline_comment
from tests.unit.model.values import values
from tests.unit.support import finding

SEEN = finding(
    line=5,
    placed=True,
    excerpt=(QuotedLine(4, "before"), QuotedLine(5, "x"), QuotedLine(6, "after")),
)
WHOLE = replace(
    SEEN, line_start=5, line_end=7, excerpt=tuple(QuotedLine(n, str(n)) for n in range(4, 9))
)
LISTS = st.lists(values(Finding), max_size=12)
ROOMS = st.builds(
    PlacementLimits, st.sampled_from(["P0", "P1", "P2"]), st.integers(0, 6), st.integers(0, 6)
)


def apart(findings: list[Finding]) -> list[Finding]:
    """As the engine hands them over: equal ones told apart by their ordinal."""
    seen: Counter[str] = Counter()
    for at, each in enumerate(findings):
        bare = replace(each, ordinal=1)
        seen[bare.fingerprint] += 1
        findings[at] = replace(bare, ordinal=seen[bare.fingerprint])
    return findings


@given(LISTS, ROOMS)
def test_every_open_finding_has_exactly_one_place(
    findings: list[Finding], room: PlacementLimits
) -> None:
    findings = apart(findings)
    placed = place_findings(findings, AlreadyPosted(), room)
    wanted = Counter(f.fingerprint for f in findings if f.state is FindingState.OPEN)
    assert Counter(each.finding.fingerprint for each in placed) == wanted and set(
        wanted.values()
    ) <= {1}
    counts = Counter(each.placement for each in placed)
    assert counts[Placement.INLINE] <= room.max_inline and counts[Placement.BODY] <= room.max_listed
    for each in placed:
        if each.placement in (Placement.INLINE, Placement.BODY):
            assert (
                each.finding.priority is not Priority.P3
                and each.finding.confidence is Confidence.HIGH
            )
            assert each.finding.priority.reaches(room.inline_from)
            whose = not each.finding.rule or each.finding.seconded
            assert whose or each.finding.priority.reaches("P1"), (
                "a tool's suggestion is for the terminal"
            )
        assert bool(each.line) == (each.placement is Placement.INLINE) and bool(each.reason) == (
            each.placement is not Placement.INLINE
        )


@given(LISTS, ROOMS, st.data())
def test_what_was_said_is_not_said_again_and_makes_room_for_nothing(
    findings: list[Finding], room: PlacementLimits, data: st.DataObject
) -> None:
    findings = apart(findings)
    first = place_findings(findings, AlreadyPosted(), room)
    said = {
        each.finding.fingerprint: each.placement
        for each in first
        if each.placement in (Placement.INLINE, Placement.BODY)
    }
    again = place_findings(findings, AlreadyPosted(said), room)
    assert {each.placement for each in again} <= {Placement.ALREADY_POSTED, Placement.REPORT}
    # Of a review that GitHub took without its lines, all is in the text.
    again = place_findings(findings, AlreadyPosted(dict.fromkeys(said, Placement.BODY)), room)
    assert {each.placement for each in again} <= {Placement.ALREADY_POSTED, Placement.REPORT}
    # Of a run that was interrupted, the rest is said in its own places.
    half = {name: sink for name, sink in said.items() if data.draw(st.booleans())}
    rest = {
        each.finding.fingerprint: each.placement
        for each in place_findings(findings, AlreadyPosted(half), room)
        if each.placement in (Placement.INLINE, Placement.BODY)
    }
    assert half | rest == said


@pytest.mark.parametrize(
    ("change", "sink", "lines"),
    [
        ({}, Placement.INLINE, (0, 5)),
        ({"line_start": 5, "line_end": 6}, Placement.INLINE, (5, 6)),
        ({"line_start": 5, "line_end": 9}, Placement.INLINE, (0, 6)),
        ({"line_start": 1, "line_end": 4}, Placement.INLINE, (0, 4)),
        ({"line_start": 9, "line_end": 9}, Placement.BODY, (0, 0)),
        ({"side": "LEFT"}, Placement.BODY, (0, 0)),
        ({"placed": False}, Placement.BODY, (0, 0)),
        ({"line_start": 0, "line_end": 0, "excerpt": ()}, Placement.BODY, (0, 0)),
        ({"priority": Priority.P2}, Placement.REPORT, (0, 0)),
        ({"priority": Priority.P2, "rule": ""}, Placement.INLINE, (0, 5)),
        ({"priority": Priority.P2, "seconded": True}, Placement.INLINE, (0, 5)),
        ({"priority": Priority.P3, "seconded": True}, Placement.REPORT, (0, 0)),
        ({"priority": Priority.P2, "rule": "", "placed": False}, Placement.REPORT, (0, 0)),
        ({"priority": Priority.P3, "rule": ""}, Placement.REPORT, (0, 0)),
        ({"confidence": Confidence.LOW}, Placement.REPORT, (0, 0)),
    ],
)
@pytest.mark.req("R003-041")
def test_where_one_finding_goes(change, sink, lines) -> None:
    [each] = place_findings([replace(SEEN, **change)], AlreadyPosted(), PlacementLimits())
    assert (each.placement, (each.start, each.line)) == (sink, lines)


TOOL = replace(
    SEEN,
    priority=Priority.P2,
    title="subprocess call with shell=True",
    sources=("ruff",),
    rule="ruff/S602",
)
MODEL = replace(
    TOOL, rule="", title="The subprocess call runs with shell=True", sources=("claude/security",)
)


@pytest.mark.req("R003-027")
@pytest.mark.parametrize(
    ("tool", "model"),
    [
        ({}, {}),
        ({}, {"priority": Priority.P3}),
        ({}, {"confidence": Confidence.LOW}),
        ({"priority": Priority.P1}, {"priority": Priority.P3}),
        ({"priority": Priority.P3}, {"priority": Priority.P3}),
    ],
)
def test_what_a_tool_and_a_model_find_is_posted_where_one_of_them_alone_would_be(
    tool, model
) -> None:
    one, other = replace(TOOL, **tool), replace(MODEL, **model)
    apart = {
        place_findings([each], AlreadyPosted(), PlacementLimits())[0].placement
        for each in (one, other)
    }
    found = merge_findings([one, other])
    [together] = place_findings(found, AlreadyPosted(), PlacementLimits())
    assert len(found) == 2 and set(together.finding.sources) == {"ruff", "claude/security"}
    assert (together.placement is Placement.INLINE) == (Placement.INLINE in apart)


def test_one_issue_in_many_files_is_posted_where_a_model_seconds_it_in_one() -> None:
    many = merge_findings(
        [
            *(replace(TOOL, path=f"{n}.py", origin=f"{n}.py") for n in range(3)),
            replace(MODEL, path="1.py", origin="1.py"),
        ]
    )
    [placed] = place_findings(merge_patterns(many), AlreadyPosted(), PlacementLimits())
    assert placed.placement is Placement.INLINE and len(placed.finding.places) == 3


def test_several_lines_are_named_only_where_all_are_shown() -> None:
    assert [
        (p.start, p.line) for p in place_findings([WHOLE], AlreadyPosted(), PlacementLimits())
    ] == [(5, 7)]
    gap = replace(WHOLE, excerpt=(QuotedLine(5, "5"), QuotedLine(7, "7")))
    assert [
        (p.start, p.line) for p in place_findings([gap], AlreadyPosted(), PlacementLimits())
    ] == [(0, 7)]


def test_the_most_severe_come_first_and_the_rest_is_listed_or_counted() -> None:
    many = [
        replace(SEEN, priority=Priority.P1 if n else Priority.P0, path=f"{9 - n}.py", origin=f"{n}")
        for n in range(9)
    ]
    placed = place_findings(many, AlreadyPosted(), PlacementLimits(max_inline=2, max_listed=3))
    assert [each.placement for each in placed] == [Placement.INLINE] * 2 + [Placement.BODY] * 3 + [
        Placement.REPORT
    ] * 4
    assert placed[0].finding.priority is Priority.P0 and {each.reason for each in placed[5:]} == {
        FULL_REASON
    }


def test_a_line_that_is_taken_is_left_to_the_text() -> None:
    [each] = place_findings(
        [SEEN], AlreadyPosted(overlapping={SEEN.fingerprint}), PlacementLimits()
    )
    assert (
        each == PlacedFinding(SEEN, Placement.BODY, each.reason)
        and "another of our comments" in each.reason
    )


def test_what_the_change_breaks_elsewhere_is_said_at_the_line_that_does() -> None:
    """The user's file is not in the diff, and the comment names it."""
    broken = finding(
        "b/user.py",
        3,
        excerpt=(QuotedLine(3, "old_name()"),),
        compared=True,
        cause=CausingPlace("a.py", 7),
    )
    [placed] = place_findings([broken], AlreadyPosted(), PlacementLimits())
    assert (placed.placement, placed.path, placed.line) == (Placement.INLINE, "a.py", 7)
    text = inline_comment(placed)
    assert "`b/user.py:3`" in text
    assert "old_name()" in text
    gone = replace(broken, cause=CausingPlace("a.py", 0))
    [listed] = place_findings([gone], AlreadyPosted(), PlacementLimits())
    assert listed.placement is Placement.BODY
