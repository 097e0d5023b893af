"""What two reviewers say of one line: 800 pairs of remarks, half of them about the same defect, by
an author who did not know the matcher; one half was never looked at while it was made."""

import json
from pathlib import Path

import pytest

from reviewgate_gh.findings.merge import merge_findings
from reviewgate_gh.findings.similarity import is_same_claim
from reviewgate_gh.model.finding import Finding, FindingState, Priority

PARTS = ("dev", "held_out")


def pairs(part: str, same: bool) -> list[dict[str, dict[str, str]]]:
    text = (Path(__file__).with_name("meaning") / f"{part}.jsonl").read_text("utf-8")
    return [row for row in map(json.loads, text.splitlines()) if row["same"] is same]


def merged(pair: dict[str, dict[str, str]]) -> bool:
    """Both at one line, of two models."""
    both = [
        Finding(
            Priority.P2,
            pair[side]["category"],
            "",
            "a.py",
            3,
            3,
            pair[side]["title"],
            pair[side]["body"],
            anchor=str(pair["code"]),
            placed=True,
            sources=(f"m{side}/lens",),
        )
        for side in "ab"
    ]
    return any(f.state is FindingState.DUPLICATE for f in merge_findings(both))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.req("R007-003")
def test_an_accepted_remark_never_covers_another_defect_of_its_line(part: str) -> None:
    different = pairs(part, same=False)
    assert len(different) == 200
    wrong = [
        (one["title"], other["title"])
        for pair in different
        for one, other in ((pair["a"], pair["b"]), (pair["b"], pair["a"]))
        if is_same_claim(one["title"], other["title"])
    ]
    assert wrong == []


# Nearly the same words, and another claim
OTHER_CLAIMS = (
    ("Lock is released before the write", "Lock is released after the write"),
    ("All users can read the file", "Only users can read the file"),
    ("Data is copied from the cache", "Data is copied into the cache"),
    ("Key is logged, not hashed", "Key is hashed, not logged"),
    ("Returns 1 where it should return 2", "Returns 2 where it should return 1"),
    ("x > 10 should be x >= 10", "x > 10 should be x <= 10"),
    ("Comparison uses == instead of is", "Comparison uses is instead of =="),
    ("The name user_id is trusted", "The name userId is trusted"),
)
# The second one says less, and something else
OTHER_PARTS = (
    ("SQL injection through name", "Injection through name"),
    ("Path traversal in download of report", "Download of report"),
    ("Missing await on save call leads to a lost error", "Missing error on save call"),
    ("Integer overflow when the size is multiplied", "Size is multiplied when integer"),
    ("Division by zero when count is empty", "Count is zero"),
    ("Error is swallowed and user is logged in", "User is logged in"),
)
SAME_CLAIMS = (
    ("Missing null check on user", "Null check missing on user"),
    ("Possible SQL injection in query", "SQL injection in query"),
    ("Unclosed file handle on error", "File handle unclosed on error"),
    ("Race condition when cache is updated", "Race condition when updating the cache"),
    ("Off-by-one error in loop bound", "Off by one in the loop bound"),
)


@pytest.mark.parametrize(("one", "other"), OTHER_CLAIMS)
@pytest.mark.req("R007-003")
def test_a_claim_in_nearly_the_same_words_is_another_one(one: str, other: str) -> None:
    assert not is_same_claim(one, other) and not is_same_claim(other, one)


@pytest.mark.parametrize(("accepted", "title"), OTHER_PARTS)
@pytest.mark.req("R007-003")
def test_what_says_less_is_another_claim(accepted: str, title: str) -> None:
    assert not is_same_claim(accepted, title)


@pytest.mark.parametrize(("accepted", "title"), SAME_CLAIMS)
def test_an_accepted_claim_may_be_worded_in_another_way(accepted: str, title: str) -> None:
    assert is_same_claim(accepted, title)


@pytest.mark.parametrize("part", PARTS)
def test_merging_two_defects_of_one_line_is_rare(
    part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = sum(map(merged, pairs(part, same=False)))
    right = sum(map(merged, pairs(part, same=True)))
    with capsys.disabled():
        print(f"\nmerge of remarks on one line, {part}: {right} of 200 same, {wrong} of 200 not")
    assert wrong <= 6
