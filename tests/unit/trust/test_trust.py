"""Whose commits these are: made here by the user, or come from elsewhere."""

import os

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.settings.change import load_change
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.trust.provenance import commits_made_here, is_users_base
from tests.support import Repo


def mine(repo: Repo, *revisions: str) -> bool:
    return {repo.rev(name) for name in revisions or ("HEAD",)} <= commits_made_here(
        open_repository(repo.path, os.environ)
    )


def test_what_was_committed_here_is_mine(repo):
    repo.commit({"a": "1\n"})
    repo.git("commit", "--quiet", "--amend", "--message", "amended")
    assert mine(repo) and mine(repo, "HEAD", "HEAD~")


def test_reverts_picks_rebases_and_merges_made_here_are_mine(repo):
    repo.branch("topic")
    repo.commit({"a": "1\n"})
    repo.switch("main")
    repo.commit({"b": "1\n"})
    repo.git("cherry-pick", "topic")
    assert mine(repo)
    repo.git("revert", "--no-edit", "HEAD")
    assert mine(repo)
    repo.switch("topic")
    repo.git("rebase", "--quiet", "main~2")
    assert mine(repo)
    repo.git("merge", "--quiet", "--no-edit", "--no-ff", "main")
    assert mine(repo)


@pytest.fixture
def fetched(repo, make_repo) -> Repo:
    """A clone of ours that has somebody else's commit on a remote-tracking branch."""
    other = Repo(repo.clone(repo.path.parent / "other").path)
    other.branch("theirs")
    other.git(
        "-c",
        "user.email=eve@example.com",
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "from elsewhere",
    )
    repo.git("remote", "add", "eve", str(other.path))
    repo.git("fetch", "--quiet", "eve")
    return repo


@pytest.mark.parametrize(
    "how",
    [
        ["checkout", "--quiet", "eve/theirs"],
        ["checkout", "--quiet", "-b", "local", "eve/theirs"],
        ["merge", "--quiet", "--ff-only", "eve/theirs"],
        ["reset", "--quiet", "--hard", "eve/theirs"],
        ["branch", "copy", "eve/theirs"],
        ["pull", "--quiet", "--ff-only", "eve", "theirs"],
    ],
    ids=lambda how: how[0],
)
def test_what_was_fetched_is_not_mine_however_it_is_checked_out(fetched, how):
    fetched.git(*how)
    assert not mine(fetched, "eve/theirs")


def test_a_rebased_commit_of_somebody_else_is_not_mine(fetched):
    fetched.commit({"a": "1\n"})
    fetched.git("cherry-pick", "--allow-empty", "eve/theirs")
    assert not mine(fetched)


def test_one_foreign_commit_in_the_range_is_enough(fetched):
    fetched.git("merge", "--quiet", "--ff-only", "eve/theirs")
    fetched.commit({"a": "1\n"}, "mine on top")
    assert mine(fetched) and not mine(fetched, "HEAD", "HEAD~")


def test_without_a_reflog_nothing_is_mine(repo):
    repo.git("reflog", "expire", "--expire=all", "--all")
    assert not mine(repo)


def forged(other, author):
    """A commit on the other repository's HEAD with this text as its author's address."""
    raw = f"tree {other.rev('HEAD^{tree}')}\nparent {other.head}\nauthor Eve <{author}> 1 +0000\n"
    raw += "committer Eve <eve@example.com> 1 +0000\n\nx\n"
    return other.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=raw)


@pytest.mark.contract(plain=False)
@pytest.mark.contract(plain=["pull-topic", "fetch-commit"])
@pytest.mark.parametrize("branch", ["topic", "topic(pick)", "commit"])
@pytest.mark.parametrize(
    "how", [["pull", "--quiet", "eve"], ["fetch", "--quiet", "eve"]], ids=lambda how: how[0]
)
def test_neither_author_nor_branch_name_makes_a_fetched_commit_mine(fetched, how, branch):
    other, start = Repo(fetched.path.parent / "other"), fetched.head
    for tail in ("", "\tcommit: x", "\t", "\x1ccommit: x", "\u2028commit: x"):
        fetched.git("reset", "--quiet", "--hard", start)
        other.git("update-ref", f"refs/heads/{branch}", forged(other, f"ada@example.com{tail}"))
        fetched.git(*how, branch)
        assert not mine(fetched, "FETCH_HEAD"), tail
        fetched.git("reset", "--quiet", "--hard", "FETCH_HEAD~")
        fetched.git("cherry-pick", "--ff", "FETCH_HEAD")
        assert not mine(fetched, "FETCH_HEAD"), tail


@pytest.mark.parametrize(
    "author", ["eve\x1e@x", "\x1e", "\x1f\x1e\x1f", "eve\r@x", "", "ada@example.com\x1f\x1e"]
)
def test_no_character_of_an_author_takes_a_commit_out_of_the_range(fetched, author):
    """The user's own commit on top of it would make all of the change trusted, its configuration
    too."""
    other = Repo(fetched.path.parent / "other")
    guilty = forged(other, author)
    other.git("update-ref", "refs/heads/topic", guilty)
    fetched.git("fetch", "--quiet", "eve", "topic")
    fetched.git("reset", "--quiet", "--hard", "FETCH_HEAD")
    fetched.commit({"mine": "1\n"})
    span = Range(fetched.rev("HEAD~2"), fetched.head)
    change = load_change(
        open_repository(fetched.path, os.environ), span, Environment({}, fetched.path), False
    )
    assert guilty in {commit.oid for commit in change.commits} and not change.trusted


def test_a_range_without_commits_is_nobodys_work(repo):
    repo.commit({"a": "1\n"})
    assert not load_change(
        open_repository(repo.path, os.environ),
        Range(repo.head, repo.head),
        Environment({}, repo.path),
        False,
    ).trusted


def test_the_base_is_the_users_where_a_remote_of_theirs_has_it_or_they_made_it(make_repo):
    origin = make_repo("origin")
    origin.commit({"a": "1\n"})
    mine, eve = origin.clone(origin.path.parent / "mine"), origin.clone(origin.path.parent / "eve")
    git = open_repository(mine.path, os.environ)
    assert is_users_base(git, mine.head) and is_users_base(git, git.empty_tree)
    mine.commit({"b": "1\n"})
    assert is_users_base(git, mine.head)
    eve.git("config", "user.email", "eve@example.org")
    eve.commit({"c": "1\n"})
    mine.git("fetch", "--quiet", str(eve.path), "HEAD")
    assert not is_users_base(git, mine.rev("FETCH_HEAD"))
    mine.git("remote", "add", "eve", str(eve.path))
    mine.git("fetch", "--quiet", "eve")
    assert not is_users_base(git, mine.rev("eve/main"))
