"""The organisation's floor: a repository may ask for more, never for less."""

import pytest

from reviewgate_gh.model.config import Config, LinterOptions, Policy
from reviewgate_gh.steps.exclude import excluded
from reviewgate_gh.steps.floor import tighten

PATHS = ("vendor/theirs.py", "vendor/ours/a.py", "docs/b.md", "src/c.py")


@pytest.mark.parametrize("mine", [("vendor/",), ("!vendor/ours/", "vendor/"), ("vendor/**", "docs/"), ("!src/c.py", "vendor/", "*.py"), ()])
@pytest.mark.parametrize("floor", [("vendor/", "!vendor/ours/"), ("vendor/**", "!vendor/ours/**"), ("vendor/",), ()])
def test_what_a_floor_has_reviewed_no_repository_leaves_out(mine, floor):
    said = {"policy": {"exclude": list(floor)}}
    both, _raised = tighten(Config(policy=Policy(exclude=mine)), Config(policy=Policy(exclude=floor)), said)
    assert excluded(PATHS, both.policy.exclude) <= excluded(PATHS, floor)


def test_a_repository_may_take_files_back_in():
    mine, floor = (Config(policy=Policy(exclude=globs)) for globs in (("vendor/", "!vendor/ours/"), ("vendor/",)))
    both, _raised = tighten(mine, floor, {"policy": {"exclude": ["vendor/"]}})
    assert excluded(PATHS, both.policy.exclude) == {"vendor/theirs.py"}


@pytest.mark.parametrize(
    ("mine", "floor", "due"),
    [
        (LinterOptions(enabled=False), LinterOptions(args=("--select=S",)), LinterOptions(args=("--select=S",))),
        (LinterOptions(args=("--exit-zero",)), LinterOptions(timeout=9), LinterOptions(timeout=9)),
        (LinterOptions(enabled=True), LinterOptions(timeout=9), LinterOptions(enabled=True, timeout=9)),
        (LinterOptions(enabled=True), LinterOptions(enabled=False), LinterOptions(enabled=False)),
        (None, LinterOptions(timeout=9), LinterOptions(timeout=9)),
    ],
)
def test_a_linter_that_the_floor_names_runs_as_it_says(mine, floor, due):
    both, _raised = tighten(Config(linters={"ruff": mine} if mine else {}), Config(linters={"ruff": floor}), {"linters": {"ruff": {}}})
    assert both.linters == {"ruff": due}
