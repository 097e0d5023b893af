"""Where a review begins: an issue's first commit by its subject, and how much lies between two
commits."""

import os

import pytest

from reviewgate_gh.git import Git, open_repository
from reviewgate_gh.git.history import (
    CommitNotHere,
    commit_list,
    get_diff_content,
    get_diff_stat,
    has_commit,
    issue_baseline,
)
from tests.support import Repo


def opened(repo: Repo) -> Git:
    return open_repository(repo.path, os.environ)


@pytest.mark.req("R000-082")
def test_an_issue_begins_under_its_oldest_commit_by_subject(repo: Repo) -> None:
    start = repo.head
    repo.commit(message="other\n\nbd-a.1: only in the body")
    under = repo.commit(message="bd-a.10: another issue")
    repo.commit(message="bd-aX1: a dot is no wildcard")
    repo.commit(message=" bd-a.1x: not quite")
    repo.commit(message='Revert "bd-a.1: first"')
    before = repo.head
    repo.commit(message="bd-a.1: first")
    repo.commit(message="between")
    repo.commit(message="bd-a.1: second")
    git = opened(repo)
    assert issue_baseline(git, "a.1") == before
    assert issue_baseline(git, "a.10") == repo.rev(f"{under}~")
    assert issue_baseline(git, "a") is None and issue_baseline(git, "-x") is None
    assert start != before


def test_an_id_that_begins_with_the_prefix_may_stand_once_or_twice(repo: Repo) -> None:
    base = repo.head
    repo.commit(message="bd-7: once")
    assert issue_baseline(opened(repo), "bd-7") == base
    base = repo.head
    repo.commit(message="bd-bd-8: twice")
    assert issue_baseline(opened(repo), "bd-8") == base


def test_a_root_commit_has_the_empty_tree_under_it(make_repo) -> None:
    repo = make_repo("new", "--object-format=sha256")
    repo.commit({"a": "1\n"}, "bd-1: root")
    git = opened(repo)
    assert issue_baseline(git, "1") == git.empty_tree and has_commit(git, git.empty_tree)
    assert get_diff_stat(git, git.empty_tree).files == ("a",)
    assert commit_list(git, git.empty_tree, repo.head) == (f"{repo.head[:7]} bd-1: root",)


def test_a_parent_that_a_shallow_clone_cut_off_is_named(repo: Repo, tmp_path) -> None:
    base = repo.head
    repo.commit(message="bd-1: first")
    shallow = opened(repo.clone(tmp_path / "shallow", "--depth=1"))
    with pytest.raises(CommitNotHere) as caught:
        issue_baseline(shallow, "1")
    assert caught.value.sha == base
    assert not has_commit(shallow, base) and has_commit(shallow, repo.head)
    assert not has_commit(shallow, "") and not has_commit(shallow, "--all")


def test_a_merged_branch_counts_from_its_own_first_commit(repo: Repo) -> None:
    base = repo.head
    repo.branch("topic")
    repo.commit(message="bd-1: on the branch")
    repo.switch("main")
    repo.commit(message="main goes on")
    repo.git("merge", "--quiet", "--no-ff", "-m", "bd-1: merged", "topic")
    assert issue_baseline(opened(repo), "1") == base


@pytest.mark.req("R000-100", "R000-101", "R000-102", "R000-107", "R000-108")
def test_what_lies_between_two_commits(repo: Repo) -> None:
    base = repo.commit({"a b.txt": "1\n2\n", "bin": b"\0\1", "x.sh": "true\n"})
    repo.branch("topic")
    head = repo.commit({"a b.txt": "1\n3\n4\n", "bin": b"\0\2", "\n.txt": "n\n"}, "one")
    repo.file("x.sh").chmod(0o755)
    head = repo.commit(message="two")
    repo.switch("main")
    aside = repo.commit({"other": "o\n"})
    git = opened(repo)
    stat = get_diff_stat(git, base, head)
    assert (stat.added, stat.deleted, stat.lines) == (3, 1, 4)
    assert set(stat.files) == {"a b.txt", "bin", "x.sh", "\n.txt"}
    text = get_diff_content(git, base, head)
    assert text.startswith("diff --git ") and "+3\n+4\n" in text and "old mode 100644" in text
    assert commit_list(git, base, head) == (f"{head[:7]} two", f"{repo.rev(head + '~')[:7]} one")
    # Two arguments, not a range: what one side has and the other has not counts both ways.
    assert "other" in get_diff_stat(git, aside, head).files and "-o\n" in get_diff_content(
        git, aside, head
    )
    assert (
        get_diff_stat(git, base).files == ("other",)
        and get_diff_content(git, "HEAD") == ""
        and get_diff_stat(git, "HEAD").files == ()
    )


@pytest.mark.parametrize("how", ["diff.ignoreSubmodules", "submodule.lib.ignore", ".gitmodules"])
def test_a_submodule_that_moved_counts_whatever_git_is_told_to_pass_over(
    repo: Repo, how: str
) -> None:
    """What is no difference is not reviewed: neither the user's settings nor a file of the change
    may say so."""
    listed = '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n' + (
        "\tignore = all\n" if how == ".gitmodules" else ""
    )
    commits = []
    for number in "12":
        repo.write({".gitmodules": listed})
        repo.git("add", ".gitmodules")
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{number * 40},lib")
        repo.git("commit", "--quiet", "--message", "bd-1: move it")
        commits.append(repo.head)
    if how != ".gitmodules":
        repo.git("config", how, "all")
    assert get_diff_stat(opened(repo), *commits).files == ("lib",)
