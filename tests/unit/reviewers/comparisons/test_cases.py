"""What each comparison notices, and what it keeps quiet about: changes as data, over real git.

`cases/` grew with the comparisons; a file of `holdout/` was written before they were tried on it.
"""

from pathlib import Path

import pytest

from reviewgate_gh.model.finding import Finding
from tests.unit.reviewers.comparisons.support import Case, findings_of, lay_out, read_cases

CASES = [*read_cases("cases"), *read_cases("holdout")]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    repo: Path = tmp_path_factory.mktemp("cases") / "repo"
    ranges = lay_out(repo, CASES)
    return {
        case["name"]: findings
        for case, findings in zip(CASES, findings_of(repo, ranges), strict=True)
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_the_rule_speaks_once_and_no_other(case: Case, found: dict[str, list[Finding]]) -> None:
    expected = [] if case["rule"] == "none" else [f"change/{case['rule']}"]
    told = found[case["name"]]
    assert [finding.rule for finding in told] == expected
    if "priority" in case:
        assert [finding.priority for finding in told] == [case["priority"]]


def test_names_of_cases_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)


def test_a_finding_names_a_line_of_its_side(found: dict[str, list[Finding]]) -> None:
    for case in CASES:
        sides = {"LEFT": case["base"], "RIGHT": {**case["base"], **case["head"]}}
        for finding in found[case["name"]]:
            text = sides[finding.side][finding.path]
            if finding.line_start:
                assert 0 < finding.line_start <= text.count("\n")
            assert finding.title and finding.body.endswith(".")
