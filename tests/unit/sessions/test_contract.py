"""The contract's words and numbers: only a report that passes whole becomes PASS, and JSON and exit
code never disagree."""

import json

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.finding import Confidence, FindingState, Priority
from reviewgate_gh.model.report import Outcome, Report, ReviewedChange, ReviewRow, Verdict
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.sessions.contract import answer_exit_code, contract_answer, failed_answer
from tests.unit.support import finding

RUFF, BUILTIN = (
    ReviewRow("linters", "ruff", ReviewStatus.OK),
    ReviewRow("builtin", "", ReviewStatus.OK),
)
WRONG = finding(placed=True, sources=("ruff",))
MILD = replace(WRONG, priority=Priority.P2, sources=("builtin",), title="mild")


def report(outcome=Outcome.PASS, *findings, rows=(RUFF, BUILTIN), **more):
    verdict = Verdict(outcome, more.pop("reasons", ()), not_reviewed=more.pop("not_reviewed", ()))
    return Report(
        "id",
        ReviewedChange("a" * 40, "b" * 40, True, "b" * 40),
        tuple(rows),
        findings,
        verdict,
        **more,
    )


def broken(status=ReviewStatus.TIMEOUT, **more):
    return replace(RUFF, status=status, error="too\nslow", **more)


@pytest.mark.req("R001-025", "R001-013", "R001-014")
def test_a_pass_is_pass_in_both_dialects_and_exit_0():
    said = contract_answer(report())
    assert said["status"] == "resolved" and said["consensus"] == {"verdict": "PASS", "iteration": 1}
    assert (
        said["consensus_verdict"] == "PASS" and said["issues"] == [] and answer_exit_code(said) == 0
    )
    assert {name: entry["verdict"] for name, entry in said["reviewers"].items()} == {
        "linters": "PASS",
        "builtin": "PASS",
    }


@pytest.mark.req("R001-026", "R001-031")
@pytest.mark.parametrize(
    ("outcome", "found", "verdict", "threshold"),
    [
        (Outcome.BLOCK, WRONG, "FAIL", "P1"),
        (Outcome.CONCERNS, MILD, "NEEDS_WORK", "P1"),
        (Outcome.CONCERNS, WRONG, "NEEDS_WORK", "none"),
        (Outcome.INCONCLUSIVE, replace(WRONG, placed=False), "NEEDS_WORK", "P1"),
    ],
)
def test_open_findings_are_exit_1_whatever_the_threshold_and_the_mode(
    outcome, found, verdict, threshold
):
    said = contract_answer(report(outcome, found, threshold=threshold, mode="warn"))
    assert (
        said["consensus"]["verdict"] == said["consensus_verdict"] == verdict
        and answer_exit_code(said) == 1
    )
    assert len(json.loads(json.dumps(said))["issues"]) == 1


@pytest.mark.req(
    "R001-016", "R001-017", "R001-018", "R001-019", "R001-020", "R001-021", "R001-022", "R001-023"
)
def test_an_issue_has_the_keys_of_both_dialects():
    found = replace(
        WRONG,
        path="b/ü.py",
        line_start=4,
        line_end=0,
        body="why",
        suggestion="fix",
        places=("c.py:1", "d.py:2"),
    )
    said = contract_answer(report(Outcome.BLOCK, MILD, found))
    issue = said["issues"][0]
    assert issue == {
        "reviewer": "linters", "file": "b/ü.py", "file_path": "b/ü.py", "line_start": 4,
        "line_end": 4, "priority": 1,
        "title": "Undefined name x", "body": ("why\n\nSuggestion: fix\n\n"
        "Also at: c.py:1, d.py:2\n\nRule: ruff/F821"),
    }  # fmt: skip
    assert (
        said["issues"]
        == said["aggregated_findings"]
        == [*said["reviewers"]["linters"]["issues"], *said["reviewers"]["builtin"]["issues"]]
    )
    priorities = [
        contract_answer(report(Outcome.BLOCK, replace(WRONG, priority=p)))["issues"][0]["priority"]
        for p in Priority
    ]
    assert priorities == [0, 1, 2, 3]


@pytest.mark.req("R001-015")
def test_each_reviewer_has_its_verdict_its_issues_and_its_error():
    said = contract_answer(
        report(
            Outcome.BLOCK,
            WRONG,
            rows=(
                RUFF,
                replace(RUFF, part="oxlint", status=ReviewStatus.FAILED, error="crashed"),
                BUILTIN,
            ),
        )
    )
    linters, builtin = said["reviewers"]["linters"], said["reviewers"]["builtin"]
    assert (
        linters["verdict"] == "FAIL" and linters["issues"] == linters["findings"] == said["issues"]
    )
    assert (
        linters["error"] == "oxlint failed: crashed"
        and linters["summary"] == "1 finding, reviewed by ruff"
    )
    assert builtin == {
        "verdict": "PASS",
        "summary": "no findings, reviewed by builtin",
        "issues": [],
        "findings": [],
        "error": None,
    }


def test_what_two_reviewers_found_is_one_issue_and_counts_against_both():
    both = replace(WRONG, sources=("ruff", "builtin"))
    said = contract_answer(report(Outcome.BLOCK, both))
    assert [issue["reviewer"] for issue in said["issues"]] == ["linters"]
    assert {
        name: [i["reviewer"] for i in e["issues"]] for name, e in said["reviewers"].items()
    } == {"linters": ["linters"], "builtin": ["builtin"]}


def test_findings_that_do_not_decide_are_no_issues():
    closed = [replace(WRONG, state=state) for state in set(FindingState) - {FindingState.OPEN}]
    assert (
        contract_answer(report(Outcome.PASS, *closed, replace(WRONG, confidence=Confidence.LOW)))[
            "issues"
        ]
        == []
    )


@pytest.mark.req("R001-027", "R001-024")
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (ReviewStatus.UNPARSABLE, "invalid_output"), (ReviewStatus.FAILED, "reviewer_failed"),
        (ReviewStatus.TIMEOUT, "reviewer_failed"), (ReviewStatus.UNAVAILABLE, "missing_dependency"),
    ],
)  # fmt: skip
def test_a_reviewer_without_an_answer_is_a_parse_error(status, code):
    rows = (broken(status), BUILTIN)
    said = contract_answer(
        report(
            Outcome.INCONCLUSIVE,
            rows=rows,
            reasons=(f"linters/ruff gave no answer ({status.value}): too slow",),
        )
    )
    assert (
        said["consensus_verdict"] == "ERROR"
        and said["reviewers"]["linters"]["verdict"] == "ERROR"
        and answer_exit_code(said) == 2
    )
    assert said["parse_errors"] == [f"linters: ruff {status.value}: too slow"]
    assert said["parse_error_details"] == [
        {"reviewer": "linters", "error": code, "details": f"ruff {status.value}: too slow"}
    ]


def test_findings_come_before_a_reviewer_that_broke_and_both_are_told():
    said = contract_answer(report(Outcome.INCONCLUSIVE, MILD, rows=(broken(), BUILTIN)))
    assert (
        said["consensus_verdict"] == "NEEDS_WORK"
        and answer_exit_code(said) == 1
        and len(said["parse_errors"]) == 1
    )


def test_files_that_nobody_read_are_an_error_and_told():
    said = contract_answer(
        report(Outcome.INCONCLUSIVE, reasons=("1 file not reviewed",), not_reviewed=("big.py",))
    )
    assert answer_exit_code(said) == 2 and said["parse_errors"] == [
        "review-gate: 1 file not reviewed",
        "review-gate: not reviewed: big.py",
    ]


def test_a_file_called_like_a_reviewer_that_broke_is_told_too():
    mute = ReviewRow("src", "", ReviewStatus.TIMEOUT, error="late")
    reasons = ("src gave no answer (timeout): late", "1 file not reviewed")
    said = contract_answer(
        report(
            Outcome.INCONCLUSIVE,
            rows=(mute, BUILTIN),
            reasons=reasons,
            not_reviewed=("src/big.py",),
        )
    )
    told = [
        "src: timeout: late",
        "review-gate: 1 file not reviewed",
        "review-gate: not reviewed: src/big.py",
    ]
    assert said["parse_errors"] == told


@pytest.mark.req("R001-012", "R001-028")
def test_a_run_that_its_own_deadline_ended_is_a_timeout_unless_it_found_something():
    late = contract_answer(report(Outcome.INCONCLUSIVE, rows=(broken(), BUILTIN), late=True))
    assert (
        late["status"] == "timeout"
        and late["consensus"]["verdict"] is late["consensus_verdict"] is None
        and answer_exit_code(late) == 3
    )
    assert (
        answer_exit_code(
            contract_answer(report(Outcome.BLOCK, WRONG, rows=(broken(), BUILTIN), late=True))
        )
        == 1
    )


@pytest.mark.req("R001-029", "R001-030")
@pytest.mark.parametrize(
    ("status", "verdict", "code"),
    [("timeout", None, 3), ("no_reviewers", "no_reviewers", 4), ("error", None, 5)],
)
def test_without_a_report_there_is_a_status_and_never_a_verdict(status, verdict, code):
    said = failed_answer(status, "why")
    assert (
        said["status"] == status
        and said["consensus"]["verdict"] == said["consensus_verdict"] == verdict
        and answer_exit_code(said) == code
    )
    assert (
        said["parse_errors"] == ["review-gate: why"]
        and said["issues"] == []
        and set(said) == set(contract_answer(report()))
    )


@pytest.mark.parametrize(
    "change",
    [
        {"consensus_verdict": "FAIL"}, {"consensus": {}}, {"consensus": "PASS"},
        {"status": "error"}, {"status": None},
        {"status": "x"}, {"consensus_verdict": "MAYBE", "consensus": {"verdict": "MAYBE"}},
    ],
)  # fmt: skip
def test_an_answer_that_contradicts_itself_is_an_internal_error(change):
    assert answer_exit_code({**contract_answer(report()), **change}) == 5
    assert answer_exit_code({}) == 5


@pytest.mark.req("R001-011")
@pytest.mark.parametrize(
    ("outcome", "findings", "rows", "verdicts"),
    [
        (Outcome.PASS, (), (RUFF, BUILTIN), ("PASS", "PASS", "PASS")),
        (Outcome.BLOCK, (WRONG,), (RUFF, BUILTIN), ("FAIL", "FAIL", "PASS")),
        (
            Outcome.BLOCK,
            (WRONG,),
            (RUFF, BUILTIN, ReviewRow("third", "", ReviewStatus.OK)),
            ("FAIL", "PASS", "PASS"),
        ),
        (Outcome.BLOCK, (WRONG, MILD), (RUFF, BUILTIN), ("FAIL", "FAIL", "FAIL")),
        (Outcome.INCONCLUSIVE, (), (broken(), BUILTIN), ("ERROR", "ERROR", "PASS")),
        (
            Outcome.BLOCK,
            (replace(WRONG, sources=("elsewhere",)),),
            (RUFF, BUILTIN),
            ("FAIL", "FAIL", "FAIL"),
        ),
    ],
)
def test_all_must_pass_and_more_only_where_that_is_asked_for(outcome, findings, rows, verdicts):
    assert (
        tuple(
            contract_answer(report(outcome, *findings, rows=rows), rule)["consensus_verdict"]
            for rule in ("all", "majority", "any")
        )
        == verdicts
    )


@pytest.mark.parametrize("rule", ["all", "majority", "any"])
def test_no_vote_covers_up_what_nobody_read(rule):
    assert (
        contract_answer(report(Outcome.INCONCLUSIVE, not_reviewed=("a.bin",)), rule)[
            "consensus_verdict"
        ]
        == "ERROR"
    )


def test_a_reviewer_that_was_skipped_has_no_vote():
    skipped = ReviewRow("command", "", ReviewStatus.SKIPPED, error="runs only on trusted changes")
    for rule in ("all", "majority", "any"):
        said = contract_answer(report(rows=(BUILTIN, skipped)), rule)
        assert said["consensus_verdict"] == "PASS" and said["parse_errors"] == []
        assert (
            said["reviewers"]["command"]["verdict"] is None
            and "trusted" in said["reviewers"]["command"]["error"]
        )
    assert (
        contract_answer(
            report(Outcome.BLOCK, replace(MILD, priority=Priority.P1), rows=(BUILTIN, skipped)),
            "any",
        )["consensus_verdict"]
        == "FAIL"
    )
