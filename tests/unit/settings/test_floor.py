"""The organisation's floor: a repository may ask for more, never for less."""

import pytest
from msgspec.structs import replace

from reviewgate_gh.model.config import (
    Budget,
    Config,
    EnsembleConfig,
    LinterOptions,
    Policy,
    ReverseAudit,
)
from reviewgate_gh.model.coverage import CoveragePolicy
from reviewgate_gh.settings.floor import apply_floor
from reviewgate_gh.text.paths import matching_paths

PATHS = ("vendor/theirs.py", "vendor/ours/a.py", "docs/b.md", "src/c.py")


@pytest.mark.parametrize(
    "mine",
    [
        ("vendor/",),
        ("!vendor/ours/", "vendor/"),
        ("vendor/**", "docs/"),
        ("!src/c.py", "vendor/", "*.py"),
        (),
    ],
)
@pytest.mark.parametrize(
    "floor", [("vendor/", "!vendor/ours/"), ("vendor/**", "!vendor/ours/**"), ("vendor/",), ()]
)
def test_what_a_floor_has_reviewed_no_repository_leaves_out(mine, floor):
    said = {"policy": {"exclude": list(floor)}}
    both, _raised = apply_floor(
        Config(policy=Policy(exclude=mine)), Config(policy=Policy(exclude=floor)), said
    )
    assert matching_paths(PATHS, both.policy.exclude) <= matching_paths(PATHS, floor)


def test_a_repository_may_take_files_back_in():
    mine, floor = (
        Config(policy=Policy(exclude=globs))
        for globs in (("vendor/", "!vendor/ours/"), ("vendor/",))
    )
    both, _raised = apply_floor(mine, floor, {"policy": {"exclude": ["vendor/"]}})
    assert matching_paths(PATHS, both.policy.exclude) == {"vendor/theirs.py"}


@pytest.mark.parametrize(
    ("mine", "floor", "due"),
    [
        (
            LinterOptions(enabled=False),
            LinterOptions(args=("--select=S",)),
            LinterOptions(args=("--select=S",)),
        ),
        (LinterOptions(args=("--exit-zero",)), LinterOptions(timeout=9), LinterOptions(timeout=9)),
        (
            LinterOptions(enabled=True),
            LinterOptions(timeout=9),
            LinterOptions(enabled=True, timeout=9),
        ),
        (LinterOptions(enabled=True), LinterOptions(enabled=False), LinterOptions(enabled=False)),
        (None, LinterOptions(timeout=9), LinterOptions(timeout=9)),
    ],
)
def test_a_linter_that_the_floor_names_runs_as_it_says(mine, floor, due):
    both, _raised = apply_floor(
        Config(linters={"ruff": mine} if mine else {}),
        Config(linters={"ruff": floor}),
        {"linters": {"ruff": {}}},
    )
    assert both.linters == {"ruff": due}


def config(section, key, value):
    return replace(Config(), **{section: replace(getattr(Config(), section), **{key: value})})


@pytest.mark.parametrize(
    ("name", "mine", "floor", "due"),
    [
        ("policy.require_ci", False, True, True),
        ("policy.require_ci", True, False, True),
        ("policy.denied_paths", ("a/",), ("b/",), ("a/", "b/")),
        ("policy.max_file_bytes", 10, 20, 20),
        ("policy.max_file_bytes", 30, 20, 30),
        ("ensemble.lenses", ("tests",), ("security",), ("security", "tests")),
        ("ensemble.verify", False, True, True),
        ("ensemble.incremental", True, False, False),
        ("ensemble.incremental", False, True, False),
        ("ensemble.cache", False, True, False),
        ("ensemble.deadline", 1, 600, 600),
        ("ensemble.context_tokens", 1000, 9000, 9000),
        ("hook.deadline", 1, 30, 30),
        ("hook.reviewers", ("mine",), ("linters", "builtin"), ("linters", "builtin", "mine")),
        ("hook.reviewers", None, ("linters",), ("linters",)),
        ("hook.reviewers", ("mine",), None, ("mine",)),
        ("publish.approve", True, False, False),
        ("publish.approve", False, True, False),
        ("publish.request_changes", False, True, True),
        ("publish.request_changes", True, False, True),
        ("publish.check_run", False, True, True),
        ("publish.check_run", True, False, True),
    ],
)
def test_each_key_may_be_tightened_and_not_loosened(name, mine, floor, due):
    section, _, key = name.partition(".")
    raised, keys = apply_floor(
        config(section, key, mine), config(section, key, floor), {section: {key: floor}}
    )
    assert getattr(getattr(raised, section), key) == due
    assert keys == ((section,) if due != mine else ())


def test_a_budget_and_an_audit_are_held_key_by_key():
    mine = EnsembleConfig(
        budget=Budget(calls=None, input_tokens=None, cost_usd=9),
        reverse_audit=ReverseAudit(max_rounds=0, stop_after_dry=2),
    )
    floor = EnsembleConfig(
        budget=Budget(calls=5, cost_usd=10), reverse_audit=ReverseAudit(max_rounds=1)
    )
    said = {
        "ensemble": {"budget": {"calls": 5, "cost_usd": 10}, "reverse_audit": {"max_rounds": 1}}
    }
    both = apply_floor(Config(ensemble=mine), Config(ensemble=floor), said)[0].ensemble
    assert both.budget == Budget(calls=5, input_tokens=None, cost_usd=9)
    assert both.reverse_audit == ReverseAudit(max_rounds=1, stop_after_dry=2)


@pytest.mark.parametrize(
    ("name", "mine"),
    [
        ("policy.max_file_bytes", 10),
        ("publish.approve", True),
        ("policy.finding_threshold", "none"),
        ("ensemble.lenses", ("tests",)),
        ("ensemble.budget", Budget(calls=99)),
        ("hook.reviewers", ()),
    ],
)
def test_what_a_floor_does_not_say_is_the_repositorys(name, mine):
    section, _, key = name.partition(".")
    assert apply_floor(config(section, key, mine), Config(), {section: {}}) == (
        config(section, key, mine),
        (),
    )


@pytest.mark.parametrize(
    ("mine", "floor", "due"),
    [
        (CoveragePolicy(), CoveragePolicy(unread="require"), CoveragePolicy(unread="require")),
        (CoveragePolicy(unread="require"), CoveragePolicy(), CoveragePolicy(unread="require")),
        (
            CoveragePolicy(allow=("Go", "SQL")),
            CoveragePolicy(allow=("sql", "Lua")),
            CoveragePolicy(allow=("SQL",)),
        ),
        (
            CoveragePolicy(allow=("Go",)),
            CoveragePolicy(unread="require"),
            CoveragePolicy(unread="require"),
        ),
        (CoveragePolicy(), CoveragePolicy(allow=("Go",)), CoveragePolicy()),
    ],
)
def test_a_floor_asks_for_more_coverage_and_never_for_less(mine, floor, due):
    configs = (Config(policy=Policy(coverage=each)) for each in (mine, floor))
    assert apply_floor(*configs, {"policy": {"coverage": {}}})[0].policy.coverage == due
    assert (
        apply_floor(Config(policy=Policy(coverage=mine)), Config(), {"policy": {}})[
            0
        ].policy.coverage
        == mine
    ), "a floor that says nothing of it"
