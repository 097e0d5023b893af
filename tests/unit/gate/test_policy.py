"""The verdict: nothing passes without evidence, nothing is lost on the way."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.gate.policy import (
    check_conservation,
    decide_verdict,
    find_unread,
    outcome_exit_code,
)
from reviewgate_gh.model.change import EMPTY_BLOBS
from reviewgate_gh.model.coverage import Coverage
from reviewgate_gh.model.errors import Exit, InternalError
from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from reviewgate_gh.model.report import Outcome
from reviewgate_gh.model.review import Review, ReviewStatus
from tests.unit.support import added, change, finding

GOOD = Review("builtin")


def outcome(*findings, threshold="P1", reviews=(GOOD,), not_reviewed=()):
    return decide_verdict(list(findings), reviews, not_reviewed, threshold, Coverage()).outcome


@pytest.mark.parametrize("threshold", ["P0", "P1", "P2", "P3", "none"])
@pytest.mark.parametrize("priority", list(Priority))
@pytest.mark.req("R000-137", "R000-138", "R000-139")
def test_block_at_or_above_the_threshold_and_concerns_below(priority, threshold):
    blocks = threshold != "none" and priority.value <= threshold
    assert outcome(finding(placed=True, priority=priority), threshold=threshold) is (
        Outcome.BLOCK if blocks else Outcome.CONCERNS
    )


@pytest.mark.req("R003-030")
def test_nothing_found_is_a_pass():
    assert outcome() is Outcome.PASS


@pytest.mark.parametrize("status", list(ReviewStatus))
@pytest.mark.parametrize("required", [True, False])
def test_a_reviewer_without_an_answer_is_never_a_pass(status, required):
    review = Review("linters", "ruff", status, error="why", required=required)
    missing = status.broken or (
        status in (ReviewStatus.UNAVAILABLE, ReviewStatus.SKIPPED) and required
    )
    assert outcome(reviews=(GOOD, review)) is (Outcome.INCONCLUSIVE if missing else Outcome.PASS)


def test_a_defect_blocks_even_where_a_reviewer_broke_and_both_are_said():
    verdict = decide_verdict(
        [finding(placed=True)],
        [GOOD, Review("x", status=ReviewStatus.TIMEOUT, error="slow")],
        (),
        "P1",
        Coverage(),
    )
    assert verdict.outcome is Outcome.BLOCK and len(verdict.reasons) == 2


def test_unread_files_and_unplaced_critical_findings_are_inconclusive():
    assert outcome(not_reviewed=("big.py",)) is Outcome.INCONCLUSIVE
    assert outcome(finding(placed=False)) is Outcome.INCONCLUSIVE
    assert outcome(finding(placed=False, priority=Priority.P2)) is Outcome.CONCERNS


def test_many_findings_of_one_rule_elsewhere_are_one_reason():
    elsewhere = [finding(placed=False, line_start=line, line_end=line) for line in (3, 7, 9)]
    [reason] = decide_verdict(elsewhere, (GOOD,), (), "P1", Coverage()).reasons
    assert reason == (
        f"{elsewhere[0].rule} reports P1 at {elsewhere[0].location} and 2 more, which is "
        "not in the diff"
    )


@pytest.mark.req("R003-023")
def test_low_confidence_and_closed_findings_decide_nothing():
    assert outcome(finding(placed=True, confidence=Confidence.LOW)) is Outcome.PASS
    for state in set(FindingState) - {FindingState.OPEN}:
        assert outcome(finding(placed=True, state=state)) is Outcome.PASS


@pytest.mark.parametrize(
    ("word", "mode", "code"),
    [
        ("pass", "block", Exit.OK),
        ("concerns", "block", Exit.OK),
        ("block", "block", Exit.BLOCK),
        ("inconclusive", "block", Exit.INCONCLUSIVE),
        ("pass", "warn", Exit.OK),
        ("block", "warn", Exit.OK),
        ("inconclusive", "warn", Exit.INCONCLUSIVE),
    ],
)
def test_exit_codes(word, mode, code):
    assert outcome_exit_code(Outcome(word), mode) is code


def test_a_lost_finding_is_an_internal_error():
    review = Review("r", findings=(finding(),), found=4, outside=3)
    check_conservation([review], [finding()])
    with pytest.raises(
        InternalError,
        match="4 findings were reported, 0 are in the report and 3 on unchanged lines",
    ):
        check_conservation([review], [])


def test_a_file_that_nobody_read_is_named():
    one = change(added("a.py", "x\n"), added("b.py", "x\n"), added("c.lock", "x\n"))
    reviews = [
        Review("x", covered=("a.py",)),
        Review("y", status=ReviewStatus.FAILED, covered=("b.py",)),
    ]
    assert find_unread(one, reviews, ["c.lock"]) == ("b.py",)


def test_a_file_without_its_lines_was_read_by_nobody():
    files = (
        added("a.py", "x\n"),
        replace(added("huge.txt", "x\n"), hunks=()),
        replace(added("empty", ""), hunks=(), oid=EMPTY_BLOBS[0]),
    )
    review = Review("x", covered=tuple(file.path for file in files))
    assert find_unread(change(*files), [review], ()) == ("huge.txt",)
    assert find_unread(change(*files), [review], ("huge.txt",)) == ()
