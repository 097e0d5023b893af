"""Pull requests and comparisons, as they are and as they are not supposed to be."""

import copy

import pytest

from reviewgate_gh.github.pull_requests import read_comparison, read_merge_base, read_pull
from reviewgate_gh.github.reading import MalformedAnswer, NotFound
from reviewgate_gh.model.pull_request import Account, Comparison
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Server

SIDE = {"ref": "main", "sha": "a" * 40, "repo": {"full_name": "octo/repo"}}
WHOLE = {
    **{
        "number": 1,
        "node_id": "PR_1",
        "html_url": "https://github.com/octo/repo/pull/1",
        "state": "open",
        "merged": False,
        "draft": False,
        "changed_files": 2,
    },
    **{
        "user": {"id": 5, "login": "ada", "type": "User"},
        "merge_commit_sha": "c" * 40,
        "base": SIDE,
        "head": {**SIDE, "sha": "b" * 40},
    },
    "labels": [{"name": "bug"}, {"name": "review: whole"}],
}


def test_a_fork_that_is_gone_an_author_that_is_gone_and_no_test_merge(server: Server, client):
    server.say(
        Say(
            200,
            {
                **WHOLE,
                "user": None,
                "merge_commit_sha": None,
                "head": {**SIDE, "repo": None},
                "merged": True,
                "state": "closed",
            },
        )
    )
    found = read_pull(client, 1)
    assert (found.author, found.head_repository, found.merge_commit, found.state) == (
        Account(),
        "",
        "",
        "merged",
    )
    assert found.labels == {"bug", "review: whole"}


@pytest.mark.parametrize(
    "key",
    [key for key in WHOLE if key not in ("user", "merge_commit_sha")]
    + ["base.sha", "base.repo", "head.sha"],
)
@pytest.mark.parametrize("wrong", ["absent", None, [], {}, 1.5, "\x00", -1])
def test_what_is_wrong_anywhere_is_malformed(server: Server, client, key, wrong):
    body = copy.deepcopy(WHOLE)
    *way, last = key.split(".")
    target = body[way[0]] if way else body
    if wrong == "absent":
        del target[last]
    else:
        target[last] = wrong
    server.say(Say(200, body))
    fits = (
        isinstance(wrong, str)
        and wrong != "absent"
        and last in ("node_id", "html_url", "state", "ref")
    ) or (key == "labels" and wrong == [])
    if fits:
        assert read_pull(client, 1).number == 1
        return
    with pytest.raises(MalformedAnswer):
        read_pull(client, 1)


def test_how_two_commits_stand_to_each_other(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    first = repo.head
    repo.git("mv", "new.py", "newer.py")
    second = repo.commit(message="rename")
    pull.push()
    client = client_of(github_plain)
    assert read_comparison(client, first, second) == Comparison(
        "ahead", 1, frozenset({"new.py", "newer.py"})
    )
    assert read_comparison(client, second, first) == Comparison("behind", 0, frozenset())
    assert read_comparison(client, "0" * 40, second) == Comparison("unknown")
    repo.git("reset", "--quiet", "--hard", first)
    other = repo.commit({"other.py": "x\n"})
    pull.push()
    assert read_comparison(client, second, other).status == "diverged"
    assert read_merge_base(client, second, other) == first


def test_a_comparison_with_three_hundred_files_may_have_more(server: Server, client):
    files = [{"filename": f"{number}.py"} for number in range(300)]
    server.say(Say(200, {"status": "ahead", "ahead_by": 2, "files": files}))
    assert read_comparison(client, "a" * 40, "b" * 40) == Comparison("ahead", 2, None)
    assert server.seen[0].path == f"/repos/octo/repo/compare/{'a' * 40}...{'b' * 40}?per_page=1"


def test_what_is_not_there(server: Server, client):
    with pytest.raises(NotFound) as caught:
        read_pull(client, 1)
    assert "the App is not installed" in caught.value.hint
