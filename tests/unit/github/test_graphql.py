"""GraphQL: errors come with status 200, a query may be asked again, and every document fits
GitHub's published schema."""

import pytest
from graphql import parse, validate

from reviewgate_gh.github import graphql
from reviewgate_gh.github.reading import (
    BadCredentials,
    Forbidden,
    GitHubUnreachable,
    MalformedAnswer,
    NotFound,
    Refused,
    UncertainWrite,
)
from tests.peers.github.graphql_engine import load_schema
from tests.peers.github.world import OUR_SCHEMA
from tests.unit.github.scripted import PAGE, Say, Server

DOCUMENTS = {
    name: text
    for name, text in vars(graphql).items()
    if name.isupper() and not name.startswith("_")
}
QUERY = "query Q($a: Int) { a }"
ANSWER = Say(200, {"data": {"a": 1, "doIt": {"a": 1}}})


def ask(client, changes):
    return client.mutation("doIt", {"b": 2}, "a") if changes else client.graphql(QUERY, {})


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_fits_the_schema(name):
    """The part of GitHub's that the fake has; tests/unit/peers/test_github_referee.py holds that
    against GitHub's own."""
    assert validate(load_schema(OUR_SCHEMA), parse(DOCUMENTS[name])) == []


def test_there_are_documents_and_a_wrong_one_is_found():
    assert len(DOCUMENTS) == 7
    assert len(validate(load_schema(OUR_SCHEMA), parse("query Bad { viewer { loginn } }"))) == 1


def test_data_is_what_comes(server: Server, client):
    server.say(Say(200, {"data": {"a": 1}, "errors": []}))
    assert client.graphql(QUERY, {"a": 2}).number("a") == 1
    assert str(server.seen[0]) == "POST /graphql" and server.seen[0].json() == {
        "query": QUERY,
        "variables": {"a": 2},
    }
    assert (client.requests.graphql, client.requests.reads, client.requests.writes) == (1, 0, 0)


@pytest.mark.parametrize("data", [None, {"a": None}, {"a": 1}])
@pytest.mark.parametrize(
    ("errors", "error"),
    [
        (
            [
                {
                    "type": "FORBIDDEN",
                    "message": "Resource not accessible by integration",
                    "path": ["a"],
                }
            ],
            Forbidden,
        ),
        ([{"type": "INSUFFICIENT_SCOPES", "message": "needs read:org"}], Forbidden),
        ([{"type": "NOT_FOUND", "message": "Could not resolve", "path": ["a"]}], NotFound),
        ([{"type": "NOT_FOUND", "message": "m"}, {"type": "FORBIDDEN", "message": "n"}], Forbidden),
        ([{"type": "NOT_FOUND", "message": "m"}, {"type": "OTHER", "message": "n"}], Refused),
        ([{"type": "UNPROCESSABLE", "message": "no"}], Refused),
        (
            [
                {
                    "message": "Field 'b' doesn't exist",
                    "locations": [{"line": 1, "column": 1}],
                    "extensions": {"code": "undefinedField"},
                }
            ],
            Refused,
        ),
    ],
)
def test_errors_are_refusals_whatever_data_comes_with_them(
    server: Server, client, clock, errors, error, data
):
    server.say(Say(200, {"data": data, "errors": errors}))
    with pytest.raises(Refused) as caught:
        client.graphql(QUERY, {})
    assert (
        type(caught.value) is error
        and errors[0]["message"] in caught.value.message
        and "query Q" in caught.value.message
    )
    assert len(server.seen) == 1 and clock.naps == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": None},
        [],
        {"data": {}, "errors": "text"},
        {"data": {}, "errors": [1]},
        {"data": {}, "errors": [None]},
    ],
)
def test_what_is_no_answer_is_malformed(server: Server, client, body):
    server.say(Say(200, body))
    with pytest.raises(MalformedAnswer):
        client.graphql(QUERY, {})["a"]


OWN = {
    "data": None,
    "errors": [
        {
            "message": (
                "Something went wrong while executing your query. This may be the result of a "
                "timeout."
            )
        }
    ],
}


@pytest.mark.parametrize(
    "fault",
    [Say(502, PAGE), Say(200, PAGE), Say(mode="reset"), Say(200, OWN)],
    ids=["502", "page", "reset", "own error"],
)
@pytest.mark.parametrize(
    ("changes", "tries", "error"), [(False, 4, GitHubUnreachable), (True, 3, UncertainWrite)]
)
def test_a_query_is_free_and_a_mutation_may_be_done_twice(
    server: Server, client, fault, changes, tries, error
):
    server.rule = lambda seen: fault
    with pytest.raises(error):
        ask(client, changes)
    assert len(server.seen) == tries == client.requests.graphql
    server.say(fault, ANSWER)
    assert ask(client, changes).number("a") == 1


def test_only_mutations_are_paced(server: Server, client, clock):
    server.rule = lambda seen: ANSWER
    for changes in (True, False, True, False):
        ask(client, changes)
    assert clock.naps == [1]


def test_http_refusals_are_the_same_as_of_rest(server: Server, client):
    server.say(
        Say(401, {"message": "Bad credentials"}), Say(403, {"message": "Resource not accessible"})
    )
    with pytest.raises(BadCredentials):
        client.graphql(QUERY, {})
    with pytest.raises(Forbidden):
        client.graphql(QUERY, {})
