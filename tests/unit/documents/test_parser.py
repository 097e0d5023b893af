"""Answers as models really write them, read as results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.documents.parser import parse_review_output
from reviewgate_gh.documents.result import ReviewResult, Severity, Verdict

GOOD = """\
## Summary
[overall assessment: FAIL]

The plan leaves one criterion out.

## Findings

### [PASS] Goals
All met, see docs/arch.md.

### [CONCERN] Names
`Worker` says little.

```
### [FAIL] this is quoted
```

### [FAIL] No task for retries
Criterion 4 in docs/design.md:12-14 has no task.
"""


def read(text: str) -> ReviewResult:
    return parse_review_output(text, "arch", {"input": "plan.md"})


def rows(text: str) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.title) for finding in read(text).findings]


@pytest.mark.req("R004-046", "R004-047")
def test_a_good_answer_is_read_whole():
    result = read(GOOD)
    assert (result.verdict, result.template_name, result.input_files, result.raw_output) == (
        Verdict.FAIL,
        "arch",
        {"input": "plan.md"},
        GOOD,
    )
    assert rows(GOOD) == [("PASS", "Goals"), ("CONCERN", "Names"), ("FAIL", "No task for retries")]
    assert result.findings[0].description == "All met, see docs/arch.md."
    assert "this is quoted" in result.findings[1].description
    assert [finding.file_ref for finding in result.findings] == [None, None, "docs/design.md:12-14"]


STATED = {
    "PASS": "PASS",
    "pass": "PASS",
    "**PASS**": "PASS",
    "[PASS]": "PASS",
    "`PASS`": "PASS",
    "✅ PASS": "PASS",
    "- **CONCERNS** - two": "CONCERNS",
    "[overall assessment: PASS]": "PASS",
    "**Overall assessment: CONCERNS**": "CONCERNS",
    "Overall assessment: **FAIL**": "FAIL",
    "Overall: PASS": "PASS",
    "Verdict: **FAIL**": "FAIL",
    "**Verdict:** `FAIL`": "FAIL",
    "The overall assessment is CONCERNS.": "CONCERNS",
    "Overall assessment: PASS with minor remarks": "PASS",
    "PASS — fine": "PASS",
    "FAIL - bad": "FAIL",
    "Concern": "CONCERNS",
    "Failed.": "FAIL",
    "Overall assessment:\n**PASS**": "PASS",
    "All is well.\n\nOverall assessment: PASS": "PASS",
    "> PASS": "PASS",
    "PASS, with thanks": "PASS",
    "Overall: PASS\nVerdict: FAIL": "FAIL",
}
NOT_STATED = [
    "",
    "Fine.",
    "PASS | CONCERNS | FAIL",
    "[overall assessment: PASS | CONCERNS | FAIL]",
    "PASS/FAIL",
    "PASS or FAIL?",
    "PASS, CONCERNS or FAIL",
    "Not PASS",
    "This cannot PASS",
    "Pass rate is low",
    "Fail-safe behaviour is fine",
    "Overall assessment: not a PASS",
    "PASSPORT",
    "APPROVE",
    "OK",
    "```\nPASS\n```",
    "Overall assessment: [PASS|CONCERNS|FAIL]",
    "BYPASS",
    "PASS [FAIL]",
]


@pytest.mark.req("R004-046")
@pytest.mark.parametrize("text", STATED)
def test_the_verdict_is_what_the_summary_states_however_it_is_dressed(text):
    assert read(f"## Summary\n{text}\n\n## Findings\n").verdict == STATED[text]
    assert read(f"## Summary\r\n{text}\r\n").verdict == STATED[text]


@pytest.mark.req("R004-048")
@pytest.mark.parametrize("text", NOT_STATED)
def test_what_states_nothing_is_unknown_and_kept(text):
    result = read(f"## Summary\n{text}\n\n## Findings\n")
    assert result.verdict is Verdict.UNKNOWN and text in result.raw_output


@pytest.mark.parametrize(
    "head",
    [
        "# Summary",
        "### Summary",
        "## **Summary**",
        "## 1. Summary",
        "## 📋 Summary",
        "## Overall Summary:",
        "**Summary**",
        "Summary:",
        "##Summary",
    ],
)
def test_the_summarys_heading_may_look_different(head):
    assert read(f"Some words first.\n\n{head}\nCONCERNS\n").verdict is Verdict.CONCERNS
    assert read(f"{head.rstrip(':')}: FAIL\n").verdict is Verdict.FAIL


@pytest.mark.req("R004-049", "R004-051")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "PASS",
        "## Verdict\nPASS\n",
        "## Findings\n### [PASS] All good\n",
        "\x00",
        "The summary is PASS",
    ],
)
def test_without_a_summary_nothing_is_known(text):
    assert read(text).verdict is Verdict.UNKNOWN


@pytest.mark.req("R004-051")
def test_nothing_is_no_finding():
    assert read("").findings == ()


def test_findings_that_are_worse_than_the_summary_count():
    assert read("## Summary\nPASS\n## Findings\n### [CONCERN] a\n").verdict is Verdict.CONCERNS
    assert (
        read("## Summary\nPASS\n## Findings\n### [PASS] b\n### [FAIL] a\n").verdict is Verdict.FAIL
    )
    assert read("## Summary\nFAIL\n## Findings\n### [PASS] a\n").verdict is Verdict.FAIL
    assert read("## Findings\n### [FAIL] a\n").verdict is Verdict.UNKNOWN
    assert read("## Summary\nPASS\n\nNow again.\n\n## Summary\nFAIL\n").verdict is Verdict.FAIL


FINDINGS = {
    "### [FAIL] T": ("FAIL", "T"),
    "## [FAIL] T": ("FAIL", "T"),
    "#### [fail] T": ("FAIL", "T"),
    "### PASS T": ("PASS", "T"),
    "### FAIL: T": ("FAIL", "T"),
    "### Fail: T": ("FAIL", "T"),
    "### CONCERN — T": ("CONCERN", "T"),
    "### **[FAIL]** T": ("FAIL", "T"),
    "### **FAIL**: T": ("FAIL", "T"),
    "### **FAIL: T**": ("FAIL", "T"),
    "### 1. [CONCERN] T": ("CONCERN", "T"),
    "### ❌ **[FAIL]** T": ("FAIL", "T"),
    "### [PASS] - T": ("PASS", "T"),
    "### [CONCERNS] T": ("CONCERN", "T"),
    "### [FAIL]: **T**": ("FAIL", "T"),
    "### `[FAIL]` T": ("FAIL", "T"),
    "**[FAIL]** T": ("FAIL", "T"),
    "**[FAIL] T**": ("FAIL", "T"),
    "[FAIL] T": ("FAIL", "T"),
    "- [FAIL] T": ("FAIL", "T"),
    "* **[PASS]** T": ("PASS", "T"),
    "- **FAIL**: T": ("FAIL", "T"),
    "- FAIL: T": ("FAIL", "T"),
    "1. **[CONCERN]** T": ("CONCERN", "T"),
    "**FAIL** — T": ("FAIL", "T"),
    "### [ FAIL ] T ###": ("FAIL", "T"),
    "###[FAIL] T": ("FAIL", "T"),
    "### [FAIL] [P0] T": ("FAIL", "[P0] T"),
    "### FAILURE: T": ("FAIL", "T"),
}


@pytest.mark.req("R004-047")
@pytest.mark.parametrize("line", FINDINGS)
def test_a_finding_may_be_dressed_in_many_ways(line):
    text = f"## Summary\nFAIL\n\n## Findings\n\n{line}\nOne.\n\nTwo.\n\n### [PASS] Next\n"
    assert rows(text) == [FINDINGS[line], ("PASS", "Next")]
    assert read(text).findings[0].description == "One.\n\nTwo."


@pytest.mark.req("R004-050")
@pytest.mark.parametrize(
    "line",
    [
        "### T",
        "### Fail fast",
        "### Failure handling",
        "- Fail fast",
        "FAIL: T",
        "### Passwords",
        "**Failing tests** T",
        "### Concerns",
        "    - [FAIL] T",
    ],
)
def test_what_has_no_severity_is_no_finding(line):
    assert rows(f"## Summary\nCONCERNS\n\n## Findings\n\n{line}\nOne.\n\n### [PASS] Next\n") == [
        ("PASS", "Next")
    ]


def test_a_title_is_always_there():
    assert rows("### [FAIL]\n- **First** line\nsecond") == [("FAIL", "First** line")]
    assert rows("### [FAIL]\n\n### [PASS] b") == [("FAIL", "(no title)"), ("PASS", "b")]


def test_another_heading_ends_a_finding():
    assert read("### [FAIL] a\nbody\n\n## Notes\nnot of it\n").findings[0].description == "body"


def test_an_answer_in_a_fence_is_read_and_a_fence_in_an_answer_is_not():
    assert read(f"```markdown\n{GOOD.replace('```', '~~~')}```\n").verdict is Verdict.FAIL
    assert len(rows(f"````\n{GOOD}````\n")) == 3
    assert read("Quote:\n```\n## Summary\nPASS\n```\n").verdict is Verdict.UNKNOWN
    assert rows("```\n### [FAIL] open\n") == [("FAIL", "open")]


PLACES = {
    "See src/a.py:3.": "src/a.py:3",
    "See `src/a.py:3-7`": "src/a.py:3-7",
    "src/a.py#L10-L20": "src/a.py:10-20",
    "src/a.py:3:14 is": "src/a.py:3",
    "Location: docs/plan.md": "docs/plan.md",
    "**Location:** `docs/plan.md:4`": "docs/plan.md:4",
    "- File: ./a.py": "a.py",
    "-> a/b.ts:9": "a/b.ts:9",
    "→ `Makefile:2`": "Makefile:2",
    "`src/a.py` line 42": "src/a.py:42",
    "src/a.py (lines 3–9)": "src/a.py:3-9",
    "in `docs/plan.md` only": "docs/plan.md",
    "https://a.example/x.py:3 and b.py:4": "b.py:4",
    "a.py:1, then Location: b.py:2": "a.py:1",
    "see a.py:1\nLocation: b.py:2": "b.py:2",
    "nothing here": None,
    "at 10:30": None,
    "e.g. this": None,
    "version 1.2.3": None,
    "`name`": None,
    "**File:** `my plan.md:3`": "my plan.md:3",
    "Location: **`docs/my plan.v2.md` (lines 3-9)**": "docs/my plan.v2.md:3-9",
    "Location: `docs/my plan.md (lines 3-9)`": "docs/my plan.md:3-9",
    "File: `a b/c d.py`": "a b/c d.py",
    "run `git diff src/a.py:3`": "src/a.py:3",
    "": None,
}


@pytest.mark.req("R004-052")
@pytest.mark.parametrize("text", PLACES)
def test_the_place_that_a_finding_names(text):
    assert read(f"### [FAIL] T\n{text}\n").findings[0].file_ref == PLACES[text]


def test_a_place_in_the_title_counts_where_the_text_has_none():
    assert read("- [FAIL] T at src/a.py:3").findings[0].file_ref == "src/a.py:3"


PIECES = [
    "## Summary",
    "## Findings",
    "### ",
    "[FAIL]",
    "[PASS]",
    "PASS",
    "FAIL",
    "CONCERNS",
    "**",
    "```",
    "~~~",
    "- ",
    "\n",
    " ",
    ":",
    "|",
    "x",
    "Overall: ",
    "a.py:3",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=300))
def test_no_text_breaks_the_reader_and_none_passes_with_a_failure(text):
    result = read(text)
    assert result.raw_output == text
    assert not (
        result.verdict is Verdict.PASS
        and any(finding.severity is not Severity.PASS for finding in result.findings)
    )
    assert all(finding.title for finding in result.findings)


@given(st.integers(0, len(GOOD)))
def test_a_cut_answer_never_passes(end):
    assert read(GOOD[:end]).verdict in (Verdict.UNKNOWN, Verdict.FAIL)


@pytest.mark.parametrize(
    "text", ["*" * 100_000, "## Summary\n" + "*" * 100_000, "### [FAIL] x\n" + "a." * 50_000,
        "### [FAIL] x\n" * 5_000, "```\n" * 20_000,
             f"### {'*' * 296}\n" * 2_000]
)  # fmt: skip
def test_long_answers_are_read(text):
    assert read(text).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "### Finding 1: [FAIL] SQL injection\n\n## Summary\nPASS",
        "FAIL: SQL injection in a.py\n\n## Summary\nPASS",
        "> [FAIL] SQL injection\n\n## Summary\nPASS",
        "  - [FAIL] SQL injection\n\n## Summary\nPASS",
        "- Severity: FAIL\n\n## Summary\nPASS",
        "## Findings\nFAIL: none of the criteria is met\n\n## Summary\nPASS",
        "## Findings\nFAIL: no task for retries\n\n## Summary\nPASS",
        "## Summary\nPASS is not possible: FAIL",
        "## Summary\n[overall assesment: FAIL]\n\nPASS",
        "## Summary\n**Conclusion, all things weighed**: FAIL\n\nPASS for the tests",
        "### PASS [FAIL] No task for retries\n\n## Summary\nPASS",
        "## Summary\nPASS with concerns",
    ],
)
def test_a_pass_beside_a_severity_that_could_not_be_read_is_none(text):
    assert parse_review_output(text, "code", {}).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "## Summary\nPASS: no concerns.",
        "## Summary\nPASS\n\nNo FAIL.",
        "Summary: PASS, without concerns",
    ],
)
def test_a_pass_that_says_what_is_not_there_is_one(text):
    assert parse_review_output(text, "code", {}).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "line",
    ["Criteria that FAIL here: none", "Concerns: none", "CONCERNS: none", "Failures: 0", "FAIL: 0"],
)
def test_a_pass_that_only_speaks_of_failures_is_one(line):
    assert (
        read(f"## Summary\nPASS\n\n## Findings\n\n### [PASS] Goals\n{line}").verdict is Verdict.PASS
    )
