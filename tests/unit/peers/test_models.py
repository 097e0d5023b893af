"""The two stand-ins for model vendors: what they say, in whose shape, and what they keep of a
request."""

import json
import time
import urllib.error
import urllib.request

import pytest

from tests.peers import aimock as mock
from tests.peers.aimock import Aimock, error, row
from tests.peers.model_server import ModelServer, Say, Spoken

TEXT = "What do you say?"
CHAT = {"model": "m", "messages": [{"role": "user", "content": TEXT}]}
REQUESTS = {
    "openai": ("/chat/completions", CHAT),
    "anthropic": ("/v1/messages", {**CHAT, "max_tokens": 9}),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": TEXT}]}]},
    ),
}
WHERE = {"openai": ("choices", 0, "message", "content"), "anthropic": ("content", 0, "text"),
         "gemini": ("candidates", 0, "content", "parts", 0, "text")}  # fmt: skip
WHY = {
    "openai": ("choices", 0, "finish_reason"),
    "anthropic": ("stop_reason",),
    "gemini": ("candidates", 0, "finishReason"),
}
USED = {
    "openai": ("usage", "prompt_tokens"),
    "anthropic": ("usage", "input_tokens"),
    "gemini": ("usageMetadata", "promptTokenCount"),
}
each_dialect = pytest.mark.parametrize("dialect", REQUESTS)


def post(url: str, data: object, **headers: str) -> bytes:
    request = urllib.request.Request(
        url, json.dumps(data).encode(), {"content-type": "application/json", **headers}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        request, timeout=20
    ) as answer:
        return answer.read()


def say(server: Aimock | ModelServer, dialect: str, **more) -> dict:
    path, request = REQUESTS[dialect]
    return json.loads(post(f"{server.url(dialect)}{path}", {**request, **more}))


def at(data, path):
    for part in path:
        data = data[part]
    return data


@each_dialect
@pytest.mark.peer
def test_aimock_says_what_its_fixtures_have(aimock: Aimock, dialect):
    aimock.add(row("first", "do you"), row("other"))
    assert at(say(aimock, dialect), WHERE[dialect]) == "first"
    assert [entry["path"] for entry in aimock.journal()] == [
        f"{aimock.url(dialect).removeprefix(aimock.root)}{REQUESTS[dialect][0]}"
    ]


@pytest.mark.peer
def test_aimock_is_strict_and_fails_as_told(aimock: Aimock):
    with pytest.raises(urllib.error.HTTPError, match="503"):
        say(aimock, "openai")
    aimock.add(row(error(429, retry_after=7)))
    with pytest.raises(urllib.error.HTTPError) as caught:
        say(aimock, "openai")
    assert caught.value.code == 429 and caught.value.headers["retry-after"] == "7"
    aimock.reset()
    aimock.add(row("fine"))
    aimock.chaos(dropRate=1)
    with pytest.raises(urllib.error.HTTPError, match="500"):
        say(aimock, "openai")
    aimock.chaos()
    assert at(say(aimock, "openai"), WHERE["openai"]) == "fine" and len(aimock.journal()) == 2


@pytest.mark.peer
def test_aimock_of_its_own_takes_only_its_keys():
    if not mock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with mock.serving(row("fine"), keys="good") as server:
        with pytest.raises(urllib.error.HTTPError, match="401"):
            say(server, "openai")
        assert b"fine" in post(
            f"{server.url('openai')}/chat/completions", CHAT, authorization="Bearer good"
        )


@each_dialect
def test_the_model_server_answers_a_function_s_text(model_server: ModelServer, dialect):
    model_server.answer = lambda asked: f"{asked.dialect}: {asked.prompt}"
    answer = say(model_server, dialect, note="x" * 100_000)
    assert (
        at(answer, WHERE[dialect]) == f"{dialect}: {TEXT}"
        and at(answer, USED[dialect]) == len(TEXT) // 4
    )
    [asked] = model_server.requests
    assert (
        asked.json()["note"] == "x" * 100_000
        and asked.headers["content-type"] == "application/json"
    )
    model_server.plan(Spoken("half", "length"), Spoken("no", "filter"), "whole")
    assert [at(say(model_server, dialect), WHY[dialect]) for _ in range(3)] == {
        "openai": ["length", "content_filter", "stop"],
        "anthropic": ["max_tokens", "refusal", "end_turn"],
        "gemini": ["MAX_TOKENS", "SAFETY", "STOP"],
    }[dialect]


def test_the_model_server_forces_tools_streams_and_breaks(model_server: ModelServer):
    model_server.answer = '{"a": 1}'
    tool = say(
        model_server, "anthropic", tools=[{"name": "t"}], tool_choice={"type": "tool", "name": "t"}
    )
    assert tool["content"] == [
        {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"a": 1}}
    ]
    for dialect, last in (
        ("openai", b"data: [DONE]\n\n"),
        ("anthropic", b'data: {"type": "message_stop"}\n\n'),
    ):
        path, request = REQUESTS[dialect]
        events = post(f"{model_server.url(dialect)}{path}", {**request, "stream": True})
        assert b'{\\"a\\": 1}' in events and events.endswith(last)
    model_server.answer = lambda asked: Say(418, "tea", mode="cut")
    with pytest.raises(urllib.error.HTTPError, match="418"):
        say(model_server, "openai")
    model_server.plan(Say(mode="reset"), "{}")
    with pytest.raises(OSError, match=r"."):
        say(model_server, "openai")
    model_server.latency = 0.2
    began = time.monotonic()
    say(model_server, "openai")
    assert time.monotonic() - began >= 0.2 and model_server.most_at_once == 1
