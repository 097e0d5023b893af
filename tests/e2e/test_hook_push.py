"""What the installed hook says to real pushes."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..support import Repo, run
from .pushing import BAD, ENV, GOOD, Pushing

Ranges = set[tuple[str, str]]


@dataclass(frozen=True)
class Case:
    """A push: its arguments, whether it must be refused, and the ranges that must be reviewed."""

    args: tuple[str, ...]
    refused: bool
    ranges: Ranges


def new_branch(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    return Case(("origin", "x"), True, {(base, it.repo.commit({"a.txt": BAD}))})


def clean_branch(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    return Case(("origin", "x"), False, {(base, it.repo.commit({"a.txt": GOOD}))})


def second_push(it: Pushing) -> Case:
    it.repo.branch("x")
    base = it.repo.commit({"a.txt": BAD})
    it.push("-q", "--no-verify", "origin", "x")
    return Case(("origin", "x"), False, {(base, it.repo.commit({"b.txt": GOOD}))})


def amended(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    it.repo.commit({"a.txt": GOOD})
    it.push("-q", "--no-verify", "origin", "x")
    it.repo.write({"a.txt": BAD})
    it.repo.git("commit", "-q", "-a", "--amend", "-m", "again")
    return Case(("--force", "origin", "x"), True, {(base, it.repo.head)})


def old_tip_unknown(it: Pushing) -> Case:
    other = it.bare.clone(it.repo.path.parent / "other")
    other.commit({"theirs.txt": GOOD})
    other.push("-q", "origin", "HEAD:x")
    base = it.repo.head
    it.repo.branch("x")
    return Case(("--force", "origin", "x"), True, {(base, it.repo.commit({"a.txt": BAD}))})


def light_tag(it: Pushing) -> Case:
    base, tip = it.repo.head, it.repo.commit({"a.txt": BAD})
    it.repo.git("tag", "v1")
    return Case(("origin", "v1"), True, {(base, tip)})


def annotated_tag(it: Pushing) -> Case:
    base, tip = it.repo.head, it.repo.commit({"a.txt": BAD})
    it.repo.git("tag", "-a", "-m", "release", "v1")
    return Case(("origin", "v1"), True, {(base, tip)})


def defect_in_the_second_ref(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("one")
    good = it.repo.commit({"a.txt": GOOD})
    it.repo.branch("two", base)
    bad = it.repo.commit({"a.txt": BAD})
    return Case(("origin", "one", "two"), True, {(base, good), (base, bad)})


def one_commit_under_two_names(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    tip = it.repo.commit({"a.txt": GOOD})
    it.repo.git("tag", "v1")
    return Case(("origin", "x", "v1", "x:y"), False, {(base, tip)})


def fix_in_the_work_tree_only(it: Pushing) -> Case:
    base = it.repo.head
    tip = it.repo.commit({"a.txt": BAD})
    it.repo.write({"a.txt": GOOD})
    return Case(("origin", "main"), True, {(base, tip)})


def defect_in_the_work_tree_only(it: Pushing) -> Case:
    base = it.repo.head
    tip = it.repo.commit({"a.txt": GOOD})
    it.repo.write({"a.txt": BAD})
    it.repo.git("add", "a.txt")
    return Case(("origin", "main"), False, {(base, tip)})


def commit_that_is_not_checked_out(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    tip = it.repo.commit({"a.txt": BAD})
    it.repo.switch("main")
    return Case(("origin", "x"), True, {(base, tip)})


def by_url(it: Pushing) -> Case:
    base = it.repo.head
    it.repo.branch("x")
    return Case((str(it.bare.path), "x"), True, {(base, it.repo.commit({"a.txt": BAD}))})


def others_work_merged(it: Pushing) -> Case:
    it.repo.branch("x")
    for number in range(3):
        it.repo.commit({f"{number}.txt": GOOD})
    it.push("-q", "--no-verify", "origin", "x")
    other = it.bare.clone(it.repo.path.parent / "other")
    theirs = other.commit({"theirs.txt": BAD})
    other.push("-q", "origin", "main")
    it.repo.git("fetch", "-q")
    it.repo.git("merge", "-q", "--no-edit", "origin/main")
    return Case(("origin", "x"), False, {(theirs, it.repo.head)})


def orphan(it: Pushing) -> Case:
    it.repo.git("switch", "-q", "--orphan", "x")
    return Case(("origin", "x"), True, {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), it.repo.commit({"a.txt": BAD}))})


def deletion(it: Pushing) -> Case:
    it.push("-q", "--no-verify", "origin", "main:x")
    return Case(("origin", "--delete", "x"), False, set())


def deletion_beside_a_defect(it: Pushing) -> Case:
    it.push("-q", "--no-verify", "origin", "main:x")
    base = it.repo.head
    return Case(("origin", ":x", "main"), True, {(base, it.repo.commit({"a.txt": BAD}))})


def known_under_another_name(it: Pushing) -> Case:
    it.repo.commit({"a.txt": BAD})
    it.push("-q", "--no-verify", "origin", "main")
    return Case(("origin", "main:x"), False, set())


def tag_of_a_pushed_commit(it: Pushing) -> Case:
    it.repo.git("tag", "-a", "-m", "release", "v1")
    return Case(("origin", "v1"), False, set())


def tag_of_a_tree(it: Pushing) -> Case:
    it.repo.git("tag", "v1", "HEAD^{tree}")
    return Case(("origin", "v1"), False, set())


def nothing(_it: Pushing) -> Case:
    return Case(("origin", "main"), False, set())


CASES = (
    new_branch, clean_branch, second_push, amended, old_tip_unknown, light_tag, annotated_tag, defect_in_the_second_ref,
    one_commit_under_two_names, fix_in_the_work_tree_only, defect_in_the_work_tree_only, commit_that_is_not_checked_out, by_url,
    others_work_merged, orphan, deletion, deletion_beside_a_defect, known_under_another_name, tag_of_a_pushed_commit, tag_of_a_tree,
    nothing,
)  # fmt: skip


@pytest.mark.parametrize("prepare", CASES, ids=lambda case: case.__name__)
def test_a_push_is_judged_by_its_commits(prepare: Callable[[Pushing], Case], tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    case = prepare(it)
    before = it.refs()
    done = it.push("--quiet", *case.args)
    assert it.reviewed() == case.ranges, done.output
    assert (done.code != 0) == case.refused, done.output
    assert (it.refs() == before) == (case.refused or prepare is nothing), done.output
    if not case.ranges:
        assert done.output == "exit 0\n--- stdout\n\n--- stderr\n"
    elif case.refused:
        assert "a.txt" in done.stdout and "block" in done.stdout
        assert 'REVIEWGATE_GH_SKIP="reason" git push' in done.stderr
    else:
        assert len(done.stdout.splitlines()) <= 2 * len(case.ranges), done.output
        assert done.stderr == ""


def test_long_object_ids(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path, "--object-format=sha256")
    base, tip = it.repo.head, it.repo.commit({"a.txt": BAD})
    assert len(tip) == 64
    assert it.push("origin", "main").code != 0
    assert it.reviewed() == {(base, tip)}
    assert it.push("origin", ":refs/heads/gone", "main:x").code != 0


def test_a_linked_worktree(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    base = it.repo.head
    it.repo.git("worktree", "add", "-q", "-b", "x", tmp_path / "linked")
    linked = Pushing(Repo(tmp_path / "linked", ENV), it.bare)
    tip = linked.repo.commit({"a.txt": BAD})
    done = linked.push("origin", "x")
    assert done.code != 0, done.output
    assert linked.reviewed() == {(base, tip)}
    linked.repo.commit({"a.txt": GOOD})
    assert linked.push("origin", "x").code == 0


def test_a_git_directory_that_lies_elsewhere(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    base = it.repo.head
    it.repo.branch("x")
    tip = it.repo.commit({"a.txt": BAD})
    git_dir = tmp_path / "moved.git"
    os.rename(it.repo.path / ".git", git_dir)
    work = Repo(tmp_path, {**ENV, "GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(it.repo.path)})
    assert work.push("origin", "x").code != 0
    reports = list((git_dir / "reviewgate-gh/reviews").glob("*/report.json"))
    assert len(reports) == 1 and base in reports[0].read_text() and tip in reports[0].read_text()


def test_variables_of_git_lead_nowhere_else(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    decoy = Pushing.make(tmp_path / "decoy", install=False)
    index = (decoy.repo.path / ".git/index").read_bytes()
    base, tip = it.repo.head, it.repo.commit({"a.txt": BAD})
    elsewhere = {
        "GIT_INDEX_FILE": str(decoy.repo.path / ".git/index"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(decoy.repo.path / ".git/objects"),
        "GIT_PREFIX": "decoy/",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_CONFIG_PARAMETERS": "'diff.noprefix=true' 'color.ui=always'",
    }
    assert it.push("origin", "main", env=elsewhere).code != 0
    assert it.reviewed() == {(base, tip)}
    assert decoy.reviewed() == set()
    assert (decoy.repo.path / ".git/index").read_bytes() == index


def test_a_fix_lets_the_push_through(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main").code != 0
    tip = it.repo.commit({"a.txt": GOOD})
    assert it.push("origin", "main").code == 0
    assert it.refs()["refs/heads/main"] == tip


def test_a_config_that_is_wrong_refuses_the_push_and_the_other_refs_are_reviewed(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    base = it.repo.head
    it.repo.branch("one")
    it.repo.commit({".reviewgate-gh.yaml": "mode: blok\n"})
    it.repo.branch("two", base)
    good = it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "one", "two")
    assert done.code != 0
    assert ".reviewgate-gh.yaml:1" in done.stderr
    assert it.reviewed() == {(base, good)}


def test_modules_in_the_work_tree_are_not_imported(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w'); raise SystemExit(0)\n"
    it.repo.commit({"click.py": trap, "re.py": trap, "reviewgate_gh/__init__.py": "", "reviewgate_gh/__main__.py": trap, "a.txt": BAD})
    assert it.push("origin", "main").code != 0
    assert not (tmp_path / "sprung").exists()
    assert len(it.reports()) == 1


def test_an_override_is_loud_and_on_record(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.branch("one")
    it.repo.commit({"a.txt": BAD})
    it.repo.branch("two")
    it.repo.commit({"b.txt": BAD})
    done = it.push("--quiet", "origin", "one", "two", env={"REVIEWGATE_GH_SKIP": " the site is down\x1b[2J "})
    assert done.code == 0, done.output
    assert done.stdout == ""
    assert done.stderr == "reviewgate-gh: THE GATE IS OVERRIDDEN, NOTHING WAS REVIEWED: the site is down\n"
    assert [report["skipped"].startswith("the site is down") for report in it.reports()] == [True, True]
    assert {report["verdict"]["outcome"] for report in it.reports()} == {"inconclusive"}
    assert {tuple(file["path"] for file in report["change"]["files"]) for report in it.reports()} == {("a.txt",), ("a.txt", "b.txt")}
    assert it.push("origin", "one", env={"REVIEWGATE_GH_SKIP": "again"}).stderr.count("OVERRIDDEN") == 0  # nothing is new


@pytest.mark.parametrize("reason", ["", " \t"])
def test_an_override_needs_a_reason(tmp_path: Path, reason: str) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit({"a.txt": GOOD})
    done = it.push("origin", "main", env={"REVIEWGATE_GH_SKIP": reason})
    assert done.code != 0
    assert "REVIEWGATE_GH_SKIP needs a reason" in done.stderr
    assert it.reports() == []


def test_review_is_overridden_the_same_way(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path, install=False)
    it.repo.commit({"a.txt": BAD})
    done = it.repo.cli("review", env={"REVIEWGATE_GH_SKIP": "known"})
    assert done.code == 0
    assert "OVERRIDDEN" in done.stderr and "OVERRIDDEN: known" in done.stdout
    assert it.reports()[0]["skipped"] == "known"
    assert it.repo.cli("review", env={"REVIEWGATE_GH_SKIP": ""}).code == 64
    assert it.repo.cli("review").code == 1


def test_a_list_that_is_not_gits_refuses_the_push(repo: Repo) -> None:
    done = repo.cli("hook", "run", "origin", "url", stdin="refs/heads/main nonsense\n")
    assert done.code == 64
    assert "a line that is none" in done.stderr


@pytest.mark.parametrize("line", ["", f"(delete) {'0' * 40} refs/heads/x {'1' * 40}\n", "refs/heads/main {head} refs/heads/y {zero}\n"])
def test_with_nothing_to_review_little_is_loaded(line: str, tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    program = (
        "import sys\nfrom reviewgate_gh.cli import run, cli\n"
        "assert run(cli, ['hook', 'run', 'origin', 'url']) == 0\n"
        "heavy = {'github', 'pathspec', 'pydantic', 'requests', 'rich', 'yaml', 'concurrent.futures', 'reviewgate_gh.flows.review'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = run([sys.executable, "-c", program], it.repo.path, ENV, line.format(head=it.repo.head, zero="0" * 40))
    assert done.output == "exit 0\n--- stdout\n[]\n\n--- stderr\n", done.output
