"""The door to model APIs: faults on the way, how often is asked, how long is waited, and what the
key sees."""

import contextlib
import gzip
import os
import socket
import threading
import time
import tracemalloc
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reviewgate_gh.reviewers.apis import _client
from reviewgate_gh.reviewers.apis._client import (
    ModelRequest,
    RetryTiming,
    SendResult,
    send_with_retries,
)
from tests.peers.model_server import Answer, ModelServer, Say, serving
from tests.unit.system.safe import safe_server

KEY = "key-0123456789abcdef"
GOOD = Say(200, {"good": True})
PAGE = b"<!DOCTYPE html><title>Bad gateway</title>"


@dataclass
class Clock:
    """Time that only waiting moves."""

    chance: float = 0.0
    now: float = 0.0
    naps: list[float] = field(default_factory=list)

    @property
    def pace(self) -> RetryTiming:
        return RetryTiming(lambda: self.now, self.sleep, lambda: self.chance)

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def ask(
    server: ModelServer | str, clock: Clock | None = None, seconds: float = 60, **headers: str
) -> SendResult:
    url = server if isinstance(server, str) else f"{server.url('openai')}/chat/completions"
    request = ModelRequest(url, headers or {"Authorization": f"Bearer {KEY}"}, b'{"messages": []}')
    pace = clock.pace if clock else RetryTiming()
    return send_with_retries(request, seconds, pace)


# What happens, how often is asked in all, the pauses between, and what comes of it: a status, or
# words.
FAULTS: dict[str, tuple[Answer, int, list[float], int | str]] = {
    "429": (Say(429, {}), 4, [0.5, 1, 2], 429),
    "429 with retry-after": (Say(429, {}, {"retry-after": "7"}), 4, [7, 7, 7], 429),
    "429 for too long": (Say(429, {}, {"retry-after": "61"}), 1, [], 429),
    "429 in milliseconds": (Say(429, {}, {"retry-after-ms": "1500"}), 4, [1.5, 1.5, 2], 429),
    "429 without credit": (Say(429, {"error": {"code": "insufficient_quota"}}), 1, [], 429),
    "500": (Say(500, {"error": {"message": "oops"}}), 4, [0.5, 1, 2], 500),
    "502 page": (Say(502, PAGE, {"content-type": "text/html"}), 4, [0.5, 1, 2], 502),
    "503 with retry-after": (Say(503, {}, {"retry-after": "3"}), 4, [3, 3, 3], 503),
    "504": (Say(504, b""), 4, [0.5, 1, 2], 504),
    "529": (Say(529, {"type": "error"}), 4, [0.5, 1, 2], 529),
    "reset": (Say(mode="reset"), 4, [0.5, 1, 2], "the connection was lost"),
    "cut": (Say(200, {"text": "x" * 100}, mode="cut"), 4, [0.5, 1, 2], "the connection was lost"),
    "wrong coding": (
        Say(200, b"no gzip", {"content-encoding": "gzip"}),
        4,
        [0.5, 1, 2],
        "the connection was lost",
    ),
    "huge": (Say(200, mode="huge"), 1, [], "more than 16 MB"),
    "redirect": (Say(307, b"", {"location": "http://127.0.0.1:9/elsewhere"}), 1, [], 307),
    "moved": (Say(301, b"", {"location": "/other"}), 1, [], 301),
    "400": (Say(400, {"error": {"message": "no"}}), 1, [], 400),
    "401": (Say(401, {}), 1, [], 401),
    "403": (Say(403, {}), 1, [], 403),
    "404": (Say(404, {}), 1, [], 404),
    "408": (Say(408, {}), 1, [], 408),
    "413": (Say(413, {}), 1, [], 413),
    "no json": (Say(200, PAGE, {"content-type": "text/html"}), 1, [], 200),
    "an error in a good answer": (Say(200, {"error": {"message": "died"}}), 1, [], 200),
    "empty": (Say(200, b""), 1, [], 200),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_outcome_and_number_of_tries(model_server: ModelServer, clock, name):
    fault, tries, naps, outcome = FAULTS[name]
    model_server.answer = lambda asked: fault
    heard = ask(model_server, clock)
    assert (
        (heard.answer.status if heard.answer else 0) == outcome
        if isinstance(outcome, int)
        else outcome in heard.error
    )
    assert (heard.tries, len(model_server.requests), clock.naps) == (
        tries,
        tries,
        naps,
    ) and not heard.deadline_passed
    assert heard.wait == (61 if name == "429 for too long" else 0)


@pytest.mark.parametrize("name", [name for name, (_, tries, *_) in FAULTS.items() if tries > 1])
def test_one_fault_harms_nothing(model_server: ModelServer, clock, name):
    model_server.plan(FAULTS[name][0], GOOD)
    heard = ask(model_server, clock)
    assert heard.answer and heard.answer.body == GOOD.data and heard.tries == 2


def test_who_failed_together_does_not_come_together(model_server: ModelServer):
    naps = []
    for chance in (0.0, 0.9):
        clock = Clock(chance=chance)
        model_server.plan(Say(429, {}, {"retry-after": "5"}), GOOD)
        assert ask(model_server, clock).tries == 2
        naps += clock.naps
    assert naps == [5.0, 5.9]


def test_no_pause_goes_beyond_the_deadline(model_server: ModelServer, clock):
    model_server.answer = lambda asked: Say(503, {})
    heard = ask(model_server, clock, seconds=2)
    assert (
        clock.naps == [0.5, 1] and heard.tries == 3 and heard.answer and heard.answer.status == 503
    )


@pytest.mark.parametrize("mode", ["stall", "drip"])
def test_the_deadline_holds_against_silence_and_drops(model_server: ModelServer, mode):
    model_server.answer = lambda asked: Say(200, {"text": "x" * 2000}, mode=mode)
    began = time.monotonic()
    heard = ask(model_server, seconds=0.5)
    assert (
        heard.deadline_passed
        and heard.answer is None
        and heard.tries == 1
        and len(model_server.requests) == 1
    )
    assert time.monotonic() - began < 20


def test_a_late_answer_is_none(model_server: ModelServer):
    model_server.latency = 30
    assert ask(model_server, seconds=0.3).deadline_passed


def test_after_the_deadline_nothing_is_sent(model_server: ModelServer, clock):
    heard = ask(model_server, clock, seconds=0)
    assert heard.deadline_passed and heard.tries == 0 and model_server.requests == []


def test_nobody_there(clock):
    with socket.socket() as taken:
        # Bound and not listening: nobody answers there, and nobody else can
        taken.bind(("127.0.0.1", 0))
        heard = ask(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", clock)
    assert (
        heard.tries == 4
        and heard.error == "no connection: check `url`, and that the server is running"
    )


def test_a_name_that_is_none(clock):
    assert "no connection" in ask("http://nowhere.invalid/v1", clock).error


def test_a_certificate_that_nobody_knows_is_final_until_its_authority_is_named(
    tmp_path: Path, clock, monkeypatch
):
    with safe_server(tmp_path) as safe:
        heard = ask(f"https://127.0.0.1:{safe.port}/v1", clock)
        assert heard.tries == 1 and "REQUESTS_CA_BUNDLE" in heard.error and safe.sent == []
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(safe.certificate))
        heard = ask(f"https://127.0.0.1:{safe.port}/v1", clock)
    assert heard.answer and heard.answer.body == b"{}" and KEY.encode() in safe.sent[0]


def test_what_is_no_tls_is_final(clock, model_server: ModelServer):
    heard = ask(model_server.root.replace("http:", "https:"), clock)
    assert (
        heard.tries == 1 and "the server uses https" in heard.error and model_server.requests == []
    )


def test_no_other_host_sees_the_key(model_server: ModelServer, clock):
    with serving() as other:
        model_server.answer = lambda asked: Say(
            307, b"", {"location": f"{other.root}/v1/chat/completions"}
        )
        assert ask(model_server, clock).answer.status == 307
        assert other.requests == [] and len(model_server.requests) == 1


def test_what_every_question_carries(model_server: ModelServer, monkeypatch, tmp_path, clock):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login other password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    ask(model_server, clock, **{"x-api-key": KEY})
    [asked] = model_server.requests
    assert asked.headers["x-api-key"] == KEY and "authorization" not in asked.headers
    assert asked.headers["content-type"] == "application/json" and asked.headers[
        "user-agent"
    ].startswith("reviewgate-gh/")
    assert asked.body == b'{"messages": []}' and asked.method == "POST"


@pytest.mark.parametrize("key", ["two\r\nx-evil: lines", "\u20ac\u20ac\u20ac\u20ac"])
def test_a_key_that_is_no_word_is_not_sent_and_not_shown(model_server: ModelServer, clock, key):
    heard = ask(model_server, clock, Authorization=f"Bearer {key}")
    assert heard.tries == 1 and "the key is a single word" in heard.error and key not in heard.error
    assert model_server.requests == []


def test_a_proxy_of_the_environment_is_used_and_its_silence_is_told(
    model_server: ModelServer, monkeypatch, clock
):
    monkeypatch.setenv("http_proxy", model_server.root)
    model_server.answer = lambda asked: GOOD
    heard = ask("http://models.example/v1/chat/completions", clock)
    assert heard.answer and heard.answer.status == 200
    assert model_server.requests[0].path == "http://models.example/v1/chat/completions"
    monkeypatch.setenv("http_proxy", "http://me:hidden-word@127.0.0.1:9")
    heard = ask("http://models.example/v1/chat/completions", clock)
    assert (
        heard.tries == 4
        and "the proxy refused the connection" in heard.error
        and "hidden-word" not in heard.error
    )


def test_no_proxy_sees_what_is_sent_on_this_machine(model_server: ModelServer, monkeypatch, clock):
    """It would read a key that goes without https:// for that reason alone."""
    with serving() as proxy:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.root)
        model_server.answer = lambda asked: GOOD
        for host in ("127.0.0.1", "localhost"):
            heard = ask(
                f"{model_server.root.replace('127.0.0.1', host)}/v1/chat/completions", clock
            )
            assert heard.answer and heard.answer.status == 200
        assert proxy.requests == []


@pytest.mark.parametrize("url", ["https://models.example/v1", "http://models.example/v1"])
def test_a_proxy_that_wants_a_login_is_not_asked_again(monkeypatch, clock, url):
    tries = []

    def answer(proxy: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = proxy.accept()
                tries.append(caller.recv(65536))
                caller.sendall(
                    b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
                )
                caller.close()

    with socket.create_server(("127.0.0.1", 0)) as proxy:
        thread = threading.Thread(target=answer, args=(proxy,), daemon=True)
        thread.start()
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        heard = ask(url, clock)
        proxy.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    assert heard.tries == len(tries) == 1
    assert (
        heard.error
        == "the proxy requires authentication: check the user name and password in HTTPS_PROXY"
        or (heard.answer and heard.answer.status == 407)
    )


@pytest.mark.parametrize("layers", [1, 2])
def test_what_is_packed_small_takes_no_memory(model_server: ModelServer, clock, layers):
    """A gigabyte in a megabyte, or in a kilobyte."""
    packed = gzip.compress(bytes(1_000_000)) * 1000
    body = packed if layers == 1 else gzip.compress(packed)
    model_server.answer = lambda asked: Say(
        200, body, {"content-encoding": ", ".join(["gzip"] * layers)}
    )
    tracemalloc.start()
    heard = ask(model_server, clock)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (heard.tries, heard.answer) == (1, None) and "more than 16 MB" in heard.error
    assert peak < 64_000_000, peak


def test_a_large_question_arrives_whole(model_server: ModelServer):
    body = os.urandom(500_000).hex().encode()
    model_server.answer = lambda asked: GOOD
    request = ModelRequest(f"{model_server.root}/chat/completions", {}, body)
    heard = send_with_retries(request, 60, RetryTiming())
    assert heard.answer and model_server.requests[0].body == body


def test_the_cap_is_far_above_any_answer():
    assert _client.MAX_ANSWER_BYTES == 16_000_000
