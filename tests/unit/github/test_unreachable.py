"""Whatever is wrong on the way to GitHub: one message says what, where and what next; a write that
never left is in no doubt."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewgate_gh.github import Client, open_github
from reviewgate_gh.github.reading import GitHubUnreachable, MalformedAnswer, Refused, UncertainWrite
from reviewgate_gh.system.environment import Environment
from tests.unit.github.scripted import PAGE, TOKEN, Clock, Say, Server, opened
from tests.unit.system.safe import listening, safe_server

ADDRESS = "GITHUB_API_URL"


@pytest.fixture
def nobody() -> Iterator[int]:
    """A port that is bound and not listened to: nobody answers there, and nobody else can."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def at(url: str, clock: Clock) -> Client:
    return open_github(
        Environment({"GITHUB_API_URL": url, "GITHUB_TOKEN": TOKEN}, Path.cwd()),
        "octo/repo",
        timing=clock.timing,
    )


def unsent(client: Client, clock: Clock, host: str, tries: int) -> str:
    """The message and the hint, the same for a read and for a write."""
    told = []
    for ask in (lambda: client.get("/x"), lambda: client.write("POST", "/x", {})):
        clock.naps.clear()
        with pytest.raises(GitHubUnreachable) as caught:
            ask()
        assert (
            f"GitHub at {host} did not answer" in caught.value.message
            and " /x: " in caught.value.message
        )
        assert len([nap for nap in clock.naps if nap]) >= tries - 1 and (
            tries > 1 or "times" not in caught.value.message
        )
        told.append(f"{caught.value.message.partition(' /x: ')[2]} | {caught.value.hint}")
    assert told[0] == told[1] and TOKEN not in told[0]
    return told[0]


def test_nobody_there(clock, nobody):
    told = unsent(at(f"http://127.0.0.1:{nobody}", clock), clock, "127.0.0.1", 4)
    assert told.startswith("no connection, 4 times | ") and ADDRESS in told


def test_a_name_that_is_none(clock):
    told = unsent(at("https://nowhere.invalid", clock), clock, "nowhere.invalid", 4)
    assert told.startswith("no connection, 4 times | ") and ADDRESS in told


def test_a_proxy_that_lets_nothing_through(clock, nobody, monkeypatch):
    monkeypatch.setenv("https_proxy", f"http://me:hidden-word@127.0.0.1:{nobody}")
    told = unsent(at("https://github.example", clock), clock, "github.example", 4)
    assert told == "the proxy refused the connection, 4 times | check HTTPS_PROXY and NO_PROXY"


def test_a_proxy_s_address_that_is_none(clock, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://")
    told = unsent(at("https://github.example", clock), clock, "github.example", 4)
    assert told == "the proxy refused the connection, 4 times | check HTTPS_PROXY and NO_PROXY"


def test_a_certificate_that_nobody_knows(clock, tmp_path, monkeypatch):
    with safe_server(tmp_path) as safe:
        client = at(f"https://127.0.0.1:{safe.port}", clock)
        told = unsent(client, clock, "127.0.0.1", 1)
        assert told == (
            "the server's TLS certificate is not trusted | set REQUESTS_CA_BUNDLE to the "
            "file of its certificate authority"
        )
        assert safe.sent == []
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(safe.certificate))
        assert client.get("/x").maybe("id") is None


def test_a_file_of_authorities_that_is_not_there(clock, tmp_path, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "nothing.pem"))
    told = unsent(at("https://127.0.0.1:9", clock), clock, "127.0.0.1", 1)
    assert told == (
        "the file of trusted certificate authorities does not exist | check "
        "REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE"
    )


def test_what_is_no_tls_is_asked_once(server: Server, clock):
    with pytest.raises(GitHubUnreachable) as caught:
        at(server.url.replace("http:", "https:"), clock).get("/x")
    assert (
        "TLS handshake failed" in caught.value.message
        and ADDRESS in caught.value.hint
        and clock.naps == []
    )


def test_a_handshake_that_is_cut_is_tried_again(clock):
    with (
        listening(lambda connection: connection.recv(100_000)) as port,
        pytest.raises(GitHubUnreachable, match="connection was lost, 4 times"),
    ):
        at(f"https://127.0.0.1:{port}", clock).get("/x")


FAULTS = {
    "500": (Say(500, {}), "status 500"),
    "page": (Say(200, PAGE), "status 200 with a web page"),
    "reset": (Say(mode="reset"), "the connection was lost"),
    "stall": (Say(mode="stall"), "no complete answer within"),
    "cut": (Say(200, {"body": "x" * 100}, mode="cut"), "the connection was lost"),
    "huge": (Say(200, {}, {"content-length": str(1000 * 65536)}, mode="huge"), "more than 50 MB"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_answer_that_is_lost(server: Server, method, fault):
    say, words = FAULTS[fault]
    server.rule = lambda seen: say
    client = opened(server, Clock(exchange=0.3 if fault == "stall" else 20))
    with pytest.raises(GitHubUnreachable if method == "GET" else UncertainWrite) as caught:
        client.get("/x") if method == "GET" else client.write(method, "/x", {})
    assert (
        words in caught.value.message
        and f"{method} /x" in caught.value.message
        and "127.0.0.1" in caught.value.message
    )
    assert caught.value.hint


@pytest.mark.parametrize(
    "say",
    [Say(300), Say(200, []), Say(302, {}, {"location": "/x"})],
    ids=["status", "shape", "ring"],
)
def test_an_answer_that_makes_no_sense(server: Server, client, say):
    server.rule = lambda seen: say
    with pytest.raises(Exception, match="/x") as caught:
        client.get("/x").text("name")
    assert caught.value.hint and (
        isinstance(caught.value, MalformedAnswer) or "in a loop" in caught.value.message
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422])
def test_every_refusal_has_a_next_step(server: Server, client, status):
    server.say(Say(status, {"message": "no"}))
    with pytest.raises(Refused) as caught:
        client.write("POST", "/x", {})
    assert caught.value.hint
