"""Which commits a push would publish, on real repositories."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from reviewgate_gh.git import Git, GitFailed, open_repository
from reviewgate_gh.git.objects import TreeEntry, list_tree
from reviewgate_gh.hook.refs import PushedRef, pushing_repository, range_of_push, refs_to_publish
from reviewgate_gh.model.change import Range
from reviewgate_gh.model.errors import UsageError
from tests.support import Repo


class Scene:
    """A repository whose main is on origin (one commit), asked what a push would publish."""

    def __init__(self, repo: Repo, bare: Repo) -> None:
        self.repo, self.bare = repo, bare
        self.first = repo.commit({"README.md": "# A project\n"}, "first")
        repo.push("-q", "origin", "main")

    @property
    def git(self) -> Git:
        return open_repository(self.repo.path, dict(os.environ))

    def add(self, name: str) -> str:
        return self.repo.commit({name: f"{name}\n"}, name)

    def range(
        self, local: str, remote: str = "", name: str = "origin", ref: str = "refs/heads/x"
    ) -> Range | None:
        return range_of_push(
            self.git, PushedRef("refs/heads/x", self.repo.rev(local), ref, remote), name
        )


@pytest.fixture
def scene(make_repo: Callable[..., Repo], tmp_path: Path) -> Scene:
    repo = make_repo()
    return Scene(repo, repo.bare_remote(tmp_path / "origin.git"))


def test_long_object_ids_are_ids(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo("long", "--object-format=sha256")
    scene = Scene(repo, repo.bare_remote(tmp_path / "origin.git"))
    old, tip = scene.add("a"), scene.add("b")
    assert len(tip) == 64
    assert scene.range("main", old) == Range(
        old, tip, (f"refs/heads/x: 1 new commit since {old[:12]}",)
    )


def test_a_new_branch_starts_where_it_left_the_default_branch(scene: Scene) -> None:
    scene.repo.branch("x")
    scene.add("a")
    tip = scene.add("b")
    assert scene.range("x") == Range(
        scene.first, tip, ("refs/heads/x: 2 new commits since origin/main",)
    )


def test_a_second_push_has_just_the_rest(scene: Scene) -> None:
    scene.repo.branch("x")
    old = scene.add("a")
    scene.repo.push("-q", "origin", "x")
    tip = scene.add("b")
    assert scene.range("x", old) == Range(old, tip, ("refs/heads/x: 1 new commit since origin/x",))


def test_the_remote_may_know_more_than_its_tracking_branches(scene: Scene) -> None:
    scene.repo.branch("x")
    old = scene.add("a")
    tip = scene.add("b")
    assert scene.range("x", old) == Range(
        old, tip, (f"refs/heads/x: 1 new commit since {old[:12]}",)
    )


def test_a_branch_on_a_branch_starts_there(scene: Scene) -> None:
    scene.repo.branch("one")
    one = scene.add("a")
    scene.repo.push("-q", "origin", "one")
    scene.repo.branch("two")
    tip = scene.add("b")
    assert scene.range("two") == Range(one, tip, ("refs/heads/x: 1 new commit since origin/one",))


def test_a_branch_that_left_long_ago_names_the_default_branch(scene: Scene) -> None:
    scene.repo.branch("x")
    tip = scene.add("a")
    scene.repo.switch("main")
    scene.add("b")
    scene.repo.push("-q", "origin", "main")
    assert scene.range("x") == Range(
        scene.first, tip, ("refs/heads/x: 1 new commit since origin/main",)
    )


def test_an_amended_commit_is_compared_with_its_parent(scene: Scene) -> None:
    scene.repo.branch("x")
    old = scene.add("a")
    scene.repo.push("-q", "origin", "x")
    scene.repo.git("commit", "-q", "--amend", "-m", "again")
    assert scene.range("x", old) == Range(
        scene.first, scene.repo.head, ("refs/heads/x: 1 new commit since origin/main",)
    )


def test_an_unknown_tip_is_said(scene: Scene) -> None:
    scene.repo.branch("x")
    tip = scene.add("a")
    gone = "b" * len(tip)
    found = scene.range("x", gone)
    assert found and (found.base, found.head) == (scene.first, tip)
    assert found.notes[1] == (
        f"origin has {gone[:12]} at refs/heads/x, which is not in this clone: compared "
        "with its other known refs"
    )


def test_nothing_new_is_none(scene: Scene) -> None:
    scene.repo.branch("x")
    old = scene.add("a")
    scene.repo.push("-q", "origin", "x")
    assert scene.range("x") is None  # under another name
    assert scene.range("main", old) is None  # going back
    assert (
        range_of_push(scene.git, PushedRef("(delete)", "", "refs/heads/x", old), "origin") is None
    )


def test_a_tag_is_its_commit(scene: Scene) -> None:
    tip = scene.add("a")
    scene.repo.git("tag", "light")
    scene.repo.git("tag", "-a", "-m", "one", "heavy")
    scene.repo.git("tag", "-a", "-m", "two", "heavier", "heavy")
    expected = Range(scene.first, tip, ("refs/tags/v: 1 new commit since origin/main",))
    found = [
        scene.range(f"refs/tags/{name}", ref="refs/tags/v")
        for name in ("light", "heavy", "heavier")
    ]
    assert [each and replace(each, tags=()) for each in found] == [expected] * 3
    assert [each and len(each.tags) for each in found] == [0, 1, 2]


def test_a_tag_of_a_published_commit_brings_its_message(scene: Scene) -> None:
    scene.repo.git("tag", "-a", "-m", "one", "heavy")
    found = scene.range("refs/tags/heavy", ref="refs/tags/heavy")
    assert found and found.base == found.head == scene.first and len(found.tags) == 1
    oid = scene.repo.rev("refs/tags/heavy")
    assert scene.range("refs/tags/heavy", oid, ref="refs/tags/heavy") is None
    scene.repo.git("tag", "light")
    assert scene.range("refs/tags/light", ref="refs/tags/light") is None


def test_a_moved_tag_starts_at_the_old_one(scene: Scene) -> None:
    old = scene.add("a")
    scene.repo.git("tag", "-a", "-m", "one", "v", old)
    moved = scene.repo.rev("refs/tags/v")
    tip = scene.add("b")
    found = scene.range("main", moved)
    assert found and (found.base, found.head) == (old, tip)


def test_a_tag_of_a_tree_is_that_tree_and_a_tag_of_a_file_a_tree_with_it_alone(
    scene: Scene,
) -> None:
    scene.repo.git("tag", "tree", "HEAD^{tree}")
    scene.repo.git("tag", "-a", "-m", "blob", "blob", "HEAD:README.md")
    tree, git = scene.repo.rev("HEAD^{tree}"), scene.git
    note = ("refs/tags/v1: a tree, not a commit: all of it",)
    assert scene.range("refs/tags/tree", ref="refs/tags/v1") == Range(
        git.empty_tree, tree, note, whole_tree=True
    )
    found = range_of_push(
        git, PushedRef("x", scene.repo.rev("refs/tags/blob"), "refs/tags/deep/v1", ""), "origin"
    )
    assert found and found.whole_tree and found.base == git.empty_tree
    assert list_tree(git, found.head) == (
        TreeEntry("100644", scene.repo.rev("HEAD:README.md"), "v1"),
    )
    assert scene.repo.ran("cat-file", "-e", found.head).code != 0, (
        "the repository got no new object"
    )


def test_a_history_of_its_own_is_compared_with_nothing(scene: Scene) -> None:
    scene.repo.git("switch", "-q", "--orphan", "x")
    tip = scene.add("a")
    expected = Range(
        scene.git.empty_tree,
        tip,
        ("refs/heads/x: 1 new commit with no known commit of origin to compare with",),
    )
    assert scene.range("x") == expected


def test_a_first_push_to_an_empty_remote_is_all_of_it(scene: Scene, tmp_path: Path) -> None:
    scene.repo.bare_remote(tmp_path / "backup.git", "backup")
    tip = scene.add("a")
    found = scene.range("main", name="backup")
    assert found and (found.base, found.head) == (scene.git.empty_tree, tip)


def test_merged_work_of_the_default_branch_is_not_in_the_range(scene: Scene) -> None:
    scene.repo.branch("x")
    for name in ("a", "b", "c"):
        old = scene.add(name)
    scene.repo.push("-q", "origin", "x")
    scene.repo.switch("main")
    theirs = scene.add("theirs")
    scene.repo.push("-q", "origin", "main")
    scene.repo.switch("x")
    scene.repo.git("merge", "-q", "--no-edit", "main")
    found = scene.range("x", old)
    assert found and found.base == theirs
    assert scene.repo.git("diff", "--name-only", found.base, found.head).split() == ["a", "b", "c"]


def test_a_merge_to_the_default_branch_is_compared_with_it(scene: Scene) -> None:
    scene.repo.branch("x")
    for name in ("a", "b", "c"):
        scene.add(name)
    scene.repo.push("-q", "origin", "x")
    scene.repo.switch("main")
    main = scene.add("main")
    scene.repo.push("-q", "origin", "main")
    scene.repo.git("merge", "-q", "--no-edit", "x")
    found = scene.range("main", main)
    assert found and found.base == main
    assert found.notes == ("refs/heads/x: 1 new commit since origin/main",)


def test_pulled_work_on_the_same_branch_is_not_in_the_range(scene: Scene, tmp_path: Path) -> None:
    other = scene.bare.clone(tmp_path / "other")
    pulled = other.commit({"theirs": "1\n"})
    other.push("-q", "origin", "main")
    scene.add("mine")
    scene.repo.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    found = scene.range("main", pulled)
    assert found and found.base == pulled
    assert scene.repo.git("diff", "--name-only", found.base, found.head).split() == ["mine"]


def test_the_url_of_a_remote_is_that_remote(scene: Scene) -> None:
    tip = scene.add("a")
    url = scene.repo.git("remote", "get-url", "origin")
    assert scene.range("main", name=url) == Range(
        scene.first, tip, ("refs/heads/x: 1 new commit since origin/main",)
    )


URL = "https://user:password@example.com/x.git"


def test_at_an_unknown_url_no_remote_counts(scene: Scene) -> None:
    """What is pushed there may have been fetched from anybody, or be private."""
    empty, tip = scene.git.empty_tree, scene.add("a")
    scene.repo.push("-q", "origin", "main")
    found = scene.range("main", name=URL)
    assert found and (found.base, found.head) == (empty, tip)
    assert (
        found.notes[0]
        == "refs/heads/x: 2 new commits with no known commit of this URL to compare with"
    )
    assert "git remote add" in found.notes[1] and "password" not in "".join(found.notes)
    assert scene.range("main", name="") == found, "nor where git names none"
    assert scene.range("main", name="../elsewhere.git") == found


def test_of_an_unknown_url_what_it_has_at_the_pushed_refs_counts(scene: Scene) -> None:
    old = scene.add("a")
    tip = scene.add("b")
    scene.repo.push("-q", "origin", "main")
    found = scene.range("main", old, name=URL)
    assert found and (found.base, found.head) == (old, tip)
    assert scene.range("main", tip, name=URL) is None
    gone = scene.range("main", "b" * len(tip), name=URL)
    assert (
        gone and gone.base == scene.git.empty_tree and "which is not in this clone" in gone.notes[1]
    )


@pytest.mark.parametrize("others", [0, 5])
def test_so_does_what_it_has_at_another_ref_of_the_same_push(scene: Scene, others: int) -> None:
    old = scene.add("a")
    tip = scene.add("b")
    scene.repo.push("-q", "origin", "main")
    new, known = (
        PushedRef("refs/heads/x", tip, "refs/heads/x", ""),
        PushedRef("refs/heads/main", tip, "refs/heads/main", old),
    )
    pushes = [
        new,
        known,
        *(PushedRef("", old, f"refs/heads/{number}", "") for number in range(others)),
    ]
    assert refs_to_publish(scene.git, pushes, URL) == pushes[: 2 if others else None]
    found = range_of_push(scene.git, new, URL, pushes)
    assert found and (found.base, found.head) == (old, tip)
    alone = range_of_push(scene.git, new, URL, [new])
    assert alone and alone.base == scene.git.empty_tree


def test_many_refs_to_an_unknown_url_are_all_new(scene: Scene) -> None:
    scene.repo.push("-q", "origin", "main")
    pushes = [PushedRef("", scene.first, f"refs/heads/{number}", "") for number in range(6)]
    assert refs_to_publish(scene.git, pushes, URL) == pushes
    assert refs_to_publish(scene.git, pushes, "origin") == []


def test_what_another_remote_has_is_new_to_this_one(scene: Scene, tmp_path: Path) -> None:
    other = scene.repo.bare_remote(tmp_path / "other.git", "other")
    scene.repo.push("-q", "other", "main")
    tip = scene.add("a")
    scene.repo.push("-q", "other", "main")
    assert other.rev("main") == tip
    assert scene.range("main") == Range(
        scene.first, tip, ("refs/heads/x: 1 new commit since origin/main",)
    )


def test_what_a_remote_of_a_longer_name_has_is_new_to_this_one(
    scene: Scene, tmp_path: Path
) -> None:
    scene.repo.bare_remote(tmp_path / "fork.git", "fork")
    # git lets nobody add such a name today, and keeps those that are there
    scene.repo.git("config", "--rename-section", "remote.fork", "remote.origin/fork")
    scene.repo.git("config", "remote.origin/fork.fetch", "+refs/heads/*:refs/remotes/origin/fork/*")
    tip = scene.add("a")
    scene.repo.push("-q", "origin/fork", "main")
    assert scene.repo.rev("refs/remotes/origin/fork/main") == tip
    assert scene.range("main") == Range(
        scene.first, tip, ("refs/heads/x: 1 new commit since origin/main",)
    )
    assert scene.range("main", name="origin/fork") is None


def test_of_many_refs_those_with_something_new_are_left(scene: Scene) -> None:
    new = scene.add("a")
    scene.repo.git("tag", "-a", "-m", "words", "published", scene.first)
    scene.repo.git("tag", "-a", "-m", "words", "of-new")
    blob = scene.repo.git("hash-object", "-w", "--stdin", stdin="a file")
    gone = "b" * 40
    published = [scene.first, scene.repo.rev("published")]
    others = [new, scene.repo.rev("of-new"), f"{new}^{{tree}}", blob, gone]
    pushes = [
        PushedRef("", oid if oid == gone else scene.repo.rev(oid), f"refs/x/{at}", "")
        for at, oid in enumerate(published + others)
    ]
    assert refs_to_publish(scene.git, pushes, "origin") == pushes[2:]
    assert refs_to_publish(scene.git, pushes[:3], "origin") == pushes[:3]
    known = [
        PushedRef("", new, "refs/heads/y", new),
        PushedRef("", scene.first, "refs/heads/z", gone),
        PushedRef("", "", "refs/heads/w", new),
    ]
    assert refs_to_publish(scene.git, [*pushes, *known], "origin") == [
        each for each in pushes if each.local_oid in (pushes[4].local_oid, blob, gone)
    ]


def test_an_object_that_is_not_here_is_refused(scene: Scene) -> None:
    gone = "b" * 40
    with pytest.raises(GitFailed, match="bad object"):
        range_of_push(scene.git, PushedRef("refs/heads/x", gone, "refs/heads/x", ""), "origin")


def test_git_dir_names_the_pushing_repository(scene: Scene, tmp_path: Path) -> None:
    outside, env = tmp_path / "outside", dict(os.environ)
    outside.mkdir()
    assert pushing_repository(scene.repo.path, env | {"GIT_DIR": ".git"}).tree == scene.repo.path
    assert (
        pushing_repository(outside, env | {"GIT_DIR": str(scene.repo.path / ".git")}).directory
        == scene.repo.path / ".git"
    )
    assert (
        pushing_repository(scene.repo.path, env | {"GIT_DIR": str(scene.bare.path)}).directory
        == scene.bare.path
    )
    with pytest.raises(UsageError, match="not in a git repository"):
        pushing_repository(outside, env)
