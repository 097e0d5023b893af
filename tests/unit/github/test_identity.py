"""Who we are: by number and kind, never by `GET /user`, and unknown rather than guessed."""

import pytest

from reviewgate_gh.github.identity import read_viewer
from reviewgate_gh.github.reading import GitHubUnreachable
from reviewgate_gh.model.pull_request import Account
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Server, opened


@pytest.mark.parametrize(
    ("login", "kind"),
    [
        ("github-actions[bot]", "Bot"),
        ("my-gate[bot]", "Bot"),
        ("ada", "User"),
        ("github-actions", "User"),
    ],
)
def test_every_kind_of_token_says_who_it_is(github_plain: GitHub, repo: Repo, login, kind):
    pull_of(github_plain, repo)
    found = read_viewer(client_of(github_plain, github_plain.token(login)))
    assert found == Account(github_plain.world.account(login).id, login, kind)
    assert github_plain.journal.by_call() == {"POST /graphql": 1}


def test_a_bot_and_a_person_of_its_name_are_two():
    bot, person = (
        Account(41898282, "github-actions[bot]", "Bot"),
        Account(41898282, "github-actions", "User"),
    )
    assert not bot.same_as(person) and bot.same_as(Account(41898282, "github-actions", "Bot"))


@pytest.mark.parametrize(
    "say",
    [
        Say(401, {"message": "Bad credentials"}),
        Say(403, {"message": "Resource not accessible"}),
        Say(404, {"message": "Not Found"}),
        Say(200, {"errors": [{"type": "FORBIDDEN", "message": "no"}]}),
        Say(200, {"data": {"viewer": None}}),
        Say(200, {"data": {"viewer": {"login": "x", "databaseId": None}}}),
        Say(200, {"data": {"viewer": {"login": None, "databaseId": 5}}}),
        Say(200, {"unexpected": True}),
    ],
)
def test_what_does_not_say_it_makes_us_unknown(server: Server, client, say):
    server.say(say)
    assert read_viewer(client) is None and len(server.seen) == 1


def test_without_a_token_nobody_is_asked(server: Server, clock):
    assert read_viewer(opened(server, clock, token="")) is None and server.seen == []


def test_an_answer_that_is_lost_makes_nobody_unknown(server: Server, client):
    server.rule = lambda seen: Say(502, {})
    with pytest.raises(GitHubUnreachable):
        read_viewer(client)
