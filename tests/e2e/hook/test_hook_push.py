"""What the installed hook says to real pushes."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ...support import Repo
from ..pushing import BAD, ENV, GOOD, Pushing

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


def by_a_url_that_is_no_remote(it: Pushing) -> Case:
    """Another remote has the defect already, which somebody let through or fetched."""
    it.repo.commit({"a.txt": BAD})
    assert it.push("-q", "--no-verify", "origin", "main").code == 0
    other = Repo.init(it.repo.path.parent / "other.git", "--bare", env=it.repo.env)
    return Case(
        (str(other.path), "main"),
        True,
        {(it.repo.git("hash-object", "-t", "tree", os.devnull), it.repo.head)},
    )


def by_a_url_that_has_some_of_it(it: Pushing) -> Case:
    other = Repo.init(it.repo.path.parent / "other.git", "--bare", env=it.repo.env)
    base = it.repo.head
    assert it.push("-q", "--no-verify", str(other.path), "main").code == 0
    tip = it.repo.commit({"a.txt": BAD})
    assert it.push("-q", "--no-verify", "origin", "main").code == 0
    return Case((str(other.path), "main"), True, {(base, tip)})


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
    return Case(
        ("origin", "x"),
        True,
        {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), it.repo.commit({"a.txt": BAD}))},
    )


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
    it.repo.commit({"a.txt": BAD})
    it.repo.git("tag", "-a", "-m", "tree", "v1", "HEAD^{tree}")
    tree = it.repo.rev("HEAD^{tree}")
    return Case(
        ("origin", "v1"), True, {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), tree)}
    )


def tag_of_a_clean_tree(it: Pushing) -> Case:
    it.repo.git("tag", "v1", "HEAD^{tree}")
    return Case(
        ("origin", "v1"),
        False,
        {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), it.repo.rev("HEAD^{tree}"))},
    )


def tag_of_a_file(it: Pushing) -> Case:
    it.repo.git("tag", "a.txt", it.repo.git("hash-object", "-w", "--stdin", stdin=BAD))
    it.repo.commit({"a.txt": BAD})
    it.repo.git("rm", "-q", "README.md")
    alone = it.repo.git("write-tree")  # as the review makes it
    it.repo.git("reset", "-q", "--hard", "HEAD~1")
    return Case(
        ("origin", "refs/tags/a.txt"),
        True,
        {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), alone)},
    )


def notes(it: Pushing) -> Case:
    it.repo.git("notes", "add", "--message", "words")
    tip = it.repo.rev("refs/notes/commits")
    return Case(
        ("origin", "refs/notes/commits"),
        False,
        {(it.repo.git("hash-object", "-t", "tree", "/dev/null"), tip)},
    )


def a_defect_among_many_tags(it: Pushing) -> Case:
    base = it.repo.head
    for number in range(5):
        it.repo.git("tag", "-a", "-m", "release", f"v{number}", base)
    tip = it.repo.commit({"a.txt": BAD})
    it.repo.git("tag", "-a", "-m", "release", "v5")
    return Case(("--tags", "origin"), True, {(base, tip)})


def nothing(_it: Pushing) -> Case:
    return Case(("origin", "main"), False, set())


CASES = (
    new_branch, clean_branch, second_push, amended, old_tip_unknown, light_tag, annotated_tag,
    defect_in_the_second_ref,
    one_commit_under_two_names, fix_in_the_work_tree_only, defect_in_the_work_tree_only,
    commit_that_is_not_checked_out, by_url,
    by_a_url_that_is_no_remote, by_a_url_that_has_some_of_it,
    others_work_merged, orphan, deletion, deletion_beside_a_defect, known_under_another_name,
    tag_of_a_pushed_commit, tag_of_a_tree,
    tag_of_a_clean_tree, tag_of_a_file, notes, a_defect_among_many_tags, nothing,
)  # fmt: skip


@pytest.mark.contract(plain=["new_branch", "second_push", "deletion_beside_a_defect"])
@pytest.mark.parametrize("prepare", CASES, ids=lambda case: case.__name__)
def test_a_push_is_judged_by_its_commits(
    prepare: Callable[[Pushing], Case], tmp_path: Path
) -> None:
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


@pytest.mark.parametrize("foreign", [False, True], ids=["bare", "somebody else's"])
def test_a_git_directory_that_is_named_is_the_one_whatever_git_thinks_of_finding_it(
    tmp_path: Path, foreign: bool, isolated: Path
) -> None:
    it = Pushing.make(tmp_path, install=False)
    it.repo.branch("x")
    it.repo.commit({"a.txt": BAD})
    named = it.repo.clone(tmp_path / "named.git", "--bare")
    named.git("remote", "set-url", "origin", it.bare.path)
    assert named.cli("hook", "install").code == 0
    if foreign:
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(named.path, 12345, 12345)
    strict = tmp_path / "strict"
    strict.write_text(
        (isolated / ".gitconfig").read_text() + "[safe]\n    bareRepository = explicit\n"
    )
    outside = Repo(tmp_path, ENV | {"GIT_CONFIG_GLOBAL": str(strict)})
    before = it.refs()
    done = outside.ran("--git-dir=named.git", "push", "--quiet", "origin", "x")
    assert done.code != 0 and "block" in done.stdout and it.refs() == before, done.output
    assert outside.ran("--git-dir=named.git", "push", "--quiet", "origin", "main:y").code == 0


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


@pytest.mark.contract(plain=False)
def test_a_fix_lets_the_push_through(tmp_path: Path) -> None:
    it = Pushing.make(tmp_path)
    it.repo.commit({"a.txt": BAD})
    assert it.push("origin", "main").code != 0
    tip = it.repo.commit({"a.txt": GOOD})
    assert it.push("origin", "main").code == 0
    assert it.refs()["refs/heads/main"] == tip
