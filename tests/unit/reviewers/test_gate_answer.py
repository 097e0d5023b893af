"""A gate's exit code and its words as one answer: every row of the table, both dialects, and
whatever else comes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.reviewers.gates.answer import ReviewIssue, read_gate_answer, stopped_gate_answer

ISSUE = {
    "reviewer": "codex",
    "file": "a.py",
    "line_start": 4,
    "line_end": 5,
    "priority": 1,
    "title": "T",
    "body": "B",
}


def spec(verdict, issues=(), status="resolved", **more) -> dict:
    return {
        "status": status,
        "consensus": {"verdict": verdict, "iteration": 1},
        "issues": list(issues),
        "parse_errors": [],
        **more,
    }


def v1(verdict, issues=(), status="complete", **more) -> dict:
    items = [
        {"file_path" if key == "file" else key: value for key, value in issue.items()}
        for issue in issues
    ]
    return {
        "status": status,
        "consensus_verdict": verdict,
        "aggregated_findings": items,
        "parse_errors": [],
        **more,
    }


def read(code, said, err=""):
    return read_gate_answer(
        code, said if isinstance(said, bytes) else json.dumps(said).encode(), err
    )


@pytest.mark.req(
    "R001-032",
    "R001-033",
    "R001-034",
    "R001-036",
    "R001-037",
    "R001-038",
    "R001-039",
    "R001-070",
    "R001-072",
)
@pytest.mark.parametrize("dialect", [spec, v1])
@pytest.mark.parametrize(
    ("code", "verdict", "issues", "status", "passed", "parse_error", "fatal"),
    [
        (0, "PASS", 0, "", True, None, False),
        (0, "PASS", 1, "", False, None, False),  # a pass that lists a P1 is none
        (0, "FAIL", 1, "", False, None, False),
        (0, "FAIL", 0, "", False, "exit 0 and FAIL contradict each other", False),
        (0, "ERROR", 0, "", False, "exit 0 and ERROR contradict each other", False),
        (0, "no_reviewers", 0, "", False, None, True),
        (
            0,
            None,
            0,
            "",
            False,
            "exit 0, the gate's status is resolved, but it gave no verdict",
            False,
        ),
        (0, None, 0, "timeout", False, "timeout", False),
        (0, None, 0, "error", False, "exit 0 and no verdict contradict each other", False),
        (0, None, 0, "no_reviewers", False, None, True),
        (1, "FAIL", 1, "", False, None, False),
        (1, "NEEDS_WORK", 1, "", False, None, False),
        (1, "FAIL", 0, "", False, "the gate's verdict is FAIL, but it lists no issues", False),
        (1, "PASS", 0, "", False, "exit 1 and PASS contradict each other", False),
        (1, "PASS", 1, "", False, None, False),
        (1, "ERROR", 0, "", False, "exit 1 and ERROR contradict each other", False),
        (2, "ERROR", 0, "", False, "exit 2 without a reason", False),
        (2, "FAIL", 1, "", False, "exit 2 and FAIL contradict each other", False),
        (2, "PASS", 0, "", False, "exit 2 and PASS contradict each other", False),
        (3, None, 0, "timeout", False, "timeout", False),
        (3, "PASS", 0, "", False, "timeout", False),
        (4, None, 0, "no_reviewers", False, None, True),
        (4, "PASS", 0, "", False, None, True),
        (5, None, 0, "error", False, None, True),
        (5, "PASS", 0, "", False, None, True),
        (-9, "PASS", 0, "", False, None, True),
        (127, "PASS", 0, "", False, None, True),
        (0, "APPROVED", 0, "", False, "exit 0, unknown verdict 'APPROVED'", False),
        (0, "PASS", 0, "pending", False, "exit 0, unknown status 'pending'", False),
    ],
)
def test_every_row_of_the_table(dialect, code, verdict, issues, status, passed, parse_error, fatal):
    said = dialect(verdict, [ISSUE] * issues, **({"status": status} if status else {}))
    result = read(code, said).result
    assert (result.passed, result.parse_error, result.fatal_error) == (passed, parse_error, fatal)
    listed = [ReviewIssue("a.py", 4, 5, 1, "T", "B", "codex")] * issues
    assert result.issues == (listed if parse_error is None and not fatal else [])
    assert list(read(code, said).issues) == (listed if "unknown" not in (parse_error or "") else [])


@pytest.mark.req("R001-035", "R001-070")
@pytest.mark.parametrize(
    "out",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"PASS"',
        b"\xff",
        b'{"status": 1}',
        b'{"status": "resolved", "consensus": []}',
        b"1e999",
    ],
)
@pytest.mark.parametrize("code", [0, 1, 2])
def test_words_that_cannot_be_read_are_an_error_with_a_reason(out, code):
    result = read(code, out, "Traceback:\n  frame\nboom").result
    assert not result.passed and result.issues == [] and not result.fatal_error
    assert result.parse_error.startswith(f"exit {code}, ") and result.parse_error.endswith(
        "it said: boom"
    )


@pytest.mark.req("R001-031", "R001-034")
@pytest.mark.parametrize(
    ("out", "told"),
    [
        ('{"parse_errors": ["codex: no JSON"]}', "it said: codex: no JSON; boom"),
        (
            '{"parse_errors": [{"reviewer": "codex", "error": "no JSON"}, 7]}',
            "codex: no JSON; boom",
        ),
        ('{"status": "resolved", "error": "half an answer"}', "it said: half an answer; boom"),
        ('{"parse_errors": ["codex: no', "it said: boom"),
    ],
)
def test_a_partial_answer_keeps_its_messages(out, told):
    assert read(2, out.encode(), "boom").result.parse_error.endswith(told)


def test_an_answer_that_is_cut_off_is_shown_where_nothing_else_is_said():
    cut = b'{"parse_errors": ["codex: no'
    assert "codex: no" in read(2, cut).result.parse_error


@pytest.mark.parametrize(
    ("code", "outcome"), [(3, "timeout"), (4, "no_reviewers"), (5, "internal"), (-15, "internal")]
)
def test_without_words_the_exit_code_alone_tells_what_is_worse(code, outcome):
    assert read(code, b"").outcome == outcome


@pytest.mark.req("R001-034")
def test_parse_errors_of_either_kind_are_told():
    said = spec("ERROR", parse_errors=["gemini: malformed JSON"])
    assert read(2, said).result.parse_error == "gemini: malformed JSON"
    said = v1(
        "ERROR",
        parse_errors=[{"reviewer": "gemini", "error": "invalid_output", "details": "no JSON"}, {}],
    )
    assert (
        read(2, said).result.parse_error
        == "gemini: invalid_output (no JSON); a reviewer: no reason given"
    )


def test_both_vocabularies_at_once_are_read_and_may_not_contradict_each_other():
    both = {
        **spec("FAIL", [ISSUE]),
        **v1("FAIL", [ISSUE, {**ISSUE, "title": "Another"}]),
        "status": "resolved",
    }
    assert [issue.title for issue in read(1, both).issues] == ["T", "Another"]
    assert read(0, {**both, "consensus_verdict": "PASS"}).result.parse_error.startswith(
        "exit 0, consensus.verdict and consensus_verdict"
    )


@pytest.mark.parametrize(
    ("own", "read_as"),
    [
        ({"priority": None}, {"priority": None}),
        ({"priority": 7}, {"priority": 3}),
        ({"priority": -1}, {"priority": 0}),
        (
            {"file": None, "line_start": None, "line_end": None},
            {"file": "", "line_start": 0, "line_end": 0},
        ),
        ({"line_end": 1}, {"line_end": 4}),
        ({"body": None, "reviewer": None}, {"body": "", "reviewer": ""}),
    ],
)
def test_issues_as_gates_really_write_them(own, read_as):
    (issue,) = read(1, spec("FAIL", [{**ISSUE, **own}])).issues
    assert {name: getattr(issue, name) for name in read_as} == read_as


@pytest.mark.parametrize(
    "own",
    [
        {"title": None},
        {"title": 3},
        {"priority": "high"},
        {"priority": True},
        {"line_start": "4"},
        {"file": 1},
        {"file": "a\0b"},
    ],
)
def test_a_damaged_issue_damages_the_answer_and_makes_no_pass(own):
    result = read(1, spec("FAIL", [ISSUE, {**ISSUE, **own}])).result
    assert not result.passed and "issues[1]." in result.parse_error


def test_who_agrees_and_where_the_log_is():
    rows = {
        "a": {"verdict": "FAIL"},
        "b": {"verdict": "NEEDS_WORK"},
        "c": {"verdict": "PASS"},
        "d": {"verdict": "ERROR"},
        "e": 1,
    }
    answer = read(1, spec("FAIL", [ISSUE], reviewers=rows, session_dir="/sessions/x"))
    assert (
        answer.agreement == pytest.approx(2 / 3)
        and str(answer.result.review_log_path) == "/sessions/x"
    )
    assert (
        read(0, spec("PASS")).agreement == 1.0
        and read(0, spec("PASS")).result.review_log_path is None
    )


def test_a_gate_that_was_stopped():
    assert stopped_gate_answer("deadline").result.parse_error == "timeout"
    assert "20 MB" in stopped_gate_answer("more than 20 MB of output").result.parse_error


def test_no_secret_and_no_escape_comes_through():
    secret = "AKIA" + "Z3MSJQ7LX2WPN5TB"
    answer = read(2, b"{", f"\x1b[31mkey {secret}\x1b[0m")
    assert secret not in answer.error and "\x1b" not in answer.error


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=9)
    | st.sampled_from(["PASS", "resolved", "complete"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*spec(""), *v1(""), "verdict", "title", "file"]), inner)
    ),
    max_leaves=12,
)


@given(json_values, st.integers(-15, 130))
def test_whatever_it_says_only_code_0_and_the_word_pass_pass(plain, code):
    answer = read(code, json.dumps(plain).encode())
    if answer.result.passed:
        words = {plain.get("consensus_verdict"), (plain.get("consensus") or {}).get("verdict")}
        assert code == 0 and "PASS" in words and not words - {"PASS", None}
    elif answer.outcome == "fail":
        assert answer.result.issues
    else:
        assert answer.result.parse_error or answer.result.fatal_error


@given(st.binary(max_size=60), st.integers(-15, 6))
def test_no_bytes_are_a_pass(out, code):
    assert not read(code, out).result.passed
