"""Where findings are said: each in exactly one place, the same in every run, and none where it must not be."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.action import Placed, Sink
from reviewgate_gh.model.finding import Confidence, Finding, Priority, Quoted, State
from reviewgate_gh.steps.merge import merge
from reviewgate_gh.steps.patterns import gather_patterns
from reviewgate_gh.steps.placement import FULL, Before, Room, place
from tests.unit.model.values import values

from .support import finding

SEEN = finding(line=5, placed=True, excerpt=(Quoted(4, "before"), Quoted(5, "x"), Quoted(6, "after")))
WHOLE = replace(SEEN, line_start=5, line_end=7, excerpt=tuple(Quoted(n, str(n)) for n in range(4, 9)))
LISTS = st.lists(values(Finding), max_size=12)
ROOMS = st.builds(Room, st.sampled_from(["P0", "P1", "P2"]), st.integers(0, 6), st.integers(0, 6))


def apart(findings: list[Finding]) -> list[Finding]:
    """As the engine hands them over: equal ones told apart by their ordinal."""
    seen: Counter[str] = Counter()
    for at, each in enumerate(findings):
        bare = replace(each, ordinal=1)
        seen[bare.fingerprint] += 1
        findings[at] = replace(bare, ordinal=seen[bare.fingerprint])
    return findings


@given(LISTS, ROOMS)
def test_every_open_finding_has_exactly_one_place(findings: list[Finding], room: Room) -> None:
    findings = apart(findings)
    placed = place(findings, Before(), room)
    wanted = Counter(f.fingerprint for f in findings if f.state is State.OPEN)
    assert Counter(each.finding.fingerprint for each in placed) == wanted and set(wanted.values()) <= {1}
    counts = Counter(each.sink for each in placed)
    assert counts[Sink.INLINE] <= room.inline and counts[Sink.BODY] <= room.listed
    for each in placed:
        if each.sink in (Sink.INLINE, Sink.BODY):
            assert each.finding.priority is not Priority.P3 and each.finding.confidence is Confidence.HIGH
            assert each.finding.priority.reaches(room.inline_from)
            whose = not each.finding.rule or each.finding.seconded
            assert whose or each.finding.priority.reaches("P1"), "a tool's suggestion is for the terminal"
        assert bool(each.line) == (each.sink is Sink.INLINE) and bool(each.why) == (each.sink is not Sink.INLINE)


@given(LISTS, ROOMS, st.data())
def test_what_was_said_is_not_said_again_and_makes_room_for_nothing(findings: list[Finding], room: Room, data: st.DataObject) -> None:
    findings = apart(findings)
    first = place(findings, Before(), room)
    said = {each.finding.fingerprint: each.sink for each in first if each.sink in (Sink.INLINE, Sink.BODY)}
    again = place(findings, Before(said), room)
    assert {each.sink for each in again} <= {Sink.SAID, Sink.REPORT}
    # Of a review that GitHub took without its lines, all is in the text.
    again = place(findings, Before(dict.fromkeys(said, Sink.BODY)), room)
    assert {each.sink for each in again} <= {Sink.SAID, Sink.REPORT}
    # Of a run that was interrupted, the rest is said in its own places.
    half = {name: sink for name, sink in said.items() if data.draw(st.booleans())}
    rest = {each.finding.fingerprint: each.sink for each in place(findings, Before(half), room) if each.sink in (Sink.INLINE, Sink.BODY)}
    assert half | rest == said


@pytest.mark.parametrize(
    ("change", "sink", "lines"),
    [
        ({}, Sink.INLINE, (0, 5)),
        ({"line_start": 5, "line_end": 6}, Sink.INLINE, (5, 6)),
        ({"line_start": 5, "line_end": 9}, Sink.INLINE, (0, 6)),
        ({"line_start": 1, "line_end": 4}, Sink.INLINE, (0, 4)),
        ({"line_start": 9, "line_end": 9}, Sink.BODY, (0, 0)),
        ({"side": "LEFT"}, Sink.BODY, (0, 0)),
        ({"placed": False}, Sink.BODY, (0, 0)),
        ({"line_start": 0, "line_end": 0, "excerpt": ()}, Sink.BODY, (0, 0)),
        ({"priority": Priority.P2}, Sink.REPORT, (0, 0)),
        ({"priority": Priority.P2, "rule": ""}, Sink.INLINE, (0, 5)),
        ({"priority": Priority.P2, "seconded": True}, Sink.INLINE, (0, 5)),
        ({"priority": Priority.P3, "seconded": True}, Sink.REPORT, (0, 0)),
        ({"priority": Priority.P2, "rule": "", "placed": False}, Sink.REPORT, (0, 0)),
        ({"priority": Priority.P3, "rule": ""}, Sink.REPORT, (0, 0)),
        ({"confidence": Confidence.LOW}, Sink.REPORT, (0, 0)),
    ],
)
@pytest.mark.req("R003-041")
def test_where_one_finding_goes(change, sink, lines) -> None:
    [each] = place([replace(SEEN, **change)], Before(), Room())
    assert (each.sink, (each.start, each.line)) == (sink, lines)


TOOL = replace(SEEN, priority=Priority.P2, title="subprocess call with shell=True", sources=("ruff",), rule="ruff/S602")
MODEL = replace(TOOL, rule="", title="The subprocess call runs with shell=True", sources=("claude/security",))


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
def test_what_a_tool_and_a_model_find_is_posted_where_one_of_them_alone_would_be(tool, model) -> None:
    one, other = replace(TOOL, **tool), replace(MODEL, **model)
    apart = {place([each], Before(), Room())[0].sink for each in (one, other)}
    found = merge([one, other])
    [together] = place(found, Before(), Room())
    assert len(found) == 2 and set(together.finding.sources) == {"ruff", "claude/security"}
    assert (together.sink is Sink.INLINE) == (Sink.INLINE in apart)


def test_one_issue_in_many_files_is_posted_where_a_model_seconds_it_in_one() -> None:
    many = merge([*(replace(TOOL, path=f"{n}.py", origin=f"{n}.py") for n in range(3)), replace(MODEL, path="1.py", origin="1.py")])
    [placed] = place(gather_patterns(many), Before(), Room())
    assert placed.sink is Sink.INLINE and len(placed.finding.places) == 3


def test_several_lines_are_named_only_where_all_are_shown() -> None:
    assert [(p.start, p.line) for p in place([WHOLE], Before(), Room())] == [(5, 7)]
    gap = replace(WHOLE, excerpt=(Quoted(5, "5"), Quoted(7, "7")))
    assert [(p.start, p.line) for p in place([gap], Before(), Room())] == [(0, 7)]


def test_the_most_severe_come_first_and_the_rest_is_listed_or_counted() -> None:
    many = [replace(SEEN, priority=Priority.P1 if n else Priority.P0, path=f"{9 - n}.py", origin=f"{n}") for n in range(9)]
    placed = place(many, Before(), Room(inline=2, listed=3))
    assert [each.sink for each in placed] == [Sink.INLINE] * 2 + [Sink.BODY] * 3 + [Sink.REPORT] * 4
    assert placed[0].finding.priority is Priority.P0 and {each.why for each in placed[5:]} == {FULL}


def test_a_line_that_is_taken_is_left_to_the_text() -> None:
    [each] = place([SEEN], Before(overlapping={SEEN.fingerprint}), Room())
    assert each == Placed(SEEN, Sink.BODY, each.why) and "another comment" in each.why
