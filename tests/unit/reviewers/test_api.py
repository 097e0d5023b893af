"""A model by its API: what the config may say, what is asked, and what comes back, from a server on
loopback."""

import base64
import json
from pathlib import Path

import pytest

from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.model.question import Prompt
from reviewgate_gh.model.review import NO_USAGE, ReviewStatus, Usage
from reviewgate_gh.reviewers import api
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.reviewers.api import Price
from reviewgate_gh.reviewers.apis._client import RetryTiming
from reviewgate_gh.system.environment import Environment
from reviewgate_gh.text.config_file import validate_settings
from tests.peers.model_server import ModelServer, Say, Spoken

KEY = "sk-test-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
NAME = "MY_MODEL_KEY"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
PROMPT = Prompt("Rules and diff.\n", "Lens.", SCHEMA)
TEXT = '{"verdict": "pass"}'
DIALECTS = ("openai", "responses", "anthropic", "gemini")
PATHS = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/big-1:generateContent",
}
LOGINS = {
    "openai": {"authorization": f"Bearer {KEY}"},
    "responses": {"authorization": f"Bearer {KEY}"},
    "anthropic": {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
    "gemini": {"x-goog-api-key": KEY},
}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
HASTE = RetryTiming(sleep=lambda seconds: None)


def options(server: ModelServer | None, dialect="openai", **more) -> api.Options:
    where = {"url": server.url(dialect)} if server else {}
    return api.Options(**{"dialect": dialect, "model": "big-1", "key": NAME, **where, **more})


def seat(key: str | None = KEY, timeout: float = 30) -> ModelContext:
    return ModelContext(Environment({} if key is None else {NAME: key}, Path.cwd()), timeout)


def ask(chosen: api.Options, prompt: Prompt = PROMPT, **more):
    return api.ask(prompt, chosen, seat(**more), HASTE)


@each_dialect
def test_one_question_and_its_answer(model_server: ModelServer, dialect):
    model_server.answer = TEXT
    reply = ask(options(model_server, dialect))
    assert (reply.status, reply.text, reply.error) == (ReviewStatus.OK, TEXT, "")
    assert reply.usage == Usage(1, len(PROMPT.text) // 4, 0, 0, 100)
    [asked] = model_server.requests
    assert asked.path == PATHS[dialect] and asked.prompt == PROMPT.text
    assert {name: asked.headers.get(name) for name in LOGINS[dialect]} == LOGINS[dialect]
    assert KEY.encode() not in asked.body and KEY not in asked.path


@each_dialect
@pytest.mark.req("R003-072")
def test_an_answer_is_that_of_the_model_in_the_config_whatever_it_calls_itself(
    model_server: ModelServer, dialect
):
    model_server.answer = lambda asked: Spoken(
        TEXT.replace("pass", "pass, says GPT-9"), model="gpt-9-turbo"
    )
    reply = ask(options(model_server, dialect))
    assert (reply.status, reply.model, reply.endpoint) == (
        ReviewStatus.OK,
        "big-1",
        model_server.url(dialect),
    )


@each_dialect
def test_what_came_from_a_cache_is_counted_apart(model_server: ModelServer, dialect):
    model_server.answer = lambda asked: Spoken(TEXT, input=1000, cached=900, written=50, output=7)
    written = 50 if dialect == "anthropic" else 0
    assert ask(options(model_server, dialect)).usage == Usage(1, 1000, 900, written, 7)
    priced = ask(
        options(model_server, dialect, price=Price(input=2, output=10, cached=0.2, written=2.5))
    )
    assert priced.usage.cost == pytest.approx(
        ((100 - written) * 2 + 900 * 0.2 + written * 2.5 + 70) / 1_000_000
    )


@each_dialect
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Spoken(TEXT, "length"), ReviewStatus.UNPARSABLE),
        (Spoken(TEXT, "filter"), ReviewStatus.FAILED),
        (Spoken("I can't help with that.", "refusal"), ReviewStatus.FAILED),
        (Spoken(TEXT, "other"), ReviewStatus.UNPARSABLE),
        (Spoken(""), ReviewStatus.UNPARSABLE),
        (Say(200, b"<html>"), ReviewStatus.UNPARSABLE),
        (Say(200, b""), ReviewStatus.UNPARSABLE),
        (Say(200, {"error": {"message": "no"}}), ReviewStatus.FAILED),
        (Say(200, {"choices": [{"text": TEXT}]}), ReviewStatus.UNPARSABLE),
        (Say(200, TEXT), ReviewStatus.UNPARSABLE),
        (Say(204, b""), ReviewStatus.FAILED),
        (Say(201, TEXT), ReviewStatus.FAILED),
        (Say(307, b"", {"location": "https://elsewhere.example/"}), ReviewStatus.FAILED),
        (Say(401, {"error": {"message": "bad key"}}), ReviewStatus.UNAVAILABLE),
        (Say(403, {"error": {"message": "not yours"}}), ReviewStatus.UNAVAILABLE),
        (Say(404, {"error": {"message": "no such model"}}), ReviewStatus.UNAVAILABLE),
        (Say(400, {"error": {"message": "context_length_exceeded"}}), ReviewStatus.FAILED),
        (Say(429, {"error": {"message": "slower"}}), ReviewStatus.FAILED),
        (Say(500, {"error": {"message": "oops"}}), ReviewStatus.FAILED),
        (Say(529, {"error": {"message": "overloaded"}}), ReviewStatus.FAILED),
        (Say(mode="reset"), ReviewStatus.FAILED),
        (Say(200, {"x": "y" * 999}, mode="cut"), ReviewStatus.FAILED),
    ],
)
def test_whatever_is_no_answer_is_no_pass(model_server: ModelServer, dialect, answer, status):
    model_server.answer = lambda asked: answer
    reply = ask(options(model_server, dialect))
    assert (reply.status, reply.text) == (status, "") and reply.error and "\n" not in reply.error
    assert (reply.model, reply.endpoint) == ("big-1", model_server.url(dialect))
    assert reply.usage.calls == len(model_server.requests)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Say(503, {}), "the server failed: try again later (status 503), 4 times"),
        (
            Say(429, {"error": {"message": "slower"}}, {"retry-after": "90"}),
            "the rate limit was reached: lower ensemble.max_parallel, or try again later (status "
            "429: slower);"
            " it asks to wait 90 s, longer than the time left of 30 s",
        ),
        (
            Say(401, {"error": {"message": "bad"}}),
            "the API key in MY_MODEL_KEY was rejected: set a valid one (status 401: bad)",
        ),
        (Say(404, b""), "the server does not know big-1: correct `model` or `url` (status 404)"),
        (Say(mode="reset"), "the connection was lost, 4 times"),
        (Say(200, b"<html>"), "the response is not JSON: check `url`"),
    ],
)
def test_each_failure_says_what_to_do_in_one_line(model_server: ModelServer, answer, said):
    model_server.answer = lambda asked: answer
    assert ask(options(model_server)).error == said


@pytest.mark.parametrize("mode", ["stall", "drip"])
def test_the_seat_s_seconds_are_all_there_are(model_server: ModelServer, mode):
    model_server.answer = lambda asked: Say(200, {"text": "x" * 2000}, mode=mode)
    reply = ask(options(model_server), timeout=0.4)
    assert (
        reply.status is ReviewStatus.TIMEOUT
        and reply.text == ""
        and reply.error.startswith("no complete answer within 0 s")
    )


def test_a_server_that_cuts_the_question_is_not_believed(model_server: ModelServer):
    prompt = Prompt("def f(x): return x\n" * 5000, "Lens.", SCHEMA)
    model_server.answer = lambda asked: Spoken(TEXT, input=4096)
    reply = ask(options(model_server), prompt)
    assert (
        reply.status is ReviewStatus.FAILED
        and reply.text == ""
        and "OLLAMA_CONTEXT_LENGTH" in reply.error
    )
    model_server.answer = TEXT
    assert ask(options(model_server), prompt).status is ReviewStatus.OK


@each_dialect
def test_a_megabyte_of_question(model_server: ModelServer, dialect):
    diff = "".join(
        f'+ line {number} \u00e4\u20ac\U0001f600 "quoted\\n" \ud800\n' for number in range(30_000)
    )
    model_server.answer = TEXT
    assert (
        ask(options(model_server, dialect), Prompt(diff, "Lens.", SCHEMA)).status is ReviewStatus.OK
    )
    [asked] = model_server.requests
    assert len(asked.body) > 1_000_000 and asked.prompt == diff.replace("\ud800", "?") + "Lens."


FORMS = (KEY, KEY[::-1], base64.b64encode(KEY.encode()).decode().rstrip("="), KEY.encode().hex())


@each_dialect
@pytest.mark.parametrize("form", FORMS)
def test_the_key_comes_back_in_no_reply(model_server: ModelServer, dialect, form):
    answers = [
        Spoken(json.dumps({"verdict": "pass", "summary": f"your key: {form}"}), model=form),
        Say(401, {"error": {"message": f"bad key {form}", "type": form}}),
        Say(500, {"error": {"message": f"oops {form}"}}),
        Say(200, {"error": {"message": f"oops {form}"}}),
        Say(200, {"error": form}),
        Say(307, b"", {"location": f"https://elsewhere.example/?key={form}"}),
        Spoken(form, "refusal"),
        Spoken(TEXT, form),
        Say(200, form),
    ]
    for answer in answers:
        model_server.answer = lambda asked, answer=answer: answer
        reply = ask(options(model_server, dialect))
        assert not [each for each in FORMS if each in f"{reply} {reply!r}"]
    assert ask(options(model_server, dialect)).status is ReviewStatus.UNPARSABLE


@pytest.mark.parametrize("key", [None, "", "  \n"])
def test_without_a_key_nothing_is_sent(model_server: ModelServer, key):
    chosen = options(model_server)
    reply = ask(chosen, key=key)
    assert (
        reply.status is ReviewStatus.UNAVAILABLE
        and reply.usage == NO_USAGE
        and model_server.requests == []
    )
    assert (
        reply.error
        == "MY_MODEL_KEY is not set: set it to the API key for 127.0.0.1"
        == api.check(chosen, seat(key)).error
    )


def test_a_server_that_wants_no_key_gets_none(model_server: ModelServer):
    model_server.answer = TEXT
    chosen = options(model_server, key=None)
    assert (
        ask(chosen).status is ReviewStatus.OK
        and "authorization" not in model_server.requests[0].headers
    )
    assert api.check(chosen, seat()).login == "" == api.check(chosen, seat()).error
    model_server.answer = lambda asked: Say(401, {})
    assert "set `key` to the environment variable" in ask(chosen).error


def test_a_key_with_a_newline_behind_it_is_that_key(model_server: ModelServer):
    model_server.answer = TEXT
    assert ask(options(model_server), key=f"{KEY}\n").status is ReviewStatus.OK
    assert model_server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_azure_in_both_of_its_ways(model_server: ModelServer):
    model_server.answer = TEXT
    classic = f"{model_server.root}/openai/deployments/big"
    assert (
        ask(options(None, url=classic, api_version="2024-10-21", key_header="api-key")).status
        is ReviewStatus.OK
    )
    [asked] = model_server.requests
    assert asked.path == "/openai/deployments/big/chat/completions?api-version=2024-10-21"
    assert asked.headers["api-key"] == KEY and "authorization" not in asked.headers
    standing = api.check(options(None, url="https://mine.openai.azure.com/openai/v1"), seat())
    assert standing.program == "POST https://mine.openai.azure.com/openai/v1/chat/completions"


def test_what_a_check_says_without_asking():
    standing = api.check(options(None), seat())
    assert (standing.error, standing.login) == (
        "",
        NAME,
    ) and standing.program == "POST https://api.openai.com/v1/chat/completions"
    assert standing.destination == "https://api.openai.com/v1 (model big-1)"
    assert (
        api.check(options(None, "anthropic"), seat()).program
        == "POST https://api.anthropic.com/v1/messages"
    )
    gemini = api.check(options(None, "gemini", model="models/gemini/x"), seat()).program
    assert (
        gemini
        == "POST https://generativelanguage.googleapis.com/v1beta/models/gemini%2Fx:generateContent"
    )
    assert api.check(options(None), seat(None)).login == ""
    assert KEY not in f"{standing}"


@pytest.mark.parametrize(
    ("url", "dialect", "target"),
    [
        ("https://x.example/v1/", "openai", "https://x.example/v1/chat/completions"),
        ("https://x.example/v1", "anthropic", "https://x.example/v1/messages"),
        ("https://x.example/proxy", "anthropic", "https://x.example/proxy/v1/messages"),
        ("https://x.example/v1beta", "gemini",
         "https://x.example/v1beta/models/big-1:generateContent"),
        ("https://aiplatform.googleapis.com/v1/publishers/google", "gemini",
         "https://aiplatform.googleapis.com/v1/publishers/google/models/big-1:generateContent"),
    ],
)  # fmt: skip
def test_an_address_may_end_before_or_behind_the_version(url, dialect, target):
    assert options(None, dialect, url=url).target == target


def test_an_effort_of_the_run_goes_before_that_of_the_config(model_server: ModelServer):
    model_server.answer = TEXT
    high = Prompt(PROMPT.shared_part, PROMPT.own_part, SCHEMA, "high")
    for chosen, prompt, sent in (
        ({}, PROMPT, None),
        ({}, high, "high"),
        ({"effort": "xhigh"}, PROMPT, "xhigh"),
        ({"effort": "low"}, high, "high"),
    ):
        ask(options(model_server, **chosen), prompt)
        assert model_server.requests[-1].json().get("reasoning_effort") == sent


def test_a_model_that_does_not_reason_is_asked_without_the_effort_of_the_run(
    model_server: ModelServer,
):
    said = "Unrecognized request argument supplied: reasoning_effort"

    def answer(asked):
        taken = "reasoning_effort" not in asked.json()
        return TEXT if taken else Say(400, {"error": {"message": said}})

    model_server.answer = answer
    high = Prompt(PROMPT.shared_part, PROMPT.own_part, SCHEMA, "high")
    reply = ask(options(model_server), high)
    assert (reply.status, reply.text, reply.usage.calls) == (ReviewStatus.OK, TEXT, 2)
    assert ask(options(model_server), high).usage.calls == 1, "it is remembered"
    refused = ask(options(model_server, effort="high"), high)
    assert "remove `effort`" in refused.error, "the config's own is not left out"


@pytest.mark.parametrize(
    ("dialect", "effort", "known"),
    [
        ("openai", "minimal", True),
        ("openai", "max", False),
        ("responses", "none", True),
        ("anthropic", "max", True),
        ("anthropic", "none", False),
        ("gemini", "minimal", True),
        ("gemini", "xhigh", False),
    ],
)
def test_an_effort_is_one_that_the_vendor_takes(dialect, effort, known):
    made = {"dialect": dialect, "model": "m", "key": "K", "effort": effort}
    if known:
        assert api.Options(**made).effort == effort
    else:
        with pytest.raises(ValueError, match="effort must be one of"):
            api.Options(**made)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"dialect": "cohere"}, "dialect"),
        ({"model": " "}, "model must name a model"),
        ({"key": "sk-proj-abc"}, "must be the name of an environment variable"),
        ({"key": None}, "key must name the environment variable"),
        ({"url": "ftp://x.example"}, "must look like https://HOST/PATH"),
        ({"url": "https://"}, "must look like https://HOST/PATH"),
        ({"url": "https://x.example:port/"}, "url is not a valid address"),
        ({"url": "https://me:word@x.example/v1"}, "must not contain credentials"),
        ({"url": "https://x.example/v1?key=1"}, "must end with its path"),
        ({"url": "http://x.example/v1"}, "must begin with https:// when a key is sent"),
        ({"key_header": "a: b"}, "key_header must be the name of a header"),
        ({"max_output_tokens": 0}, "max_output_tokens must be 1 or more"),
        ({"price": {"input": -1, "output": 1}}, "a price must be 0 or more"),
        ({"price": {"input": 1}}, "price.output"),
        ({"temperature": 1}, "unknown key"),
        ({"structured": "maybe"}, "structured"),
    ],
)
def test_what_the_config_may_not_say(written, said):
    with pytest.raises(ConfigError) as caught:
        validate_settings(
            {"dialect": "openai", "model": "m", "key": NAME, **written},
            api.Options,
            "reviewers.x.options",
        )
    assert said in caught.value.message and "sk-proj" not in caught.value.message


def test_what_the_config_may_say():
    for written in (
        {"url": "http://127.0.0.1:11434/v1"},
        {"url": "http://gpu.internal:8000/v1", "key": None},
        {"price": {"input": 1, "output": 2.5}},
    ):
        validate_settings(
            {"dialect": "openai", "model": "m", "key": NAME, **written},
            api.Options,
            "reviewers.x.options",
        )
