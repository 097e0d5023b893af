"""The reviewer `change` over real repositories: options, what it does not compare, comparisons that
break, and that it asks git nothing where it has nothing to say."""

import os
import sys
from types import ModuleType

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.finding import Priority
from reviewgate_gh.model.review import Review, ReviewRequest, ReviewStatus
from reviewgate_gh.reviewers import change as reviewer
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.reviewers._context import ReviewContext
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system import plugins
from reviewgate_gh.system.environment import Environment
from tests.support import Repo
from tests.unit.support import finding

TEST = "def test_a():\n    assert a() == 1\n\n\ndef test_b():\n    assert a() == 2\n"


@pytest.fixture
def less(repo: Repo) -> Repo:
    repo.commit({"tests/test_a.py": TEST, "a.py": "def a():\n    return 1\n"})
    repo.commit({"tests/test_a.py": TEST.partition("\n\n\n")[0] + "\n"})
    return repo


def ask(
    repo: Repo,
    options: reviewer.Options | None = None,
    whole: bool = False,
    timeout: float = 60,
    excluded: frozenset[str] = frozenset(),
) -> Review:
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    change = replace(change, whole_tree=whole)
    with open_checkout(git, change) as files:
        context = ReviewContext(git, files, environment, Config(), timeout, excluded=excluded)
        options = options or reviewer.Options()
        assert reviewer.parts(change, options, context) == ("",)
        return reviewer.review(ReviewRequest(change), options, context)


def test_a_removed_test_is_told_at_its_line_of_the_base(less: Repo) -> None:
    review = ask(less)
    assert (review.status, review.found, review.covered) == (ReviewStatus.OK, 1, ())
    (finding,) = review.findings
    assert finding.rule == "change/test-removed" and finding.title == "a test is removed: test_b"
    assert (finding.path, finding.side, finding.line_start) == ("tests/test_a.py", "LEFT", 5)
    assert "Before: `def test_b():`. Now: nothing in its place." in finding.body


def test_a_removed_test_that_the_subject_announces_is_a_hint(repo: Repo) -> None:
    repo.commit({"tests/test_a.py": TEST, "a.py": "def a():\n    return 1\n"})
    repo.commit({"tests/test_a.py": TEST.partition("\n\n\n")[0] + "\n"}, "Remove a flaky test")
    (finding,) = ask(repo).findings
    assert finding.rule == "change/test-removed" and finding.priority is Priority.P3
    assert finding.body.startswith("A commit says so in its subject. Before: `def test_b():`.")


def test_options_leave_comparisons_out(less: Repo) -> None:
    assert ask(less, reviewer.Options(disable=("tests_removed",))).findings == ()
    with pytest.raises(ConfigError, match="unknown comparison 'test'"):
        ask(less, reviewer.Options(disable=("test",)))


def test_nothing_is_asked_where_all_are_left_out(less: Repo) -> None:
    options = reviewer.Options(disable=tuple(plugins.names("comparisons")))
    environment = Environment(dict(os.environ), less.path)
    git = open_repository(less.path, environment.variables)
    change = load_change(git, Range(less.rev("HEAD~1"), less.head), environment, True)
    with open_checkout(git, change) as files:
        context = ReviewContext(git, files, environment, Config(), 60)
        assert reviewer.parts(change, options, context) == ()


def test_a_whole_tree_takes_nothing_away(less: Repo) -> None:
    assert ask(less, whole=True).findings == ()


def test_a_comparison_that_breaks_is_named_and_the_others_count(
    less: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ModuleType("broken")
    broken.__dict__.update(EVERY_FILE=False, compare=lambda sources: 1 / 0)
    monkeypatch.setitem(sys.modules, "reviewgate_gh.reviewers.comparisons.tests.assertions", broken)
    review = ask(less)
    assert review.status is ReviewStatus.FAILED and review.found == 1
    assert review.error.startswith("the comparison assertions failed (ZeroDivisionError")


def test_without_time_the_rest_is_named(less: Repo) -> None:
    review = ask(less, timeout=-1)
    assert review.status is ReviewStatus.TIMEOUT
    assert review.error.startswith("no time was left for: access_checks, ")


def test_of_a_change_of_too_many_files_those_are_compared_that_lose_something(less: Repo) -> None:
    gone = {"tests/test_a.py": TEST, "big.py": "x = 1\n"}
    less.commit(gone)
    more = {f"n{number}": "x" for number in range(2001)}
    less.commit(more | {"tests/test_a.py": TEST.partition("\n\n\n")[0] + "\n"})
    review = ask(less)
    assert [each.rule for each in review.findings] == ["change/test-removed"]
    assert review.note == "base and head were not compared: more than 2,000 files changed"
    assert review.uncompared == ()
    less.commit(dict.fromkeys(more, "y"))  # all of them lose a line
    assert dict(ask(less).uncompared) == dict.fromkeys(more, "more than 2,000 files changed")


def test_a_file_that_is_too_large_is_said_not_to_be_compared(repo: Repo) -> None:
    guarded = "def test_a():\n    assert a() == 1\n"
    repo.commit({"tests/test_a.py": guarded})
    padded = "def test_a():\n    a()\n" + f"# {'x' * 77}\n" * 26_000
    repo.commit({"tests/test_a.py": padded})
    review = ask(repo)
    assert review.findings == ()
    assert review.uncompared == (("tests/test_a.py", "larger than 2,000,000 bytes"),)
    assert review.note == "base and head were not compared: larger than 2,000,000 bytes"


def test_a_file_of_which_very_many_lines_are_others_is_said_not_to_be_compared(repo: Repo) -> None:
    repo.commit({"data.json": "".join(f"{n}\n" for n in range(12_000))})
    repo.commit({"data.json": "".join(f"a{n}\n" for n in range(12_000)), "b.py": "x = 1\n"})
    review = ask(repo)
    assert review.uncompared == (("data.json", "very many of its lines were replaced by others"),)
    repo.commit({"data.json": ""})
    assert ask(repo).uncompared == ()


def test_a_large_lockfile_is_compared(repo: Repo) -> None:
    def lock(host: str) -> str:
        row = '    "node_modules/p": {{\n      "resolved": "https://{}/p.tgz"\n    }},\n'
        return row.format(host) + row.format("registry.example.org") * 30_000

    repo.commit({"package-lock.json": lock("registry.example.org")})
    repo.commit({"package-lock.json": lock("mirror.example")})
    review = ask(repo)
    assert [each.rule for each in review.findings] == ["change/package-source-changed"]


@pytest.mark.parametrize("place", ["vendor/b.go", "b.go"])
def test_what_the_change_itself_brings_is_no_habit_of_the_project(repo: Repo, place: str) -> None:
    text = "package a\n\nvar c = tls.Config{MinVersion: 2}\n"
    repo.commit({"a.go": text})
    unsafe = text.replace("MinVersion: 2", "InsecureSkipVerify: true")
    repo.commit({"a.go": unsafe, place: unsafe})
    found = ask(repo, excluded=frozenset({"vendor/b.go"})).findings
    assert {each.priority for each in found if each.path == "a.go"} == {Priority.P1}


def test_an_address_that_the_change_puts_into_an_excluded_file_is_new(repo: Repo) -> None:
    address = "evil @ git+https://packages.example/evil.git\n"
    repo.commit({"requirements.txt": "requests\n"})
    repo.commit({"requirements.txt": f"requests\n{address}", "vendor/requirements.txt": address})
    found = ask(repo, excluded=frozenset({"vendor/requirements.txt"})).findings
    assert [each.rule for each in found] == ["change/dependency-from-url"]


@pytest.mark.parametrize("folder", ["examples", "tests", "fixtures"])
def test_what_loses_its_guard_on_its_way_among_tests_was_product(repo: Repo, folder: str) -> None:
    shown = "def show(number):\n    lamp = find(number)\n    return [lamp.name, lamp.colour]\n\n\n"
    guard = "    if not current_user.is_admin:\n        abort(403)\n"
    guarded = f"{shown}def delete(number):\n{guard}    remove(number)\n"
    repo.commit({"api/lamps.py": guarded})
    repo.git("mv", "api", folder)
    repo.commit({f"{folder}/lamps.py": guarded.replace(guard, "")})
    found = ask(repo).findings
    assert [(each.rule, each.priority) for each in found] == [
        ("change/access-check-removed", Priority.P1)
    ]


def test_where_there_is_nothing_to_tell_only_the_marks_of_generators_are_looked_for(
    repo: Repo,
) -> None:
    repo.commit({"a.py": "def a():\n    return 1\n"})
    repo.commit({"a.py": "def a():\n    return 2\n"})
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    sources = reviewer.gather(change, git)
    for process in git.running_processes.values():
        process.leave()
    git.running_processes.clear()
    for name in set(plugins.names("comparisons")) - {"generated"}:
        assert [*plugins.load("comparisons", name).compare(sources)] == []
    assert git.running_processes == {}


def test_a_word_that_is_all_over_a_file_hides_no_other(repo: Repo) -> None:
    repo.commit({"a.py": "noise = 1\n" * 60 + "def rare():\n    return noise\n"})
    repo.commit({"b.py": "x = 1\n"})
    environment = Environment(dict(os.environ), repo.path)
    git = open_repository(repo.path, environment.variables)
    change = load_change(git, Range(repo.rev("HEAD~1"), repo.head), environment, True)
    found = reviewer.gather(change, git).find_words({"noise", "rare"})
    assert [place.number for place in found["rare"]] == [61] and found["noise"]


def test_what_a_change_does_to_many_files_is_told_once() -> None:
    mild = {"priority": Priority.P2}
    alike = [finding(f"{name}.py", 3, "change/a-b", "it is gone", **mild) for name in "abcd"]
    other = finding("e.py", 1, "change/c-d", "that, too", **mild)
    first, second = reviewer.gather_alike([*alike, other])
    assert second == other and first.path == "a.py"
    assert first.title == "it is gone; and 3 more like it"
    assert first.places == ("b.py:3", "c.py:3", "d.py:3")
    assert reviewer.gather_alike(alike[:2]) == alike[:2]
    severe = [replace(each, priority=Priority.P1) for each in alike]
    assert reviewer.gather_alike(severe) == severe


def test_a_name_in_a_file_that_is_too_large_to_be_read_breaks_nothing(repo: Repo) -> None:
    guarded = "from guards import audited\n\n\n@audited\ndef remove(item):\n    item.drop()\n"
    large = "".join(f"row {n} with some text to fill it\n" for n in range(70_000))
    repo.commit(
        {"app.py": guarded, "report.sarif.json": f"{large}def audited(run):\n    check()\n"}
    )
    repo.commit({"app.py": guarded.replace("@audited\n", "")})
    review = ask(repo)
    assert review.status is ReviewStatus.OK, review.error


def test_a_number_in_a_lockfile_that_is_too_large_to_be_read_breaks_nothing(repo: Repo) -> None:
    crate = '[package]\nname = "store"\nversion = "1.2.0"\n'
    locked = "".join(
        f'[[package]]\nname = "crate-{n}"\nversion = "0.0.{n}"\n\n' for n in range(50_000)
    )
    own = '[[package]]\nname = "store"\nversion = "1.2.0"\n'
    repo.commit({"Cargo.toml": crate, "Cargo.lock": f"{locked}{own}"})
    repo.commit({"Cargo.toml": crate.replace("1.2.0", "1.3.0")})
    review = ask(repo)
    assert review.status is ReviewStatus.OK, review.error
