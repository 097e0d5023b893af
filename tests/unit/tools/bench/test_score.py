"""Which finding is which expected one, and what counts for whom."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewgate_gh.model.finding import CausingPlace, Finding, FindingState, Priority
from reviewgate_gh.model.report import ReviewRow
from reviewgate_gh.model.review import ModelCall, ReviewStatus, Usage
from reviewgate_gh.tools.bench.case import ExpectedFinding, ExpectedPlace
from reviewgate_gh.tools.bench.dataset import read_dataset
from reviewgate_gh.tools.bench.results import CaseResult, CaseStatus
from reviewgate_gh.tools.bench.score import common_results, match_findings, summarise
from tests.unit.ensemble import golden
from tests.unit.findings.test_merge_set import remarks

DIVISION = "Division by zero when the list is empty"
LEAK = "The file handle is never closed"


def expected(text: str = DIVISION, line: int = 3, **more) -> ExpectedFinding:
    return ExpectedFinding(text, (ExpectedPlace("a.py", line, line),), **more)


def found(title: str = DIVISION, line: int = 3, source: str = "one/correctness", **more) -> Finding:
    said = Finding(Priority.P1, "correctness", "", "a.py", line, line, title, placed=True)
    return replace(said, **{"sources": (source,), **more})


def row(reviewer: str = "one", part: str = "correctness", **more) -> ReviewRow:
    usage = Usage(1, 1000, output=10, cost=more.pop("cost", 0.5))
    return ReviewRow(reviewer, part, ReviewStatus.OK, asked=ModelCall(usage=usage), **more)


def case(
    *findings: Finding, wanted=(), rows=None, status=CaseStatus.REVIEWED, name="c"
) -> CaseResult:
    return CaseResult(name, name, status, "", tuple(wanted), findings, tuple(rows or [row()]))


def test_place_and_meaning_both_count() -> None:
    wanted = [expected()]
    assert match_findings(wanted, [found(line=5)]) == {0: 0}
    assert match_findings(wanted, [found(line=30)]) == {}
    assert match_findings(wanted, [found(LEAK)]) == {}
    assert match_findings(wanted, [found(path="b.py")]) == {}
    said = "An empty list is divided by its length of zero"
    assert match_findings(wanted, [found(LEAK), found(said)]) == {1: 0}


def test_what_a_change_breaks_elsewhere_counts_there_and_at_its_cause() -> None:
    there = found(path="use.py", line=40, cause=CausingPlace("a.py", 3), placed=False)
    for place in (ExpectedPlace("a.py", 3, 3), ExpectedPlace("use.py", 40, 40)):
        for text in (DIVISION, ""):
            assert match_findings([ExpectedFinding(text, (place,))], [there]) == {0: 0}
    assert match_findings([expected(line=40)], [there]) == {}


def test_a_linter_s_long_explanation_hides_no_match() -> None:
    body = "A name that is not defined raises NameError as soon as the line is executed. " * 3
    undefined = found("Undefined name `tarket`", rule="ruff/F821", body=body, sources=("linters",))
    assert match_findings([expected("tarket is undefined")], [undefined]) == {0: 0}


def test_without_text_the_place_decides_and_without_place_the_text() -> None:
    anywhere = ExpectedFinding(DIVISION)
    assert match_findings([anywhere], [found(LEAK), found(line=99, path="z.py")]) == {1: 0}
    stale = ExpectedFinding("", (ExpectedPlace("a.py", 3, 3), ExpectedPlace("a.py", 9, 12)))
    assert match_findings([stale], [found(LEAK, 8), found(LEAK, 10)]) == {1: 0}
    assert match_findings([ExpectedFinding("", (ExpectedPlace("a.py"),))], [found(LEAK, 8)]) == {
        0: 0
    }


def test_by_words_alone_a_doubtful_one_counts_if_no_other_comes_close() -> None:
    anywhere, doubtful = ExpectedFinding(DIVISION), found("Empty averages crash")
    assert match_findings([anywhere], [found(LEAK), doubtful]) == {1: 0}
    assert match_findings([anywhere], [found("Zero retries block"), doubtful]) == {}
    other = ExpectedFinding("Empty names pass")
    assert match_findings([anywhere, other], [doubtful]) == {}


def test_one_to_one_and_as_many_as_possible() -> None:
    twice = [found(), found(source="two/correctness")]
    assert len(match_findings([expected()], twice)) == 1
    # The only finding that fits the second one is the best one for the first
    broad, narrow = (
        ExpectedFinding("", (ExpectedPlace("a.py", 1, 9),)),
        ExpectedFinding("", (ExpectedPlace("a.py", 3, 3),)),
    )
    assert match_findings([broad, narrow], [found(LEAK, 3), found(LEAK, 8)]) == {0: 1, 1: 0}


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), max_size=7),
    st.lists(st.integers(1, 9), max_size=7),
)
def test_no_other_pairing_has_more_pairs(spans, lines) -> None:
    wanted = [ExpectedFinding("", (ExpectedPlace("a.py", at, at + more),)) for at, more in spans]
    matched = match_findings(wanted, [found(LEAK, line) for line in lines])
    assert len({*matched.values()}) == len(matched)
    fits = [[at <= line <= at + more for line in lines] for at, more in spans]
    assert all(fits[one][other] for other, one in matched.items())

    def most(at: int, free: frozenset[int]) -> int:
        if at == len(spans):
            return 0
        taking = [1 + most(at + 1, free - {f}) for f in free if fits[at][f]]
        return max([most(at + 1, free), *taking])

    assert len(matched) == most(0, frozenset(range(len(lines))))


def test_each_reviewer_is_scored_for_what_it_said_and_the_gate_for_what_stands() -> None:
    rows = [row(), row("two", cost=1.0), ReviewRow("builtin", "", ReviewStatus.OK)]
    both = found(sources=("one/correctness", "two/correctness"))
    wrong = found(LEAK, 8, "two/correctness", state=FindingState.REFUTED)
    again = found(source="two/correctness", state=FindingState.DUPLICATE)
    summary = summarise([case(both, wrong, again, wanted=[expected()], rows=rows)])
    one, two = summary.reviewers["one"], summary.reviewers["two"]
    assert (one.precision, one.recall, one.f1, one.cost) == (1.0, 1.0, 1.0, 0.5)
    assert (two.precision, two.recall, two.found) == (0.5, 1.0, 2)
    assert {*summary.parts} == {"one/correctness", "two/correctness"}
    assert summary.parts["two/correctness"].precision == 0.5
    assert summary.reviewers["builtin"].recall == 0 and summary.reviewers["builtin"].cost is None
    assert summary.models is not None and summary.models.cost == 1.5
    assert summary.gate.precision == summary.models.precision == 1.0


@pytest.mark.parametrize(
    "status",
    [status for status in ReviewStatus if status is not ReviewStatus.OK],
)
def test_who_was_not_heard_has_not_found_nothing(status: ReviewStatus) -> None:
    silent = replace(row("two"), status=status)
    results = [
        case(rows=[row(), silent], status=CaseStatus.INCONCLUSIVE),
        case(rows=[row(), row("two", "security"), silent], status=CaseStatus.INCONCLUSIVE),
        case(rows=[row()]),
        case(rows=[row(), row("two")], status=CaseStatus.BROKEN),
    ]
    summary = summarise(results)
    two, one, gate = summary.reviewers["two"], summary.reviewers["one"], summary.gate
    assert (two.cases, two.unanswered, two.clean, two.silent) == (0, 4, 0, 0)
    assert (one.cases, one.silent) == (3, 3)
    assert (gate.cases, gate.unanswered, gate.clean) == (1, 3, 1)
    assert two.cost == 0.5 * 4  # which was paid all the same


def test_priorities_below_the_least_are_neither_missed_nor_wrong() -> None:
    wanted = [expected(priority=Priority.P1), expected(LEAK, 20, priority=Priority.P3)]
    findings = [found(), found(LEAK, 20), found("Unused name", 40, priority=Priority.P3)]
    results = [case(*findings, wanted=wanted)]
    whole, least = summarise(results).gate, summarise(results, Priority.P1).gate
    assert (whole.expected, whole.found, whole.right) == (2, 3, 2)
    assert (least.expected, least.found, least.right, least.critical) == (1, 1, 1, 1)
    [told] = summarise(results).cases
    assert told.missed == () and told.extra == ("a.py:40 P3 Unused name",)


def test_one_finding_with_several_places_is_one_at_each() -> None:
    many = found(places=("a.py:3", "b.py:7"))
    wanted = [expected(), ExpectedFinding(DIVISION, (ExpectedPlace("b.py", 7, 7),))]
    gate = summarise([case(many, wanted=wanted)]).gate
    assert (gate.right, gate.found) == (2, 2)


def test_more_findings_at_the_places_of_one_expected_are_neither_right_nor_wrong() -> None:
    stale = ExpectedFinding("", (ExpectedPlace("a.py", 3, 3), ExpectedPlace("a.py", 9, 9)))
    results = [case(found(line=3), found(LEAK, 9), found(line=20), wanted=[stale])]
    gate = summarise(results).gate
    assert (gate.right, gate.found, gate.expected) == (1, 2, 1)


def test_time_is_the_slowest_first_question_and_all_later_ones() -> None:
    rows = [
        row(seconds=2.0),
        row(part="security", seconds=3.0),
        row(part="verify", seconds=1.0),
        row("two", "audit-1", seconds=0.5),
    ]
    summary = summarise([case(rows=rows)])
    assert summary.gate.seconds == 4.5 and summary.reviewers["one"].seconds == 4.0


def test_cost_is_unknown_where_that_of_a_question_is() -> None:
    assert summarise([case(rows=[row(), row("two", cost=None)])]).gate.cost is None


def test_only_cases_of_both_runs_are_compared() -> None:
    left = [case(name="a"), case(name="b"), case(name="c", status=CaseStatus.INCONCLUSIVE)]
    right = [case(name="c"), replace(case(name="b"), digest="other"), case(name="a")]
    one, other = common_results(left, right)
    assert [each.case for each in one] == [each.case for each in other] == ["a"]


@pytest.mark.peer
@pytest.mark.parametrize(("placed", "least"), [(True, (0.98, 0.95)), (False, (0.95, 0.85))])
def test_other_words_for_an_expert_s_remark_are_found_and_other_remarks_are_not(
    data, capsys: pytest.CaptureFixture[str], placed: bool, least: tuple[float, float]
) -> None:
    """The frozen set of remarks of the merge: two other voices for each remark, and other problems
    close by."""
    cases = read_dataset(data / "bcbench-dev.jsonl").cases
    numbers = defaultdict(list)
    for index, (number, _comment) in enumerate(golden.comments(data)):
        numbers[number].append(index)
    right = wrong = missed = 0
    for number, rows in remarks(data).items():
        wanted = [e if placed else replace(e, places=()) for e in cases[number].expected]
        for voice in ("m1/", "m2/"):
            said = [pair for pair in rows if pair[1].sources[0].startswith((voice, "other"))]
            matched = match_findings(wanted, [finding for _, finding in said])
            pairs = [(said[at][0], numbers[number][which]) for at, which in matched.items()]
            hits = {about for about, which in pairs if about == which}
            right, wrong = right + len(hits), wrong + len(pairs) - len(hits)
            missed += len({about for about, _ in said if isinstance(about, int)} - hits)
    precision, recall = right / (right + wrong), right / (right + missed)
    with capsys.disabled():
        kind = "with places" if placed else "by text alone"
        f1 = 2 * precision * recall / (precision + recall)
        told = f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}"
        print(f"\nbench matching {kind}: {told}")
    assert precision >= least[0] and recall >= least[1]
