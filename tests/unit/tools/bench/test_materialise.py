"""Cases as repositories: pull requests and commits of clones, and what of a case does not
count."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.git.objects import read_files
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.text.config_file import CONFIG_FILE, WAIVER_FILE
from reviewgate_gh.tools.bench.case import Case, CommitSource, Origin, OriginSource, TreeSource
from reviewgate_gh.tools.bench.layouts import folder
from reviewgate_gh.tools.bench.materialise import CaseSetup, open_case, require_sources
from tests.support import Repo

from .cases import write

LENS, THEIRS = ".reviewgate-gh/lenses/mine.yaml", ".reviewgate-gh/lenses/theirs.yaml"
PULL = Case("o/r#7", OriginSource((Origin("fork/r", 1), Origin("o/r", 7))))


def setup(tmp_path: Path, **more) -> CaseSetup:
    return CaseSetup(Environment(dict(os.environ), tmp_path), **more)


def changed(case: Case, given: CaseSetup) -> list[str]:
    """What the case's head has that its base has not, as git tells it."""
    with open_case(case, given) as (git, wanted):
        rows = git.run("diff-tree", "-r", "--name-status", wanted.base, wanted.head)
        assert git.text("rev-list", "--count", wanted.head) == "2"
    return rows.decode().split()


@pytest.fixture
def clone(make_repo) -> Repo:
    """A clone of o/r with a branch that was once a pull request."""
    repo: Repo = make_repo("sources/o+r")
    repo.commit({"a.py": "A = 1\n", CONFIG_FILE: "mode: report\n"}, approve=False)
    repo.branch("topic")
    repo.commit({"b.py": "B = 1\n"})
    repo.git("update-ref", "refs/pull/7/head", "HEAD")
    repo.switch("main")
    return repo


@pytest.mark.parametrize("merged", [False, True])
def test_a_pull_request_is_what_it_adds_also_after_its_merge(
    tmp_path: Path, clone: Repo, merged: bool
) -> None:
    clone.commit({"c.py": "C = 1\n"})
    if merged:
        clone.git("merge", "--quiet", "--no-ff", "--message=merge", "topic")
        clone.commit({"d.py": "D = 1\n"})
    assert changed(PULL, setup(tmp_path, sources=tmp_path / "sources")) == ["A", "b.py"]


def test_a_commit_is_what_it_adds_and_a_patch_needs_no_clone(tmp_path: Path, clone: Repo) -> None:
    commit = clone.commit({"c.py": "C = 1\n"})
    given = setup(tmp_path, sources=tmp_path / "sources")
    case = Case("x", OriginSource((Origin("fork/x", 1), Origin("o/r", commit=commit))))
    assert changed(case, given) == ["A", "c.py"]
    patch = "--- /dev/null\n+++ b/p.py\n@@ -0,0 +1 @@\n+P = 1\n"
    for name in ("r-8.diff", "o+r-8.patch"):
        write(tmp_path / "sources", {name: patch})
        case = Case("x", OriginSource((Origin("o/r", 8),)))
        assert changed(case, given) == ["A", "p.py"]
        (tmp_path / "sources" / name).unlink()


def test_a_pull_request_that_is_not_there_is_said_with_the_command_that_fetches_it(
    tmp_path: Path, clone: Repo
) -> None:
    clone.git("update-ref", "-d", "refs/pull/7/head")
    given = setup(tmp_path, sources=tmp_path / "sources")
    why = "neither a patch of o/r#7 nor a clone with refs/pull/7/head"
    with pytest.raises(GateError, match=why) as caught, open_case(PULL, given):
        pass
    assert caught.value.hint.endswith("git fetch origin refs/pull/7/head:refs/pull/7/head")
    require_sources([PULL], given)
    with pytest.raises(GateError, match="no folder of clones"):
        require_sources([PULL], setup(tmp_path))


@pytest.mark.contract(plain=False)
def test_a_left_out_file_is_as_it_was_and_no_settings_of_the_clone_count(
    tmp_path: Path, clone: Repo
) -> None:
    base = clone.head
    full = clone.commit(
        {"a.py": "A = 2\n", "use.py": "import a\n", WAIVER_FILE: "waivers: []\n", THEIRS: "t: 1\n"}
    )
    for left_out, expected in (
        ("use.py", {"a.py"}),
        ("a.py", {"use.py"}),
        ("", {"a.py", "use.py"}),
    ):
        case = Case("x", CommitSource(base, full, "o/r", left_out))
        ours = {CONFIG_FILE: b"mode: block\n", LENS: b"title: T\n"}
        given = setup(tmp_path, sources=tmp_path / "sources", settings=ours)
        assert {*changed(case, given)} - {"A", "M"} == expected
        with open_case(case, given) as (git, wanted):
            for side in (wanted.base, wanted.head):
                found = read_files(git, side, [CONFIG_FILE, WAIVER_FILE, LENS, THEIRS])
                assert found == ours


def test_commits_of_the_project_around_the_cases(tmp_path: Path, clone: Repo) -> None:
    base, head = clone.head, clone.commit({"a.py": "A = 3\n"})
    said = f"{{expected: [], commits: {base}..{head}}}"
    write(clone.path / "cases/one", {"case.yaml": said})
    [case] = folder.read(clone.path / "cases")
    assert changed(case, setup(tmp_path)) == ["M", "a.py"]


def test_equal_cases_have_equal_commits_and_a_case_without_a_change_is_refused(
    tmp_path: Path,
) -> None:
    case = Case("x", TreeSource({}, {"a": ("100755", b"#!/bin/sh\n")}))
    heads = []
    for _ in range(2):
        with open_case(case, setup(tmp_path)) as (git, wanted):
            heads.append(wanted.head)
            assert git.text("ls-tree", wanted.head).startswith("100755 blob")
            place = git.directory
        assert not place.exists()
    assert heads[0] == heads[1]
    same = Case("x", TreeSource({"a": ("100644", b"")}, {"a": ("100644", b"")}))
    with pytest.raises(GateError, match="changes nothing"), open_case(same, setup(tmp_path)):
        pass
