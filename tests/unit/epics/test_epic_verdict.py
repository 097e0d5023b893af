"""Verdicts on epics, from models and from gates."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.epics.verdict import (
    combine_epic_verdicts,
    epic_markdown,
    epic_own_part,
    epic_shared_part,
    epic_verdict_of_gate,
    read_epic_verdict,
)
from reviewgate_gh.epics.verify import criterion_issues
from reviewgate_gh.model.epic_verification import (
    Criterion,
    EpicFailure,
    EpicResult,
    EpicTask,
    EpicVerdict,
    EvidencedVerdict,
    UnmetCriterion,
)
from reviewgate_gh.reviewers.gates.answer import GateAnswer, ReviewIssue, read_gate_answer
from reviewgate_gh.reviewers.gates.client import GateScope, epic_arguments

ROW = {
    "criterion": "It is fast",
    "evidence": [{"file": "a.py", "line": 3}],
    "reason": "It loops once",
    "met": True,
    "priority": 1,
}
GOOD = {"nonce": "n", "criteria": [ROW], "confidence": 0.5, "reasoning": "why"}
UNMET = {**ROW, "met": False, "reason": "It is slow"}


def read(text: str) -> EvidencedVerdict:
    """Read by a project of one file with three lines."""
    return read_epic_verdict(text, "n", lambda path: 3 if path == "a.py" else 0)


ISSUE = {
    "title": "[P1] Slow",
    "body": "See",
    "priority": 1,
    "file_path": "a.py",
    "line_start": 3,
    "line_end": 3,
    "reviewer": "codex",
}


def test_a_models_table_is_read():
    said = read(json.dumps(GOOD))
    assert said.passed and said.unmet_criteria == () and said.reasoning == "why"
    assert said.criteria == (Criterion("It is fast", True, ("a.py:3",), "It loops once"),)
    said = read(f"```json\n{json.dumps({**GOOD, 'criteria': [ROW, UNMET], 'confidence': 1})}\n```")
    assert said.unmet_criteria == (UnmetCriterion("It is fast", 1, "It is slow"),)
    assert not said.passed and [row.met for row in said.criteria] == [True, False]


@pytest.mark.parametrize(
    "evidence", [[], [("a.py", 4)], [("a.py", 0)], [("b.py", 1)], [("a.py:3", 1)]]
)
def test_a_criterion_without_evidence_in_the_code_is_not_met_whatever_a_model_says(evidence):
    places = [{"file": file, "line": line} for file, line in evidence]
    said = read(json.dumps({**GOOD, "criteria": [{**ROW, "evidence": places}]}))
    (unmet,) = said.unmet_criteria
    assert not said.passed and unmet.reason.startswith("It loops once\n\nNo line of the code")


@pytest.mark.parametrize(
    "own",
    [
        {"nonce": "other"}, {"criteria": []}, {"criteria": {}}, {"criteria": ["x"]},
        {"confidence": 2}, {"confidence": "high"}, {"confidence": True}, {"reasoning": None},
        {"more": 1}, {"passed": True},
        *(
            {"criteria": [{**ROW, **wrong}]}
            for wrong in (
                {"met": "yes"}, {"met": None}, {"priority": 4}, {"criterion": " "}, {"more": 1},
                {"evidence": None}, {"evidence": ["a.py:3"]},
                {"evidence": [{"file": "a.py", "line": "3"}]}, {"evidence": [{"file": "a.py"}]},
            )
        ),
        {"criteria": [{"criterion": "x"}]},
    ],
)  # fmt: skip
def test_what_is_no_verdict(own):
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        read(json.dumps({**GOOD, **own}))


@given(
    st.text(max_size=80)
    | st.builds(lambda at: json.dumps(GOOD)[:at], st.integers(0, len(json.dumps(GOOD)) - 1))
)
def test_no_other_text_and_no_cut_answer_is_a_verdict(text):
    with pytest.raises(ValueError):  # noqa: PT011 - as above
        read(text)


def test_of_several_tables_a_criterion_is_met_where_nobody_says_that_it_is_not():
    good = read(json.dumps(GOOD))
    bad = read(json.dumps({**GOOD, "criteria": [UNMET, {**ROW, "criterion": "It is nice"}]}))
    for said in ([good, bad], [bad, good]):
        both = combine_epic_verdicts(said)
        assert isinstance(both, EvidencedVerdict) and not both.passed
        assert {row.criterion: row.met for row in both.criteria} == {
            "It is fast": False,
            "It is nice": True,
        }


def wait(
    code: int, verdict: str | None, status: str = "complete", findings: list | None = None, **more
) -> EpicVerdict | EpicFailure:
    said = {
        "status": status,
        "consensus_verdict": verdict,
        "aggregated_findings": findings or [],
        "parse_errors": [],
        **more,
    }
    return epic_verdict_of_gate(read_gate_answer(code, json.dumps(said).encode(), ""))


@pytest.mark.req("R002-034", "R002-035", "R002-036", "R002-037")
@pytest.mark.parametrize("verdict", ["FAIL", "NEEDS_WORK"])
def test_a_gates_verdict_and_its_findings(verdict):
    assert wait(0, "PASS").passed and wait(0, "PASS").confidence == 1.0
    said = wait(
        1,
        verdict,
        findings=[ISSUE, {**ISSUE, "priority": None, "title": "Other", "file_path": None}],
    )
    assert not said.passed and said.unmet_criteria == (
        UnmetCriterion("[P1] Slow", 1, "See\n\nAt a.py:3"), UnmetCriterion("Other", 1, "See"),
    )  # fmt: skip
    rows = {"a": {"verdict": "FAIL"}, "b": {"verdict": "PASS"}}
    assert wait(1, verdict, findings=[ISSUE], reviewers=rows).confidence == 0.5


@pytest.mark.req("R002-038", "R002-039", "R002-040")
@pytest.mark.parametrize(
    ("code", "verdict", "status", "reason"),
    [
        (3, None, "timeout", "timeout"), (3, "PASS", "complete", "timeout"),
        (0, None, "timeout", "timeout"),
        (2, None, "error", "execution_error"), (4, None, "no_reviewers", "execution_error"),
        (0, None, "no_reviewers", "execution_error"),
        (2, "ERROR", "complete", "execution_error"), (5, None, "error", "execution_error"),
        (-9, "PASS", "complete", "execution_error"),
        (0, "MAYBE", "complete", "parse_error"), (1, "PASS", "complete", "parse_error"),
    ],
)  # fmt: skip
def test_every_way_in_which_a_gate_gives_no_verdict(code, verdict, status, reason):
    failure = wait(code, verdict, status)
    assert isinstance(failure, EpicFailure)
    assert failure.reason == reason and failure.message


def test_a_gate_that_ends_without_a_word_is_said_in_words():
    assert wait(3, None, "timeout").message == "the gate was not ready in time"
    assert wait(4, None, "no_reviewers").message == "the gate has no reviewers"


@pytest.mark.req("R002-040")
@pytest.mark.parametrize("out", [b"", b"{", b"[]"])
def test_a_gate_without_json_is_a_parse_error_with_its_words(out):
    failure = epic_verdict_of_gate(read_gate_answer(0, out, ""))
    assert (
        isinstance(failure, EpicFailure)
        and failure.reason == "parse_error"
        and failure.raw_answer == out.decode()
    )


def test_a_gate_that_looked_at_nothing_passes_nothing():
    assert epic_verdict_of_gate(GateAnswer("no_progress")).reason == "execution_error"


def test_several_models_must_agree_that_all_is_met():
    good, bad = (
        EpicVerdict(True, (), 1, "yes"),
        EpicVerdict(False, (UnmetCriterion("A", 1, "x"),), 1, "no"),
    )
    other, broken = (
        EpicVerdict(
            False, (UnmetCriterion("A", 2, "y"), UnmetCriterion("B", 0, "z")), 1, "no, too"
        ),
        EpicFailure("timeout", "late"),
    )
    assert (
        combine_epic_verdicts([good, good]).passed
        and combine_epic_verdicts([good, good]).confidence == 1
    )
    assert combine_epic_verdicts([good, broken]) is broken
    assert combine_epic_verdicts([EpicVerdict(True, (), 0.4, "mostly")]).confidence == 0.4
    both = combine_epic_verdicts([good, bad, other, broken])
    assert (
        not both.passed
        and [each.criterion for each in both.unmet_criteria] == ["A", "B"]
        and both.confidence == pytest.approx(2 / 3)
    )
    assert both.unmet_criteria[0].priority == 1 and both.reasoning == "no\n\nno, too"


@pytest.mark.parametrize(
    ("first", "second"),
    [((2, "slow here"), (0, "slow there")), ((0, "slow there"), (2, "slow here"))],
)
def test_of_two_who_name_one_criterion_the_more_severe_and_both_reasons_count(first, second):
    said = [
        EpicVerdict(False, (UnmetCriterion("A", *each),), 1, "no")
        for each in (first, second, second)
    ]
    (unmet,) = combine_epic_verdicts(said).unmet_criteria
    assert (unmet.priority, unmet.reason) == (0, f"{first[1]}\n\n{second[1]}")


def test_of_many_criteria_none_is_cut_off():
    rows = [{**UNMET, "criterion": f"Number {number}"} for number in range(1000)]
    verdict = read(json.dumps({**GOOD, "criteria": rows}))
    assert len(verdict.unmet_criteria) == 1000
    issues = criterion_issues(
        EpicResult("bd-2", "ensemble", verdict, EpicFailure("verdict_fail", "")), TASK
    )
    assert len({issue.fingerprint for issue in issues}) == 1000


TASK = EpicTask(
    "bd-2",
    "Speed",
    "Make it fast.\n\n## Acceptance criteria\n\n- fast",
    ("bd-3", "bd-4"),
    ("aa", "bb"),
)


@pytest.mark.req("R002-030", "R002-031", "R002-032")
def test_what_a_gate_is_given():
    text = epic_markdown(TASK)
    assert (
        text.startswith("# Speed\n\nMake it fast.")
        and "- bd-3\n- bd-4" in text
        and "oldest first\n\n- aa\n- bb" in text
    )
    new, old = "usage: --commit SHA...", "Usage: <epic-file>"
    assert epic_arguments("e.md", GateScope(("aa", "bb")), new, ["-x"]) == [
        "spawn-epic-verify",
        "e.md",
        "-x",
        "--commit",
        "aa",
        "bb",
    ]
    assert epic_arguments("e.md", GateScope((), "a", "b"), new, []) == [
        "spawn-epic-verify",
        "e.md",
        "a..b",
    ]
    assert epic_arguments("e.md", GateScope(), new, []) == [
        "spawn-epic-verify",
        "e.md",
        "--uncommitted",
    ]
    assert epic_arguments("e.md", GateScope(("aa",)), old, ["-x"]) == [
        "spawn-epic-verify",
        "-x",
        "e.md",
    ]


def test_what_a_model_is_asked():
    secret = "AKIA" + "Z3MSJQ7LX2WPN5TB"
    asked = epic_shared_part(
        f"# Epic {{change}} {secret}\u202e", ["=== a.py", "+ x {epic}"]
    ) + epic_own_part("n0")
    assert (
        secret not in asked
        and "<U+202E>" in asked
        and asked.count("=== a.py") == 1
        and asked.endswith("nonce: n0\n")
    )
    assert (
        asked.index("# Epic {change}") < asked.index("+ x {epic}") and asked.count("</data-") == 2
    )


def test_issues_of_an_epic_are_found_again_and_tell_remediation_from_advice():
    unmet = (UnmetCriterion("Nice", 3, "r"), UnmetCriterion("Needed", 0, "r"))
    result = EpicResult(
        "bd-2", "ensemble", EpicVerdict(False, unmet, 1, "w"), EpicFailure("verdict_fail", "")
    )
    first, second = criterion_issues(result, TASK)
    assert (first.title, first.priority.value, first.link, "epic-remediation" in first.labels) == (
        "Not met: Needed",
        "P0",
        "bd-2",
        True,
    )
    assert (
        "epic-advisory" in second.labels
        and first.fingerprint != second.fingerprint == criterion_issues(result, TASK)[1].fingerprint
    )
    (failed,) = criterion_issues(
        EpicResult("bd-2", "cerberus", None, EpicFailure("timeout", "late"), 4), TASK
    )
    assert "could not be verified in 4 attempts: timeout" in failed.body


def test_issues_name_no_reviewer_less_field():
    assert (
        epic_verdict_of_gate(GateAnswer("fail", "FAIL", (ReviewIssue("", 0, 0, None, "", "", ""),)))
        .unmet_criteria[0]
        .criterion
        == "unnamed"
    )
