"""What each comparison notices, and what it keeps quiet about: changes as data, over real git.

`cases/` grew with the comparisons; a file of `holdout/` was written before they were tried on it.
"""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.finding import Finding
from tests.unit.reviewers.comparisons.in_memory import comparison
from tests.unit.reviewers.comparisons.support import (
    Case,
    findings_in,
    findings_of,
    lay_out,
    read_cases,
)

CASES = [*read_cases("cases"), *read_cases("holdout")]
NAMED = {case["name"].replace(" ", "-"): case for case in CASES}
_ONE_OF = 12  # with git it takes ten times as long
WITH_GIT = [name for at, name in enumerate(NAMED) if not at % _ONE_OF or "git" in NAMED[name]]


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


@pytest.mark.contract(plain=WITH_GIT)
@pytest.mark.parametrize("name", NAMED)
def test_the_rule_speaks_once_and_no_other(name: str, found: Found) -> None:
    check(NAMED[name], found[NAMED[name]["name"]])


@pytest.mark.parametrize("name", [name for name, case in NAMED.items() if "git" not in case])
def test_so_it_does_of_texts_without_git(name: str) -> None:
    base, head = ({**NAMED[name]["base"], **more} for more in ({}, NAMED[name]["head"]))
    sides = {path: (base.get(path) or "", head[path] or "") for path in sorted(head)}
    changed = {path: texts for path, texts in sides.items() if texts[0] != texts[1]}
    beside = {path: texts[0] for path, texts in sides.items() if path not in changed}
    check(NAMED[name], findings_in(comparison(changed, beside)))


def check(case: Case, told: list[Finding]) -> None:
    expected = [] if case["rule"] == "none" else [f"change/{case['rule']}"]
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
