"""GraphQL that fails: smaller documents, then REST; who we are from REST or from a review of our
own that nobody sees; and a host that cannot be reached is asked no second question."""

import pytest

from reviewgate_gh.github.identity import read_user
from reviewgate_gh.github.last_look import LastLook, read_last_look
from reviewgate_gh.github.reading import (
    Forbidden,
    GitHubUnreachable,
    UncertainWrite,
)
from reviewgate_gh.github.reviews import account_by_pending, read_reviews
from reviewgate_gh.github.threads import read_recent_snapshot, read_snapshot
from reviewgate_gh.model.pull_request import Account, PullRequest
from tests.peers.github.handle import GitHub
from tests.support import Repo
from tests.unit.github.fake import client_of, pull_of
from tests.unit.github.scripted import Clock, Say, Seen, Server, opened
from tests.unit.github.test_threads import comment, thread, threads

ADA = {"id": 5, "login": "ada", "type": "User"}
HEAD = "a" * 40
PULL = PullRequest(1, "octo/repo", "b" * 40, HEAD, "main", Account(5, "ada", "User"))
BOT = "github-actions[bot]"


def rest(seen: Seen) -> Say:
    """A pull request without anything on it, for a person."""
    if seen.path.startswith("/repos/octo/repo/pulls/1?") or seen.path.endswith("/pulls/1"):
        return Say(200, {"head": {"sha": HEAD}})
    return Say(200, ADA if seen.path == "/user" else [])


def document(seen: Seen) -> str:
    return seen.json()["query"].split("(")[0].split("{")[0].split()[-1]


@pytest.mark.parametrize("read", [read_snapshot, read_recent_snapshot])
@pytest.mark.parametrize("mode", ["", "reset"])
def test_where_one_document_is_too_much_smaller_ones_tell_all_of_it(
    server: Server, client, read, mode
) -> None:
    def rule(seen: Seen) -> Say:
        if seen.method == "GET":
            return rest(seen)
        name, sizes = document(seen), seen.json()["variables"]
        if name == "Viewer":
            return Say(200, {"data": {"viewer": {"login": BOT, "databaseId": 7}}})
        if name == "Threads" and sizes["size"] <= 20:
            return threads(thread(comment(1), isResolved=True))
        return Say(502, {}, mode=mode)

    server.rule = rule
    found = read(client, 1)
    assert found.viewer == Account(7, BOT, "Bot") and not found.note and not found.failed
    assert [each.resolved for each in found.threads] == [True]
    asked = [document(seen) for seen in server.seen if seen.method == "POST"]
    assert asked[1:] == [asked[0], "Viewer", "Threads"], "the big one twice, the others once"


@pytest.mark.parametrize("read", [read_snapshot, read_recent_snapshot])
def test_where_graphql_is_down_rest_tells_what_it_knows(server: Server, client, read) -> None:
    server.rule = lambda seen: rest(seen) if seen.method == "GET" else Say(503, {})
    found = read(client, 1)
    assert found.viewer == Account(5, "ada", "User") and found.failed
    assert "query Viewer: status 503, 4 times), so resolved threads" in found.note
    assert found.head == ("" if read is read_snapshot else HEAD)


def test_rest_does_not_say_which_app_asks(server: Server, client) -> None:
    server.say(Say(403, {"message": "Resource not accessible by integration"}))
    assert read_user(client) is None


def test_threads_alone_come_by_rest_where_only_they_fail(server: Server, client) -> None:
    def rule(seen: Seen) -> Say:
        if seen.method == "GET":
            return rest(seen)
        known = {"data": {"viewer": {"login": BOT, "databaseId": 7}}}
        return Say(200, known) if document(seen) == "Viewer" else Say(504, {})

    server.rule = rule
    found = read_snapshot(client, 1)
    assert found.viewer and "504" in found.note and not found.failed


def test_a_host_that_cannot_be_reached_is_not_asked_in_other_ways(server: Server) -> None:
    clock = Clock()
    client = opened(server, clock)
    server.close()
    with pytest.raises(GitHubUnreachable) as caught:
        read_snapshot(client, 1)
    assert clock.naps == [1, 2, 4] and not caught.value.reached


def test_the_rules_of_a_branch_are_not_counted_while_graphql_is_down(server: Server, client):
    server.rule = lambda seen: Say(200, []) if seen.method == "GET" else Say(502, {})
    look = read_last_look(client, PULL)
    assert look == LastLook(failure=look.failure) and "502" in look.failure


# Who we are, by a review of our own


@pytest.mark.parametrize("stored", [None, True])
@pytest.mark.parametrize("login", [BOT, "ada"])
def test_a_pending_review_says_who_we_are_and_is_gone(
    github_plain: GitHub, repo: Repo, login, stored
) -> None:
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain, github_plain.token(login, pull_requests="write"))
    if stored:
        github_plain.fault("502", "POST", "/repos/*/reviews", stored=True)
    me = account_by_pending(client, 1, read_reviews(client, 1), repo.head)
    assert me.login == login and me.id == github_plain.world.account(login).id
    assert pull.reviews == []


def test_one_that_was_left_says_it_without_another(github_plain: GitHub, repo: Repo) -> None:
    pull = pull_of(github_plain, repo)
    pull.review(BOT, event="")
    client = client_of(github_plain)
    reviews = read_reviews(client, 1)
    before = client.requests.total
    assert account_by_pending(client, 1, reviews, repo.head).login == BOT
    assert client.requests.total == before and len(pull.reviews) == 1


def test_one_of_another_run_says_it_too(github_plain: GitHub, repo: Repo) -> None:
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain)
    made = lambda: pull.review(BOT, event="")  # noqa: E731
    github_plain.faults.on("POST", "/repos/*/reviews", before=made)
    assert account_by_pending(client, 1, (), repo.head).login == BOT and pull.reviews == []


def test_what_cannot_be_made_says_nothing(github_plain: GitHub, repo: Repo) -> None:
    pull = pull_of(github_plain, repo)
    client = client_of(github_plain, github_plain.token(pull_requests="read"))
    with pytest.raises(Forbidden):
        account_by_pending(client, 1, (), repo.head)
    client = client_of(github_plain)
    github_plain.fault("502", "POST", "/repos/*/reviews")
    with pytest.raises(UncertainWrite):
        account_by_pending(client, 1, (), repo.head)
    assert pull.reviews == []
