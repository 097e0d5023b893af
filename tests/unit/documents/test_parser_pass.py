"""When a PASS is one: what else the answer says beside it, and the reason that is given where it is
none."""

import pytest

from reviewgate_gh.documents.parser import parse_review_output
from reviewgate_gh.documents.result import ReviewResult, Verdict


def read(summary: str, below: str = "### [PASS] Goals\nAll met.") -> ReviewResult:
    return parse_review_output(f"## Summary\n{summary}\n\n## Findings\n\n{below}\n", "arch", {})


@pytest.mark.parametrize(
    "line",
    [
        "- **Severity:** FAIL — remote code execution",
        "- **Severity**: **FAIL** (critical)",
        "__Severity__: FAIL in a.py",
        "Status: FAIL (critical)",
        "Severity: FAIL/P0",
        "Status is FAIL.",
        "The final result - failed (critical)",
        "Severity: Fail",
        "| b | FAIL |",
        "| b | **FAIL** | a.py |",
        "| b | Fail |",
        "b | CONCERN",
        "FAIL — remote code execution",
        "FAIL (critical)",
        "- FAIL remote code execution",
        "- [x] FAIL: remote code execution",
        "- Remote code execution — **FAIL**",
        "- Remote code execution [FAIL]",
        "### Remote code execution (FAIL)",
        "Finding 1 - FAIL remote code execution",
        "FAIL: no, really",
        "Counts: FAIL: 1, CONCERN: 0",
        "<details><summary>[FAIL] remote code execution</summary>",
        "- <b>FAIL</b> remote code execution",
        "- <FAIL> remote code execution",
        "### [P0] Remote code execution",
        "- **[CRITICAL]** Remote code execution",
        "1. (P1) remote code execution",
    ],
)
def test_a_severity_in_its_place_is_not_overlooked(line):
    result = read("PASS", line)
    assert result.verdict is Verdict.UNKNOWN
    assert (
        result.error
        == f"the summary says PASS, but a severity elsewhere could not be read as a finding: {line}"
    )


@pytest.mark.parametrize(
    "line",
    [
        "CONCERNS: none",
        "FAIL: n/a",
        "FAIL: no",
        "FAIL — none",
        "| FAIL | 0 |",
        "Counts: FAIL: 0, CONCERN: 0, PASS: 5",
        "| Area | Concerns |",
        "Status: no concerns",
        "Result: failed requests are sent again",
        "It returns Status::FAIL there",
        "FAIL_FAST: is on",
        "Severity: fail-safe",
        "Tests that FAIL are listed",
        "[P0]: none",
        "[P2] a name could be shorter",
        "All of [P0] was met",
        "a < b, and `Result<FAIL>` is returned",
    ],
)
def test_what_only_sounds_like_a_severity_leaves_a_pass(line):
    assert read("PASS", f"### [PASS] Goals\n{line}").verdict is Verdict.PASS


@pytest.mark.parametrize(
    "line",
    [
        "PASS - no significant concerns",
        "PASS. No major concerns were found.",
        "PASS: none of the checks failed",
        "PASS, no tests fail",
        "PASS: zero of our integration tests have failed",
        "PASS — tests do not fail",
        "PASS: it doesn\u2019t fail",
        "PASS - no naming concerns",
        "PASS - no **major** concerns",
        "PASS (0 concerns, 0 failures)",
        "PASS: no bugs, issues or concerns",
        "PASS: nothing failed",
        "PASS. I did not find any significant concerns.",
        "PASS, without any major concerns",
        "PASS - no [FAIL] findings",
        "PASS - failures: 0",
        "PASS: separation of concerns is good",
        "PASS\n\n5 PASS, 0 CONCERN, 0 FAIL",
        "PASS. The concerns: none.",
    ],
)
def test_a_pass_that_denies_trouble_is_one(line):
    result = read(line)
    assert (result.verdict, result.error) == (Verdict.PASS, "")


@pytest.mark.parametrize(
    "line",
    [
        "PASS with concerns",
        "PASS, but tests fail",
        "PASS is not possible: FAIL",
        "PASS, no doubt: this is a FAIL",
        "PASS, no doubt this is a FAIL",
        "PASS, not only concerns",
        "PASS, no small concerns",
        "PASS: without retries tests fail",
        "PASS: without tests failures slip in",
        "PASS: none of the failures is mended",
        "PASS: none of the failed tests is mended",
        "PASS: no test found the one failure",
        "PASS: no retries so tests fail",
        "PASS: no wonder tests fail",
        "PASS: no tests yet, failures everywhere",
        "PASS: no issues, concerns remain",
        "PASS, but any failure blocks",
        "PASS. Tests fail. None, really",
        "PASS: 10 concerns",
        "PASS, but separation of concerns is poor",
        "PASS, not that separation of concerns is good",
        "PASS: the separation of concerns is good only on paper",
    ],
)
def test_a_pass_with_a_but_is_none_and_says_so(line):
    result = read(line)
    assert (result.verdict, result.error) == (
        Verdict.UNKNOWN,
        f"the summary says PASS but mentions concerns or failures: {line}",
    )


def test_a_but_may_stand_in_another_line_of_the_summary():
    assert read("PASS\n\nno doubt: this is a FAIL").error.endswith(
        "mentions concerns or failures: no doubt: this is a FAIL"
    )
    assert read("FAIL\n\nThere is one FAIL.").verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "## Findings\n",
        "## Summary\nFine.\n",
        "## Summary\nPASS | CONCERNS | FAIL\n",
        "no doubt: this is a FAIL",
    ],
)
def test_where_no_verdict_is_stated_that_is_the_reason(text):
    result = parse_review_output(text, "arch", {})
    assert (result.verdict, result.error) == (
        Verdict.UNKNOWN,
        "the answer has no summary that states a verdict",
    )


def test_a_reason_shows_a_long_line_in_short():
    assert read("PASS with concerns " + "x" * 500).error.endswith(
        f": PASS with concerns {'x' * 61}..."
    )


def test_signs_that_nobody_sees_part_no_word():
    assert read("PASS", "### [F\u200bAIL] Remote code execution").verdict is Verdict.FAIL
    assert parse_review_output("\ufeff## Summary\nPASS\u2060\n", "arch", {}).verdict is Verdict.PASS
