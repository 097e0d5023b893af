"""What servers say when they say no, in the words that vendors really use: what it means, and
whether to ask again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers.apis import _client
from reviewgate_gh.reviewers.apis._answer import api_error_text, parse_body, refusal_reply

U, F = ReviewStatus.UNAVAILABLE, ReviewStatus.FAILED
LONG = "does not fit the context of gpt-x: lower ensemble.context_tokens"
SAID = {
    "openai key": (
        401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}},
        U, "the API key in MY_KEY was rejected",
    ),
    "anthropic key": (401, {"type": "error", "error": {"type": "authentication_error",
        "message": "invalid x-api-key"}}, U, "MY_KEY"),
    "gemini key": (400, {"error": {"code": 400, "message": ("API key not valid. Please "
    "pass a valid API key.")}}, U, "MY_KEY"),
    "forbidden": (403, {"error": {"message": ("Project does not have "
    "access to model gpt-x")}}, U, "has no access to gpt-x"),
    "openai model": (404, {"error": {"message": "The model `gpt-x` does not exist",
        "code": "model_not_found"}}, U, "does not know gpt-x"),
    "gemini model": (404, [{"error": {"message": ("models/gpt-x is not found for "
    "API version v1beta")}}], U, "does not know gpt-x"),
    "ollama model": (
        404, {"error": {"message": ("model \"gpt-x\" not found, "
        "try pulling it first"), "type": "api_error"}},
        U, "try pulling it",
    ),
    "openrouter model": (400, {"error": {"message": "gpt-x is not a valid model ID", "code": 400}},
        U, "does not know gpt-x"),
    "openai context": (
        400, {"error": {"message": ("This model's maximum context "
        "length is 8192 tokens"), "code": "context_length_exceeded"}},
        F, LONG,
    ),
    "anthropic context": (400, {"type": "error", "error": {"message": ("prompt is too long: 214315 "
    "tokens > 200000 maximum")}}, F, LONG),
    "gemini context": (
        400,
        {"error": {"message": ("The input token count (1200000) exceeds the "
        "maximum number of tokens allowed "
        "(1048576).")}},
        F, LONG,
    ),
    "mistral context": (
        400, {"object": "error", "message": ("Prompt contains 40000 tokens, too large for "
        "model with 32768 maximum")},
        F, LONG,
    ),
    "vllm context": (
        400, {"error": {"message": ("This model's maximum context length is 4096 tokens. "
        "However, you requested 5000")}},
        F, LONG,
    ),
    "llama.cpp context": (
        400, {"error": {"message": ("the request exceeds the "
        "available context size"), "type": "exceed_context_size_error"}},
        F, LONG,
    ),
    "too many bytes": (413, (b"<html>413 Request Entity "
    b"Too Large</html>"), F, ("longer than the server "
    "accepts")),
    "tokens a minute": (429, {"error": {"message": ("Request too large for gpt-x on tokens per "
    "min (TPM): Limit 30000")}}, F, "per minute"),
    "openai credit": (429, {"error": {"message": "You exceeded your current quota",
        "code": "insufficient_quota"}}, U, "no credit left"),
    "anthropic credit": (400, {"error": {"message": ("Your credit balance is too low to "
    "access the Anthropic API.")}}, U, "no credit left"),
    "deepseek credit": (402, {"error": {"message": "Insufficient Balance"}}, U, "no credit left"),
    "azure filter": (400, {"error": {"message": "The response was filtered",
        "code": "content_filter"}}, F, "content filter rejected"),
    "deepseek schema": (400, {"error": {"message": ("This response_format type "
    "is unavailable now")}}, F, "`structured: object`"),
    "output tokens": (400, {"error": {"message": ("Invalid max_tokens value, the "
    "valid range is [1, 8192]")}}, F, "`max_output_tokens`"),
    "effort": (400, {"error": {"message": ("Unrecognized request argument "
    "supplied: reasoning_effort")}}, F, "remove `effort`"),
    "fastapi": (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, F, "field required"),
    "rate": (429, {"error": {"message": "Rate limit reached"}}, F, "rate limit was reached"),
    "redirect": (301, b"", F, "the key is not sent to the new address: correct `url`"),
    "proxy": (407, b"", F, "the proxy requires authentication"),
    "down": (503, b"<html>", F, "the server failed"),
    "teapot": (418, b"", F, "rejected the request (status 418)"),
}  # fmt: skip


def raw(body) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.mark.parametrize("name", SAID)
def test_what_a_refusal_means_and_what_to_do(name):
    status, body, kind, said = SAID[name]
    reply = refusal_reply(status, raw(body), "gpt-x", "MY_KEY")
    assert (
        reply.status is kind
        and reply.text == ""
        and said in reply.error
        and f"(status {status}" in reply.error
    )
    message = api_error_text(parse_body(raw(body)))
    assert message in reply.error and (message or isinstance(body, bytes))


def test_without_a_key_the_hint_is_to_name_one():
    assert "set `key` to the environment variable" in refusal_reply(401, b"", "m", "").error


def test_a_server_s_words_are_one_short_line():
    assert api_error_text({"error": {"message": "a\n b\tc"}}) == "a b c"
    assert api_error_text({"error": {"message": "x" * 1000}}) == f"{'x' * 300} ..."
    assert api_error_text({"error": {"message": "a\ud800b"}}) == "a?b"
    assert api_error_text(["one", "two"]) == "one"
    assert [
        api_error_text(other)
        for other in (
            None,
            7,
            {},
            [],
            {"error": {"error": {"error": {"error": "deep"}}}},
            {"error": 7},
        )
    ] == [""] * 6


@given(st.integers(300, 599), st.binary(max_size=60) | st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["error", "message",
        "detail"]), inner, max_size=3),
).map(lambda data: json.dumps(data).encode()))  # fmt: skip
def test_no_refusal_is_an_exception_or_a_pass(status, body):
    reply = refusal_reply(status, body, "m", "K")
    assert (
        reply.status in (U, F)
        and reply.text == ""
        and f"status {status}" in reply.error
        and "\n" not in reply.error
    )
    wish = _client.retry_after(status, {"retry-after": body.decode("latin-1")}, body)
    assert wish is None or wish >= 0


def test_a_bottomless_body_is_no_exception():
    for body in (b"[" * 100_000, b'{"error":' * 900 + b"1" + b"}" * 900, b'{"error":' * 100_000):
        assert (
            refusal_reply(500, body, "m", "K").status is F
            and _client.retry_after(500, {}, body) == 0
        )


DATE = "Sun, 22 Nov 2026 08:00:00 GMT"
LATER = "Sun, 22 Nov 2026 08:00:07 GMT"
RETRY = {
    "error": {"details": [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]}
}


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait"),
    [
        (429, {}, {}, 0),
        (429, {"retry-after": "7"}, {}, 7),
        (429, {"retry-after": " 1.5 "}, {}, 1.5),
        (529, {"retry-after": "7"}, {}, 7),
        (503, {"retry-after": LATER, "date": DATE}, {}, 7),
        (503, {"retry-after": DATE, "date": LATER}, {}, 0),
        (503, {"retry-after": LATER}, {}, 0),
        (429, {"retry-after-ms": "250", "retry-after": "7"}, {}, 0.25),
        (429, {"retry-after": "-3"}, {}, 0),
        (429, {"retry-after": "soon"}, {}, 0),
        (429, {"retry-after": "1e9"}, {}, 0),
        (429, {"retry-after": LATER.replace("20", "9" * 30, 1), "date": DATE}, {}, 0),
        (429, {}, RETRY, 34.5),
        (429, {}, [RETRY], 34.5),
        (429, {}, {"error": {"details": {"retryDelay": "3s"}}}, 0),
        (500, {}, b"<html>", 0),
        (502, {}, {}, 0),
        (504, {}, {}, 0),
        (429, {"retry-after": "7"}, {"error": {"code": "insufficient_quota"}}, None),
        (429, {"retry-after": "7"}, {"error": {"message": "Request too large for gpt-x"}}, None),
        (
            429,
            {},
            {
                "error": {
                    "details": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]
                }
            },
            None,
        ),
        *(
            (status, {"retry-after": "7"}, {}, None)
            for status in (200, 301, 400, 401, 402, 403, 404, 408, 409, 413, 422, 600)
        ),
    ],
)
def test_when_to_ask_again(status, headers, body, wait):
    assert _client.retry_after(status, headers, raw(body)) == wait


def test_pauses_grow_to_a_bound_and_differ():
    assert [
        _client.backoff_seconds(tries, 0.999_999) for tries in (1, 2, 3, 4, 9)
    ] == pytest.approx([1, 2, 4, 8, 20], abs=0.001)
    assert [_client.backoff_seconds(tries, 0) for tries in (1, 2, 3, 9)] == [0.5, 1, 2, 10]
