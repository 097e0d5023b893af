"""One call and its answer: what is tried again, what is not, and how a write that may have landed
is told from one that has not."""

import socket
import time

import pytest

from reviewgate_gh.github.answer import RetryPolicy
from reviewgate_gh.github.reading import (
    BadCredentials,
    Forbidden,
    GitHubUnreachable,
    MalformedAnswer,
    NotFound,
    Refused,
    UncertainWrite,
    Unprocessable,
)
from reviewgate_gh.model.errors import Exit
from tests.unit.github.scripted import PAGE, TOKEN, Clock, Say, Seen, Server, opened, serving

GOOD = Say(200, {"id": 7})
FAULTS = {
    "500": Say(500, {"message": "Server Error"}),
    "502 page": Say(502, PAGE, {"content-type": "text/html"}),
    "503": Say(503, {}),
    "504": Say(504, b""),
    "408": Say(408, {}),
    "reset": Say(mode="reset"),
    "stall": Say(mode="stall"),
    "cut": Say(200, {"id": 7, "body": "x" * 100}, mode="cut"),
    "page": Say(200, PAGE, {"content-type": "text/html"}),
    "empty": Say(200, b""),
    "bad json": Say(200, b'{"id": 7, '),
    "too deep": Say(200, b"[" * 100_000),
    "text": Say(200, "text"),
    "no utf-8": Say(200, b'{"id": "\xff\xfe"}'),
    "wrong coding": Say(200, b"no gzip", {"content-encoding": "gzip"}),
}
TRIES = {"GET": 4, "PUT": 3, "PATCH": 3, "DELETE": 3, "POST": 1}


def call(client, method, path="/x"):
    return client.get(path) if method == "GET" else client.write(method, path, {"a": 1})


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", TRIES)
def test_a_lost_answer_is_asked_for_again_as_the_method_allows(server: Server, method, fault):
    clock = Clock(exchange=0.1 if fault == "stall" else 20)
    client = opened(server, clock)
    server.rule = lambda seen: FAULTS[fault]
    with pytest.raises(GitHubUnreachable if method == "GET" else UncertainWrite) as caught:
        call(client, method)
    assert [str(seen) for seen in server.seen] == [f"{method} /x"] * TRIES[method]
    assert clock.naps == [1, 2, 4][: TRIES[method] - 1]
    assert client.requests.total == TRIES[method]
    assert (
        caught.value.exit is Exit.UPSTREAM
        and caught.value.hint
        and f"{method} /x" in caught.value.message
    )


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", [method for method in TRIES if method != "POST"])
def test_one_lost_answer_harms_nothing(server: Server, method, fault):
    client = opened(server, Clock(exchange=0.1 if fault == "stall" else 20))
    server.say(FAULTS[fault], GOOD)
    assert call(client, method).number("id") == 7


@pytest.mark.parametrize("method", TRIES)
def test_what_never_left_may_be_tried_again_whatever_it_is(clock, method):
    with socket.socket() as taken:
        # Bound and not listening: nobody answers there, and nobody else can
        taken.bind(("127.0.0.1", 0))
        client = opened(
            type("Nowhere", (), {"url": f"http://127.0.0.1:{taken.getsockname()[1]}"}), clock
        )
        with pytest.raises(GitHubUnreachable) as caught:
            call(client, method)
    assert clock.naps == [1, 2, 4] and "no connection" in caught.value.message


def test_a_write_that_was_sent_once_stays_uncertain_whatever_comes_then(
    server: Server, client, clock
):
    def last_words(seen: Seen) -> Say:
        server.http.shutdown()
        server.http.server_close()
        return Say(502, {}, {"connection": "close"})

    server.rule = last_words
    with pytest.raises(UncertainWrite, match="no connection, 3 times"):
        client.write("PATCH", "/x", {})
    assert clock.naps == [1, 2]


def test_a_caller_can_ask_for_fewer_tries_than_its_method_has(server: Server, client):
    server.rule = lambda seen: FAULTS["502 page"]
    with pytest.raises(UncertainWrite):
        client.write("PATCH", "/x", {}, repeat=RetryPolicy.ONCE)
    assert len(server.seen) == 1


@pytest.mark.parametrize("mode", ["stall", "drip"])
def test_the_deadline_holds_against_silence_and_drops(server: Server, mode):
    server.rule = lambda seen: Say(200, {"id": 7, "body": "x" * 2000}, mode=mode)
    client = opened(server, Clock(), deadline=0.5)
    began = time.monotonic()
    with pytest.raises(GitHubUnreachable):
        client.get("/x")
    assert time.monotonic() - began < 10 and len(server.seen) == 1


def test_after_the_deadline_nothing_is_sent(server: Server, clock):
    server.rule = lambda seen: GOOD
    client = opened(server, clock, deadline=10)
    clock.now = 10.0
    for method in TRIES:
        with pytest.raises(GitHubUnreachable, match="10 s"):
            call(client, method)
    assert server.seen == []


@pytest.mark.parametrize(
    ("method", "error"),
    [("GET", GitHubUnreachable), ("POST", UncertainWrite), ("PATCH", UncertainWrite)],
)
def test_an_endless_answer_is_given_up_once(server: Server, client, method, error):
    server.rule = lambda seen: Say(
        200, {"id": 7}, {"content-length": str(1000 * 65536)}, mode="huge"
    )
    with pytest.raises(error, match="more than 50 MB"):
        call(client, method)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("say", "error", "said"),
    [
        (Say(401, {"message": "Bad credentials"}), BadCredentials, "Bad credentials"),
        (Say(404, {"message": "Not Found"}), NotFound, "Not Found"),
        (Say(410, {"message": "Issues are disabled"}), NotFound, "disabled"),
        (Say(409, {"message": "Conflict"}), Refused, "Conflict"),
        (
            Say(422, {"message": "Unprocessable Entity", "errors": ["Body is too long", "Second"]}),
            Unprocessable,
            "Body is too long; Second",
        ),
        (
            Say(
                422,
                {
                    "message": "Validation Failed",
                    "errors": [{"resource": "R", "field": "f", "code": "invalid"}],
                },
            ),
            Unprocessable,
            "R f invalid",
        ),
        (
            Say(
                422,
                {
                    "message": "V",
                    "errors": [{"resource": "R", "code": "custom", "message": "line must be"}],
                },
            ),
            Unprocessable,
            "line must be",
        ),
        (Say(422, {"message": "V", "errors": "one text"}), Unprocessable, "one text"),
        (Say(400, PAGE), Refused, "status 400"),
        (Say(403, PAGE), Forbidden, "status 403"),
        (Say(422, [1, 2]), Unprocessable, "status 422"),
    ],
)
@pytest.mark.parametrize("method", TRIES)
def test_a_refusal_is_final_and_keeps_github_s_words(
    server: Server, client, clock, method, say, error, said
):
    server.say(say)
    with pytest.raises(Refused) as caught:
        call(client, method)
    assert (
        type(caught.value) is error
        and said in caught.value.message
        and caught.value.status == say.status
    )
    assert len(server.seen) == 1 and caught.value.exit is Exit.UPSTREAM
    assert said.split(";")[
        0
    ].lower() in f"{caught.value.reason} {caught.value.errors}".lower() or said.startswith("status")


@pytest.mark.parametrize(
    ("headers", "permission", "hint"),
    [
        (
            {"x-accepted-github-permissions": "pull_requests=write"},
            "pull-requests: write",
            "lacks pull-requests: write: add it",
        ),
        (
            {"x-accepted-github-permissions": "pull_requests=write,contents=read; issues=write"},
            "pull-requests: write, contents: read or issues: write",
            "lacks",
        ),
        ({"x-accepted-oauth-scopes": "repo"}, "", "scopes repo"),
        ({"x-github-sso": "required; url=https://github.com/orgs/o/sso"}, "", "single sign-on"),
        ({}, "", "does not allow this"),
    ],
)
def test_a_permission_that_is_missing_is_named(server: Server, client, headers, permission, hint):
    server.say(
        Say(
            403,
            {"message": "Resource not accessible by integration"},
            {"x-ratelimit-remaining": "900", **headers},
        )
    )
    with pytest.raises(Forbidden) as caught:
        client.write("POST", "/x", {})
    assert caught.value.permission == permission and hint in caught.value.hint
    assert "Resource not accessible by integration" in caught.value.message


def test_without_a_token_the_hint_is_to_set_one(server: Server, clock):
    server.say(Say(401, {"message": "Requires authentication"}))
    with pytest.raises(BadCredentials) as caught:
        opened(server, clock, token="").get("/x")
    assert "GITHUB_TOKEN" in caught.value.hint and "authorization" not in server.seen[0].headers


def test_what_every_request_carries(server: Server, client, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login other password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    server.rule = lambda seen: GOOD
    client.get("/x", state="open", head="a b&c")
    client.write("POST", "/y", {"body": "\ud83d\ude00 \ud800"})
    read, written = server.seen
    assert read.path == "/x?head=a+b%26c&state=open"
    for seen in server.seen:
        assert seen.headers["authorization"] == f"token {TOKEN}"
        assert (
            seen.headers["x-github-api-version"] == "2022-11-28"
            and seen.headers["accept"] == "application/vnd.github+json"
        )
        assert seen.headers["user-agent"].startswith("reviewgate-gh/")
    assert written.headers["content-type"] == "application/json" and written.json()[
        "body"
    ].startswith("\U0001f600")


def test_writes_are_a_second_apart_and_reads_are_not(server: Server, client, clock):
    server.rule = lambda seen: GOOD
    for method in ("POST", "GET", "PATCH", "GET", "GET", "DELETE"):
        call(client, method)
    assert clock.naps == [1, 1]
    clock.now += 0.75
    call(client, "PUT")
    assert clock.naps == [1, 1, 0.25]
    assert (client.requests.reads, client.requests.writes, client.requests.graphql) == (3, 4, 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", TRIES)
def test_a_redirect_on_the_same_host(server: Server, client, method, status):
    server.say(
        Say(status, {"message": "Moved"}, {"location": f"{server.url}/repositories/1/x?page=2"}),
        GOOD,
    )
    if method == "GET" or status in (307, 308):
        assert call(client, method).number("id") == 7
        first, second = server.seen
        assert (
            second.path == "/repositories/1/x?page=2"
            and second.headers["authorization"] == f"token {TOKEN}"
        )
        assert (second.method, second.body) == (first.method, first.body)
    else:
        with pytest.raises(Refused) as caught:
            call(client, method)
        assert "new name" in caught.value.hint and len(server.seen) == 1


@pytest.mark.parametrize("status", [301, 302, 307])
@pytest.mark.parametrize("method", TRIES)
def test_no_other_host_sees_the_token_or_the_request(server: Server, client, method, status):
    with serving() as other:
        server.say(Say(status, {}, {"location": f"{other.url}/x"}))
        with pytest.raises(Refused, match="GitHub redirects") as caught:
            call(client, method)
        assert other.seen == [] and "another host" in caught.value.hint
        server.say(
            Say(status, {}, {"location": f"https://127.0.0.1:{server.url.rpartition(':')[2]}/x"})
        )
        with pytest.raises(Refused):
            call(client, method)


def test_redirects_in_a_ring_end(server: Server, client):
    server.rule = lambda seen: Say(302, {}, {"location": "/x"})
    with pytest.raises(Exception, match="in a loop"):
        client.get("/x")
    assert len(server.seen) == 6


@pytest.mark.parametrize("status", [300, 304])
def test_a_status_that_nobody_asked_for_is_no_answer(server: Server, client, status):
    server.say(Say(status, b""))
    with pytest.raises(MalformedAnswer):
        client.get("/x")


def test_an_answer_without_a_body_is_an_empty_object(server: Server, client):
    server.say(Say(204))
    assert client.write("DELETE", "/x").value == {}
