"""Of very many findings at one place, the most severe are told apart and the rest are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.findings.bounds import MOST_IN_FILE, MOST_ON_LINE, bound_findings
from reviewgate_gh.model.finding import Finding, FindingState, Priority
from reviewgate_gh.model.review import Review
from tests.unit.support import finding


def review(findings: list[Finding], outside: int = 0) -> Review:
    found = len(findings) + outside
    return Review("linters", "ruff", findings=tuple(findings), found=found, outside=outside)


def on_line(line: int, count: int, **fields: object) -> list[Finding]:
    return [
        finding(rule=f"ruff/R{n % 7}", line_start=line, line_end=line, **fields)
        for n in range(count)
    ]


def test_few_findings_stay_as_they_are() -> None:
    some = review(on_line(1, MOST_ON_LINE) + on_line(2, MOST_ON_LINE))
    assert bound_findings(some) == some


@pytest.mark.req("R009-002")
def test_the_rest_of_a_line_is_one_finding_as_severe_as_the_worst() -> None:
    mild = on_line(1, 300, priority=Priority.P3)
    some = review([*mild, *on_line(1, 150, priority=Priority.P1), *on_line(2, 3)], outside=4)
    done = bound_findings(some)
    assert len(done.findings) == MOST_ON_LINE + 3 and done.found == MOST_ON_LINE + 3 + 4
    [last] = [f for f in done.findings if f.rule == "ruff/more-findings"]
    assert (last.priority, last.line_start, last.title) == (
        Priority.P1,
        1,
        "351 more findings on this line",
    )
    assert last.body.startswith("ruff/R1 (51), ") and last.body.endswith("and 2 more rules")
    kept = [f for f in done.findings if f.line_start == 1 and f is not last]
    assert {f.priority for f in kept} == {Priority.P1}


@pytest.mark.req("R009-002")
def test_the_rest_of_a_file_is_one_finding() -> None:
    some = review([f for line in range(1, MOST_IN_FILE + 51) for f in on_line(line, 1)])
    done = bound_findings(some)
    assert len(done.findings) == MOST_IN_FILE
    [last] = [f for f in done.findings if f.rule == "ruff/more-findings"]
    assert last.title == "51 more findings in this file"


def test_states_are_counted_apart() -> None:
    old = [replace(f, state=FindingState.OUTSIDE_DIFF, note="old") for f in on_line(1, 150)]
    done = bound_findings(review(old + on_line(1, 150)))
    more = {f.state: f for f in done.findings if f.rule == "ruff/more-findings"}
    assert set(more) == {FindingState.OPEN, FindingState.OUTSIDE_DIFF}
    assert more[FindingState.OUTSIDE_DIFF].note == "old"


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(list(Priority))), max_size=400))
def test_nothing_is_lost_from_the_count(rows: list[tuple[int, Priority]]) -> None:
    findings = [
        finding(rule="ruff/R", line_start=line, line_end=line, priority=p) for line, p in rows
    ]
    done = bound_findings(review(findings))
    more = [f for f in done.findings if f.rule == "ruff/more-findings"]
    counted = sum(int(f.title.split()[0]) for f in more)
    assert len(done.findings) - len(more) + counted == len(findings)
    assert {f.priority for f in done.findings} >= {
        min((p for _l, p in rows), default=Priority.P3)
    } or not rows
