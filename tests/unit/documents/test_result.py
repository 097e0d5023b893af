"""Results as values and as JSON."""

import json
from datetime import UTC, datetime

import pytest

from reviewgate_gh.documents.result import ReviewFinding, ReviewResult, Severity, Verdict

FAIL = ReviewFinding(Severity.FAIL, "A cycle", "a.py imports b.py.", "src/a.py:3")
CONCERN = ReviewFinding(Severity.CONCERN, "A name", "Says little.")
PASS = ReviewFinding(Severity.PASS, "Goals", "All met.")


def result(*findings, **more) -> ReviewResult:
    return ReviewResult(Verdict.FAIL, findings, "raw", "arch", {"input": "plan.md"}, **more)


@pytest.mark.req("R004-001", "R004-002")
def test_the_words_are_text():
    assert [*Verdict] == ["PASS", "CONCERNS", "FAIL", "UNKNOWN"]
    assert [*Severity] == ["PASS", "CONCERN", "FAIL"]


@pytest.mark.req("R004-003")
def test_a_finding_names_a_place_or_none():
    assert (FAIL.severity, FAIL.title, FAIL.description, FAIL.file_ref) == (
        Severity.FAIL,
        "A cycle",
        "a.py imports b.py.",
        "src/a.py:3",
    )
    assert CONCERN.file_ref is None


@pytest.mark.req("R004-004")
def test_a_result_knows_what_was_asked_and_when():
    before = datetime.now(UTC)
    made = result(FAIL)
    assert (made.raw_output, made.template_name, made.input_files) == (
        "raw",
        "arch",
        {"input": "plan.md"},
    )
    assert before <= made.timestamp <= datetime.now(UTC)


@pytest.mark.req("R004-005")
def test_the_dictionary_is_json_and_has_every_field():
    made = result(
        FAIL, CONCERN, timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), reviewer="claude"
    )
    plain = json.loads(json.dumps(made.to_dict()))
    assert set(plain) == set(ReviewResult.__struct_fields__)
    assert set(plain["findings"][0]) == set(ReviewFinding.__struct_fields__)
    assert (plain["verdict"], plain["timestamp"], plain["reviewer"]) == (
        "FAIL",
        "2026-01-02T03:04:05+00:00",
        "claude",
    )
    assert [row["severity"] for row in plain["findings"]] == ["FAIL", "CONCERN"]
    assert (
        plain["findings"][0]["file_ref"] == "src/a.py:3"
        and plain["findings"][1]["file_ref"] is None
    )


@pytest.mark.req("R004-006", "R004-007")
def test_failures_and_concerns_are_counted():
    assert result(PASS, FAIL).has_failures and not result(PASS, CONCERN).has_failures
    assert result(CONCERN, FAIL, CONCERN).concern_count == 2 and result(FAIL).concern_count == 0
