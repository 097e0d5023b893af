"""A commit's list: every path with its mode, id and size; names that git would not give are not
there."""

import pytest

from reviewgate_gh.github.pull_requests import StoredFile, list_commit
from reviewgate_gh.github.reading import Forbidden, MalformedAnswer
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Server


def test_the_list_is_git_s_own(github: GitHub, repo: Repo) -> None:
    pull_of(github, repo)
    repo.file("link").symlink_to("code.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.file("sub").mkdir()
    repo.commit({"a folder/ü.txt": "four"})
    found = list_commit(client_of(github), repo.head)
    rows = [
        row.split(maxsplit=4)
        for row in repo.git(
            "-c", "core.quotePath=false", "ls-tree", "-r", "-l", "HEAD"
        ).splitlines()
    ]
    assert found.whole and found.paths == {
        path: StoredFile(mode, oid, int(size) if size.isdecimal() else 0) for mode, _kind, oid,
        size, path in rows
    }  # fmt: skip
    assert (
        found.paths["sub"].mode == "160000"
        and found.paths["link"].mode == "120000"
        and found.paths["a folder/ü.txt"].size == 4
    )


def test_a_token_that_may_not_is_told_what_it_lacks(github: GitHub, repo: Repo) -> None:
    pull_of(github, repo)
    with pytest.raises(Forbidden, match="refused") as refused:
        list_commit(client_of(github, github.token(pull_requests="read")), repo.head)
    assert refused.value.permission == "contents: read"


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "../a", "a/..", "a/./b", ".git/config", "a/.GIT/x", "a\0b"]
)
def test_names_that_lead_elsewhere_are_left_out(server: Server, client, path: str) -> None:
    row = {"mode": "100644", "type": "blob", "sha": "1" * 40, "size": 1}
    server.say(
        Say(
            200,
            {
                "sha": "a" * 40,
                "truncated": False,
                "tree": [{**row, "path": path}, {**row, "path": "a/b"}],
            },
        )
    )
    assert set(list_commit(client, "a" * 40).paths) == {"a/b"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"tree": None},
        {"truncated": "no"},
        {"tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": "x"}]},
    ],
)
def test_an_answer_of_another_shape_is_malformed(server: Server, client, wrong) -> None:
    server.say(Say(200, {"sha": "a" * 40, "truncated": False, "tree": [], **wrong}))
    with pytest.raises(MalformedAnswer):
        list_commit(client, "a" * 40)
