"""What the comparisons notice, and how often they speak on ordinary changes: `pytest -m bench -n0
-s tests/bench/test_comparisons.py`.

REVIEWGATE_GH_REPOSITORIES names clones, separated by colons, REVIEWGATE_GH_COMMITS how many commits
of each are looked at (300) and how many of the newest are passed over ("300+100"). Every remark is
printed, to be judged by a person.
"""

import os
from collections import Counter
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.git.client import GitFailed
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.reviewers.change import gather_alike
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment
from tests.support import run
from tests.unit.reviewers.comparisons.support import (
    compare_all,
    findings_of,
    lay_out,
    read_cases,
)

pytestmark = pytest.mark.bench
CLONES = [path for path in os.environ.get("REVIEWGATE_GH_REPOSITORIES", "").split(":") if path]
COMMITS, _plus, SKIPPED = os.environ.get("REVIEWGATE_GH_COMMITS", "300").partition("+")


@pytest.mark.parametrize("folder", ["cases", "holdout"])
def test_what_is_noticed(folder: str, tmp_path: Path) -> None:
    cases = read_cases(folder)
    ranges = lay_out(tmp_path / "repo", cases)
    git = open_repository(tmp_path / "repo", dict(os.environ))
    wanted, noticed, false = Counter[str](), Counter[str](), 0
    for case, sides in zip(cases, ranges, strict=True):
        rules = {each.rule.removeprefix("change/") for each in findings_of(git, *sides)}
        if case["rule"] == "none":
            false += bool(rules)
        else:
            wanted[case["rule"]] += 1
            noticed[case["rule"]] += case["rule"] in rules
    print(f"\n{folder}: noticed {noticed.total()} of {wanted.total()}; {false} false alarms")
    for rule, count in sorted(wanted.items()):
        print(f"  {rule:30} {noticed[rule]} of {count}")


@pytest.mark.skipif(not CLONES, reason="REVIEWGATE_GH_REPOSITORIES names no clone")
def test_how_often_they_speak_on_ordinary_commits() -> None:
    total = remarks = hints = 0
    for clone in map(Path, CLONES):
        environment = Environment(dict(os.environ), clone)
        git = open_repository(clone, environment.variables)
        window = (f"--max-count={COMMITS}", f"--skip={SKIPPED or 0}")
        argv = ["git", "rev-list", "--no-merges", "--min-parents=1", *window, "HEAD"]
        for commit in run(argv, clone).stdout.split():
            try:
                change = load_change(
                    git, Range(git.resolve(f"{commit}^") or "", commit), environment, True
                )
            except GitFailed:  # the clone lacks objects
                continue
            total += 1
            for finding in gather_alike(compare_all(git, change)):
                hints += finding.priority is Priority.P3
                remarks += finding.priority is not Priority.P3
                where = f"{clone.name} {commit[:10]} {finding.location}"
                print(f"{where} {finding.priority} {finding.rule}: {finding.title}")
    rate = 100 / max(1, total)
    print(f"{remarks} remarks on {total} commits: {remarks * rate:.1f} per 100")
    print(f"{hints} hints (P3): {hints * rate:.1f} per 100")
