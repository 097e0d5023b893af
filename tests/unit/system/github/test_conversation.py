"""The conversation: a comment that may have been stored is looked for, never sent again."""

import pytest

from reviewgate_gh.system.github.conversation import edit_remark, post_remark, read_remarks
from reviewgate_gh.system.github.errors import NotFound, Uncertain

from ....peers.github.handle import GitHub
from ....support import Repo
from .fake import client_of, pull_of
from .scripted import Say, Server

COMMENTS = "/repos/octo/repo/issues/1/comments"


@pytest.mark.peer
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("mode", ["502", "reset", "html", "empty", "other-json"])
def test_a_lost_answer_is_never_a_second_comment(github_plain: GitHub, repo: Repo, mode, stored):
    pull_of(github_plain, repo)
    client = client_of(github_plain)
    github_plain.fault(mode, "POST", COMMENTS, stored=stored)
    with pytest.raises(Uncertain):
        post_remark(client, 1, "Once")
    assert [each.body for each in read_remarks(client, 1)] == ["Once"] * stored


@pytest.mark.peer
def test_all_comments_are_listed_and_one_is_edited(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    made = [pull.say("github-actions[bot]", str(number)) for number in range(201)]
    client = client_of(github_plain)
    github_plain.fault("502", "PATCH", stored=True)
    edit_remark(client, made[200].id, "other")
    assert [each.body for each in read_remarks(client, 1)] == [*(str(number) for number in range(200)), "other"]
    with pytest.raises(NotFound):
        edit_remark(client, 5, "nothing")


def test_an_edit_that_is_not_confirmed_is_open(server: Server, client):
    server.say(Say(200, {"unexpected": True}))
    with pytest.raises(Uncertain):
        edit_remark(client, 5, "x")
