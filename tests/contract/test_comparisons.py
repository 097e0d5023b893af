"""What every comparison of base and head must keep: names, quiet on whole trees and renames, no
crash and no long wait on hostile text, no secret in what it says."""

import re
from collections.abc import Iterator, Mapping
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewgate_gh.model.change import Change
from reviewgate_gh.model.finding import Finding
from reviewgate_gh.reviewers.change import without_comments
from reviewgate_gh.reviewers.comparisons._sources import ComparedFile, ComparisonInput, Place
from reviewgate_gh.system import plugins
from tests.unit.reviewers.comparisons.in_memory import compared, comparison
from tests.unit.reviewers.comparisons.support import read_cases

NAMES = plugins.names("comparisons")
CASES = [*read_cases("cases"), *read_cases("holdout")]
TOKEN = "gh" + "p_" + "A8dk29Xq0Zm3Lw7Rt5Yb1Ns6Vc4Gf2Hj9KpQ"
FAST = settings(max_examples=15, deadline=None, database=None)


@pytest.fixture(params=NAMES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    loaded: ModuleType = plugins.load("comparisons", request.param)
    return loaded


def test_it_says_what_it_is(module: ModuleType) -> None:
    folder = plugins.load_folder("comparisons", module.__name__.rpartition(".")[2])
    assert module.__doc__ and isinstance(module.EVERY_FILE, bool)
    assert callable(folder.wants) and isinstance(folder.CODE_ALONE, bool)


def test_each_rule_is_named_in_some_case(module: ModuleType) -> None:
    rules = {
        value.name for value in vars(module).values() if type(value).__name__ == "ComparisonRule"
    }
    assert rules and all(re.fullmatch(r"[a-z]+(?:-[a-z]+)+", name) for name in rules)
    assert rules <= {case["rule"] for case in CASES} | {"binary-committed"}


def everything(step: int, change: str) -> Mapping[str, tuple[str, str]]:
    """One case in `step` as one change; `change` is put at the end of each line of the head."""
    files: dict[str, tuple[str, str]] = {}
    for number, case in enumerate(CASES[::step]):
        for path in {*case["base"], *case["head"]}:
            base = case["base"].get(path) or ""
            head = case["head"].get(path, base) or ""
            files[f"c{number}/{path}"] = base, head.replace("\n", f"{change}\n")
    return files


def findings(files: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, list[Finding]]]:
    """What each comparison says of one change, given to all of them as the reviewer does it."""
    sources = comparison(files)
    code = without_comments(sources)
    for name in NAMES:
        alone = plugins.load_folder("comparisons", name).CODE_ALONE
        found = plugins.load("comparisons", name).compare(code if alone else sources)
        yield name, [*found]


@pytest.mark.parametrize(
    "text", ["", " " * 3000, "(" * 3000, "\0", "\u202e", "'\"`" * 1000, "\\" * 3333, " /*", ' """']
)
def test_hostile_lines_break_nothing(text: str) -> None:
    assert [name for name, _found in findings(everything(160, text))] == [*NAMES]


@FAST
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_breaks_nothing(base: str, head: str) -> None:
    paths = (
        "a.py",
        "a_test.go",
        "package.json",
        ".github/workflows/a.yml",
        "Dockerfile",
        "yarn.lock",
    )
    for path in paths:
        assert [name for name, _found in findings({path: (base, head)})] == [*NAMES]


@pytest.mark.contract(plain=False)
def test_no_secret_is_repeated() -> None:
    for name, found in findings(everything(12, f" # {TOKEN}")):
        assert not any(TOKEN in each.title + each.body for each in found), name


def test_a_change_that_adds_a_tree_takes_nothing_away() -> None:
    quiet = {
        "tests_removed", "tests_disabled", "assertions", "removed_names", "changed_calls", "ci",
        "weakened_settings", "lockfiles", "lockfile_sources", "project_guards", "access_checks",
        "validation", "error_handling", "licences", "versions", "generated",
    }  # fmt: skip
    new = {path: ("", text) for case in CASES for path, text in case["base"].items()}
    for name, found in findings(new):
        if name in quiet:
            assert [each for each in found if each.rule != "change/test-focused"] == [], name


def test_the_same_on_both_sides_is_nothing() -> None:
    same = {path: (text, text) for case in CASES for path, text in case["base"].items()}
    assert [found for found in findings(same) if found[1]] == []


def test_what_is_looked_up_is_bounded() -> None:
    many = "".join(f"def name_of_{n}(a):\n    return a\n" for n in range(500))
    asked: list[int] = []

    def find(words: object) -> dict[str, list[Place]]:
        asked.append(len(list(words)))  # type: ignore[call-overload]
        return {word: [] for word in words}  # type: ignore[attr-defined]

    files: tuple[ComparedFile, ...] = (compared("a.py", many, "x = 1\n"),)
    change = Change("", "a" * 40, "b" * 40, True, "b" * 40, files=tuple(f.diff for f in files))
    sources = ComparisonInput(change, files, find, frozenset, lambda paths: {})
    assert [*plugins.load("comparisons", "removed_names").compare(sources)] == []
    assert all(count <= 60 for count in asked)
