"""Resolving and minimising: each outcome is counted, and what is forbidden once is not asked
again."""

import pytest

from reviewgate_gh.github.reading import UncertainWrite
from reviewgate_gh.github.reviews import CleanupTally, minimize_comments, resolve_threads
from tests.peers.github.handle import GitHub
from tests.peers.github.shapes import node_id
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Say, Server


def threads(pull, count):
    made = [
        pull.on_line("github-actions[bot]", "new.py", 1, str(number)) for number in range(count)
    ]
    return [node_id("PRRT", each.id) for each in made]


def test_a_token_without_contents_write_resolves_nothing_and_asks_once(
    github_plain: GitHub, repo: Repo
):
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain)
    assert resolve_threads(client, threads(pull, 3)) == CleanupTally(forbidden=3)
    assert client.requests.graphql == 1 and pull.stored.resolved == {}


def test_what_is_gone_is_counted_apart(github_plain: GitHub, repo: Repo):
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain, github_plain.token(contents="write", pull_requests="write"))
    one, two = threads(pull, 2)
    assert resolve_threads(client, [one, "PRRT_nothing", two]) == CleanupTally(done=2, gone=1)
    assert minimize_comments(client, ["PRRC_nothing"], "RESOLVED") == CleanupTally(gone=1)
    assert resolve_threads(client, []) == CleanupTally()


@pytest.mark.parametrize("stored", [True, False])
def test_a_lost_answer_is_asked_for_again(github_plain: GitHub, repo: Repo, stored):
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain, github_plain.token(contents="write", pull_requests="write"))
    github_plain.fault("502", "POST", "/graphql", stored=stored)
    assert (
        resolve_threads(client, threads(pull, 1)) == CleanupTally(done=1)
        and len(pull.stored.resolved) == 1
    )


def test_other_refusals_keep_their_words(server: Server, client):
    server.rule = lambda seen: Say(
        200,
        {
            "errors": [
                {"type": "UNPROCESSABLE", "message": "was locked", "path": ["minimizeComment"]}
            ]
        },
    )
    found = minimize_comments(client, ["a", "b"], "DUPLICATE")
    assert (found.done, len(found.refused)) == (0, 2) and "was locked" in found.refused[0]


@pytest.mark.parametrize(
    "data",
    [
        {"minimizeComment": None},
        {"minimizeComment": {"minimizedComment": {"isMinimized": False}}},
        {},
    ],
)
def test_what_github_does_not_confirm_is_not_done(server: Server, client, data):
    server.say(Say(200, {"data": data}))
    found = minimize_comments(client, ["a"], "OUTDATED")
    assert (found.done, len(found.refused)) == (0, 1)


def test_an_answer_that_never_comes_is_not_counted_as_anything(server: Server, client):
    server.rule = lambda seen: Say(502, {})
    with pytest.raises(UncertainWrite):
        resolve_threads(client, ["a"])
