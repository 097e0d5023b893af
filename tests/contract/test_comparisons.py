"""What every comparison of base and head must keep: names, quiet on whole trees and renames, no
crash and no long wait on hostile text, no secret in what it says."""

import re
from collections.abc import Sequence
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
from tests.unit.reviewers.comparisons.support import Case, read_cases

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


def test_its_patterns_can_be_compiled(module: ModuleType) -> None:
    for value in vars(module).values():
        if type(value).__name__ == "_LazyPattern":
            value.search("")


def everything(cases: Sequence[Case], change: str = "") -> ComparisonInput:
    """All cases as one change; `change` is put at the end of each line of the head."""
    files: dict[str, tuple[str, str]] = {}
    for number, case in enumerate(cases):
        for path in {*case["base"], *case["head"]}:
            base = case["base"].get(path) or ""
            head = case["head"].get(path, base) or ""
            files[f"c{number}/{path}"] = base, head.replace("\n", f"{change}\n")
    return comparison(files)


def seen_by(module: ModuleType, sources: ComparisonInput) -> ComparisonInput:
    """As the reviewer gives it to a comparison of this folder."""
    name = module.__name__.rpartition(".")[2]
    alone = plugins.load_folder("comparisons", name).CODE_ALONE
    return without_comments(sources) if alone else sources


@pytest.mark.parametrize(
    "text", ["", " " * 9000, "(" * 9000, "\0", "\u202e", "'\"`" * 3000, "\\" * 9999, " /*", ' """']
)
def test_hostile_lines_break_nothing(module: ModuleType, text: str) -> None:
    list(module.compare(seen_by(module, everything(CASES[::9], text))))


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
        sources = comparison({path: (base, head)})
        for name in NAMES:
            module = plugins.load("comparisons", name)
            list(module.compare(seen_by(module, sources)))


def test_no_secret_is_repeated(module: ModuleType) -> None:
    found: list[Finding] = [*module.compare(seen_by(module, everything(CASES, f" # {TOKEN}")))]
    assert not any(TOKEN in finding.title + finding.body for finding in found)


def test_a_change_that_adds_a_tree_takes_nothing_away(module: ModuleType) -> None:
    quiet = {
        "tests_removed", "tests_disabled", "assertions", "removed_names", "ci", "weakened_settings",
        "lockfiles", "lockfile_sources", "project_guards", "access_checks", "validation",
        "error_handling", "licences", "versions", "generated",
    }  # fmt: skip
    name = module.__name__.rpartition(".")[2]
    new = {path: ("", text) for case in CASES for path, text in case["base"].items()}
    if name in quiet:
        found = [*module.compare(seen_by(module, comparison(new)))]
        assert [each for each in found if each.rule != "change/test-focused"] == []


def test_the_same_on_both_sides_is_nothing(module: ModuleType) -> None:
    same = {path: (text, text) for case in CASES for path, text in case["base"].items()}
    assert [*module.compare(seen_by(module, comparison(same)))] == []


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
