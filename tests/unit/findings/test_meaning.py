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


@pytest.mark.parametrize("part", PARTS)
def test_merging_two_defects_of_one_line_is_rare(
    part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = sum(map(merged, pairs(part, same=False)))
    right = sum(map(merged, pairs(part, same=True)))
    with capsys.disabled():
        print(f"\nmerge of remarks on one line, {part}: {right} of 200 same, {wrong} of 200 not")
    assert wrong <= 6
