"""What each comparison notices, and what it keeps quiet about: changes as data, over real git.

`cases/` grew with the comparisons; a file of `holdout/` was written before they were tried on it.
"""

import os
from collections import defaultdict
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
PARTS = 12  # with git it takes ten times as long
ANY_GIT = [case for case in CASES if "git" not in case]
BY_RULE = defaultdict[str, list[Case]](list)
for _case in ANY_GIT:
    quiet = f"nothing in {_case['file']}"
    BY_RULE[quiet if _case["rule"] == "none" else _case["rule"]].append(_case)


@pytest.mark.contract(plain=["0"])
@pytest.mark.parametrize("part", range(PARTS))
def test_the_rule_speaks_once_and_no_other(part: int, tmp_path: Path) -> None:
    """The first part has all those that are about git."""
    cases = ANY_GIT[part::PARTS] + ([case for case in CASES if "git" in case] if not part else [])
    ranges = lay_out(tmp_path / "repo", cases)
    git = open_repository(tmp_path / "repo", dict(os.environ))
    for case, (base, head) in zip(cases, ranges, strict=True):
        check(case, findings_of(git, base, head))


@pytest.mark.parametrize("rule", BY_RULE)
def test_so_it_does_of_texts_without_git(rule: str) -> None:
    for case in BY_RULE[rule]:
        base, head = ({**case["base"], **more} for more in ({}, case["head"]))
        sides = {path: (base.get(path) or "", head[path] or "") for path in sorted(head)}
        changed = {path: texts for path, texts in sides.items() if texts[0] != texts[1]}
        beside = {path: texts[0] for path, texts in sides.items() if path not in changed}
        check(case, findings_in(comparison(changed, beside)))


def check(case: Case, told: list[Finding]) -> None:
    name, expected = case["name"], [] if case["rule"] == "none" else [f"change/{case['rule']}"]
    assert [finding.rule for finding in told] == expected, name
    if "priority" in case:
        assert [finding.priority for finding in told] == [case["priority"]], name
    if "title" in case:
        assert [finding.title for finding in told] == [case["title"]], name
    # It counts where the lines that it names are as they were, as below a mark that is gone
    assert all(finding.compared or not finding.line_start for finding in told), name
    sides = {"LEFT": case["base"], "RIGHT": {**case["base"], **case["head"]}}
    for finding in told:
        side = sides[finding.side]
        # git finds a renamed file by its content: its lines of the base stand at another path
        texts = [side[finding.path]] if finding.path in side else [*case["base"].values()]
        if finding.line_start:
            assert 0 < finding.line_start <= max(text.count("\n") for text in texts if text), name
        assert finding.title and finding.body.endswith("."), name


def test_names_of_cases_are_unique() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
