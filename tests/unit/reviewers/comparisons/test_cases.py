"""What each comparison notices, and what it keeps quiet about: changes as data, over real git.

`cases/` grew with the comparisons; a file of `holdout/` was written before they were tried on it.
"""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.finding import Finding
from tests.unit.reviewers.comparisons.support import Case, findings_of, lay_out, read_cases

CASES = [*read_cases("cases"), *read_cases("holdout")]


class Found:
    """What the comparisons say of each case, asked when it is looked at; one repository for all."""

    def __init__(self, repo: Path) -> None:
        names = [case["name"] for case in CASES]
        self._ranges = dict(zip(names, lay_out(repo, CASES), strict=True))
        self._git = open_repository(repo, dict(os.environ))

    def __getitem__(self, name: str) -> list[Finding]:
        return findings_of(self._git, *self._ranges[name])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    return Found(tmp_path_factory.mktemp("cases") / "repo")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_the_rule_speaks_once_and_no_other(case: Case, found: Found) -> None:
    expected = [] if case["rule"] == "none" else [f"change/{case['rule']}"]
    told = found[case["name"]]
    assert [finding.rule for finding in told] == expected
    if "priority" in case:
        assert [finding.priority for finding in told] == [case["priority"]]
    sides = {"LEFT": case["base"], "RIGHT": {**case["base"], **case["head"]}}
    for finding in told:
        text = sides[finding.side][finding.path]
        if finding.line_start:
            assert 0 < finding.line_start <= text.count("\n")
        assert finding.title and finding.body.endswith(".")


def test_names_of_cases_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
