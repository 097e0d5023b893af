"""What PyGithub would do on its own, and does not here: its traps, one by one.

What needs a real server, cut answers and silence, is in test_sending.py."""

import json
import logging
from pathlib import Path

import pytest
import responses
from github.Requester import HTTPSRequestsConnectionClass, Requester
from responses import matchers

from reviewgate_gh.github import Client, open_github
from reviewgate_gh.github.reading import (
    GitHubUnreachable,
    MalformedAnswer,
    RateLimited,
    Refused,
    UncertainWrite,
    Unprocessable,
)
from reviewgate_gh.system.environment import Environment
from tests.unit.github.scripted import TOKEN, Clock

PUBLIC, ENTERPRISE = "https://api.github.com", "https://ghe.example/api/v3"
QUERY = "query Q { a }"
SECONDARY = "You have exceeded a secondary rate limit."


@pytest.fixture
def calls():
    with responses.RequestsMock() as found:
        yield found


@pytest.fixture
def client(clock: Clock) -> Client:
    return opened(clock)


def opened(clock: Clock, **env: str) -> Client:
    return open_github(
        Environment({"GITHUB_TOKEN": TOKEN, **env}, Path.cwd()),
        "octo/repo",
        deadline=100,
        timing=clock.timing,
    )


def test_a_read_that_is_accepted_for_later_is_asked_once(calls, client, clock):
    calls.get(f"{PUBLIC}/x", json={"id": 7}, status=202)
    assert client.get("/x").number("id") == 7
    assert len(calls.calls) == 1 and clock.naps == []


def test_a_redirected_read_keeps_its_query(calls, client):
    there = f"{PUBLIC}/repositories/1/x?per_page=1"
    calls.get(f"{PUBLIC}/x", status=301, headers={"location": there})
    calls.get(there, json={"id": 7}, match=[matchers.query_param_matcher({"per_page": "1"})])
    assert client.get("/x", per_page=1).number("id") == 7


@pytest.mark.parametrize("status", [301, 302])
def test_a_write_is_not_sent_on(calls, client, status):
    calls.post(f"{PUBLIC}/x", status=status, headers={"location": f"{PUBLIC}/repositories/1/x"})
    with pytest.raises(Refused, match="redirects"):
        client.write("POST", "/x", {})
    assert len(calls.calls) == 1


@pytest.mark.parametrize("code", [403, 429])
def test_a_write_waits_for_a_rate_limit(calls, client, clock, code):
    calls.post(
        f"{PUBLIC}/x", json={"message": SECONDARY}, status=code, headers={"retry-after": "3"}
    )
    calls.post(f"{PUBLIC}/x", json={"id": 7}, status=201)
    assert client.write("POST", "/x", {}).number("id") == 7 and clock.naps == [3]


@pytest.mark.parametrize("status", [500, 502])
def test_a_write_whose_answer_is_lost_is_not_sent_again(calls, client, status):
    calls.post(f"{PUBLIC}/x", status=status)
    with pytest.raises(UncertainWrite):
        client.write("POST", "/x", {})
    assert len(calls.calls) == 1


def test_a_query_whose_answer_is_lost_is(calls, client, clock):
    calls.post(f"{PUBLIC}/graphql", status=502)
    calls.post(f"{PUBLIC}/graphql", json={"data": {"a": 1}})
    assert client.graphql(QUERY, {}).number("a") == 1 and clock.naps == [1]


def test_reads_by_graphql_are_not_paced_as_writes(calls, client, clock):
    calls.post(f"{PUBLIC}/graphql", json={"data": {"a": 1}})
    for _ in range(3):
        client.graphql(QUERY, {})
    assert clock.naps == []


@pytest.mark.parametrize("page", ["<html></html>", "", "sorry"], ids=["page", "empty", "text"])
def test_what_is_not_json_is_no_answer(calls, client, page):
    calls.get(f"{PUBLIC}/x", body=page)
    with pytest.raises(GitHubUnreachable, match="4 times"):
        client.get("/x")


@pytest.mark.parametrize("body", [[1, 2], {"message": 5}, {"errors": "x"}, "x", None], ids=repr)
def test_an_odd_refusal_is_a_refusal(calls, client, body):
    calls.post(f"{PUBLIC}/x", json=body, status=422)
    with pytest.raises(Unprocessable):
        client.write("POST", "/x", {})


@pytest.mark.parametrize("name", ["remaining", "reset", "limit"])
@pytest.mark.parametrize("value", ["soon", "inf", "-1", "1.5", ""])
def test_counts_that_are_no_numbers_are_passed_over(calls, client, name, value):
    good = {f"x-ratelimit-{each}": "5" for each in ("remaining", "reset", "limit")}
    calls.get(f"{PUBLIC}/x", json={"id": 7}, headers={**good, f"x-ratelimit-{name}": value})
    assert client.get("/x").number("id") == 7


@pytest.mark.parametrize(
    "answer",
    [
        {"data": {"doIt": None}},
        {"data": None},
        {"data": []},
        {},
        [],
        {"data": {}, "errors": None},
        {"data": {}, "errors": [7]},
    ],
    ids=repr,
)
def test_what_graphql_cannot_have_meant_is_an_error_of_ours(calls, client, answer):
    calls.post(f"{PUBLIC}/graphql", json=answer)
    with pytest.raises(MalformedAnswer):
        client.mutation("doIt", {}, "a")["a"]
    with pytest.raises(MalformedAnswer):
        client.graphql(QUERY, {})["a"]


def test_a_mutation_names_its_input_as_the_schema_does(calls, client):
    calls.post(f"{PUBLIC}/graphql", json={"data": {"minimizeComment": {"a": 1}}})
    assert client.mutation("minimizeComment", {"subjectId": "x"}, "a").number("a") == 1
    sent = json.loads(calls.calls[0].request.body)
    assert sent["variables"] == {"input": {"subjectId": "x"}}
    assert (
        "($input: MinimizeCommentInput!) { minimizeComment(input: $input) { a } }" in sent["query"]
    )


def test_the_next_page_is_asked_for_below_the_same_root(calls, clock):
    client = opened(clock, GITHUB_API_URL=ENTERPRISE)
    link = {"link": f'<{ENTERPRISE}/repositories/1/x?page=2&per_page=1>; rel="next"'}
    calls.get(f"{ENTERPRISE}/x", json=[{"id": 1}], headers=link)
    calls.get(f"{ENTERPRISE}/repositories/1/x", json=[{"id": 2}])
    assert [each.number("id") for each in client.pages("/x", per_page=1).items] == [1, 2]
    assert calls.calls[1].request.url.endswith("/repositories/1/x?page=2&per_page=1")


def test_the_next_page_is_not_asked_for_beside_it(calls, clock):
    client = opened(clock, GITHUB_API_URL=ENTERPRISE)
    link = {"link": '<https://ghe.example/other/x?page=2>; rel="next"'}
    calls.get(f"{ENTERPRISE}/x", json=[{"id": 1}], headers=link)
    with pytest.raises(MalformedAnswer, match="leads to another"):
        client.pages("/x", per_page=1)


def test_a_link_to_two_slashes_is_a_path(calls, client):
    link = {"link": f'<{PUBLIC}//evil.example/x?page=2>; rel="next"'}
    calls.get(f"{PUBLIC}/x", json=[{"id": 1}], headers=link)
    calls.get(f"{PUBLIC}//evil.example/x", json=[{"id": 2}])
    client.pages("/x", per_page=1)
    assert {each.request.url.split("/")[2] for each in calls.calls} == {"api.github.com"}


def test_graphql_may_be_at_an_address_of_its_own(calls, clock):
    client = opened(clock, GITHUB_GRAPHQL_URL="http://127.0.0.1:9/far/graphql")
    calls.post("http://127.0.0.1:9/far/graphql", json={"data": {"a": 1}})
    calls.get(f"{PUBLIC}/x", json={"id": 7})
    assert client.graphql(QUERY, {}).number("a") == 1 and client.get("/x").number("id") == 7
    assert client.requests.total == 2


def test_others_who_use_pygithub_in_this_process_keep_its_connections(calls, clock):
    calls.get(f"{PUBLIC}/x", json={"id": 7})
    opened(clock).get("/x")
    assert Requester._Requester__httpsConnectionClass is HTTPSRequestsConnectionClass


def test_a_log_of_everything_shows_no_token(calls, client, caplog):
    caplog.set_level(logging.DEBUG)
    calls.get(f"{PUBLIC}/x", json={"id": 7})
    calls.get(f"{PUBLIC}/y", json={"message": "Bad credentials"}, status=401)
    client.get("/x")
    with pytest.raises(Refused) as caught:
        client.get("/y")
    assert TOKEN not in caplog.text + caught.value.message + repr(caught.value.__context__)


def test_a_limit_of_a_write_beyond_the_run_is_not_slept_through(calls, client, clock):
    calls.post(f"{PUBLIC}/x", json={"message": SECONDARY}, status=403)
    with pytest.raises(RateLimited):
        client.write("POST", "/x", {})
    assert clock.naps == [60] and len(calls.calls) == 2
