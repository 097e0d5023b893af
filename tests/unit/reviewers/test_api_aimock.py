"""The API reviewer against the real aimock, which has the vendors' shapes from other people's
hands."""

from pathlib import Path

import pytest

from reviewgate_gh.model.question import ModelReply, Prompt
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers import api
from reviewgate_gh.reviewers._context import ModelContext
from reviewgate_gh.reviewers.apis._client import RetryTiming
from reviewgate_gh.system.environment import Environment
from tests.peers import aimock as mock
from tests.peers.aimock import Aimock, error, row

pytestmark = pytest.mark.peer
KEY = "key-for-aimock-1234"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
TEXT = '{"verdict": "pass"}'
DIALECTS = ("openai", "anthropic", "gemini")
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
CALL = {"toolCalls": [{"name": "f", "arguments": {"verdict": "pass"}}]}
USAGE = {
    "openai": {"prompt_tokens": 40, "completion_tokens": 9},
    "anthropic": {"input_tokens": 40, "output_tokens": 9},
    "gemini": {"promptTokenCount": 40, "candidatesTokenCount": 9},
}


def ask(
    server: Aimock,
    dialect: str,
    own: str = "Lens.",
    timeout: float = 60,
    key: str = KEY,
    shared: str = "Diff.\n",
) -> tuple[ModelReply, list[float]]:
    """The reply, and the pauses before it."""
    naps = list[float]()
    chosen = api.Options(dialect=dialect, model="big-1", url=server.url(dialect), key="MODEL_KEY")
    pace = RetryTiming(sleep=naps.append, chance=lambda: 0.0)
    return api.ask(
        Prompt(shared, own, SCHEMA),
        chosen,
        ModelContext(Environment({"MODEL_KEY": key}, Path.cwd()), timeout),
        pace,
    ), naps


@each_dialect
def test_an_answer(aimock: Aimock, dialect):
    aimock.add(row({"content": TEXT, "usage": USAGE[dialect]}, "Lens."))
    reply, naps = ask(aimock, dialect)
    assert (reply.status, reply.text, reply.error, naps) == (ReviewStatus.OK, TEXT, "", [])
    assert (reply.usage.calls, reply.usage.input, reply.usage.output) == (1, 40, 9)
    [entry] = aimock.journal()
    assert entry["response"]["status"] == 200 and entry["body"]["messages"][-1][
        "content"
    ].startswith("Diff.\nLens.")


def test_aimock_knows_the_request_s_schema(aimock: Aimock):
    aimock.add(row(TEXT, match={"responseFormat": "json_schema"}))
    assert ask(aimock, "openai")[0].status is ReviewStatus.OK


FAULTS = {
    "429": (error(429, "slow down", retry_after=7), ReviewStatus.FAILED, [7, 7, 7], "rate limit"),
    "429 for too long": (
        error(429, "slow down", retry_after=90),
        ReviewStatus.FAILED,
        [],
        "asks to wait 90 s",
    ),
    "500": (error(500, "oops"), ReviewStatus.FAILED, [0.5, 1, 2], "the server failed"),
    "503": (error(503, "overloaded"), ReviewStatus.FAILED, [0.5, 1, 2], "the server failed"),
    "401": (
        error(401, "bad key"),
        ReviewStatus.UNAVAILABLE,
        [],
        "the API key in MODEL_KEY was rejected",
    ),
    "403": (error(403, "not yours"), ReviewStatus.UNAVAILABLE, [], "has no access to big-1"),
    "404": (error(404, "no such model"), ReviewStatus.UNAVAILABLE, [], "does not know big-1"),
    "context": (
        error(400, "prompt is too long: 300000 tokens", code="context_length_exceeded"),
        ReviewStatus.FAILED,
        [],
        "does not fit the context",
    ),
    "length": (
        {"content": TEXT[:9], "finishReason": "length"},
        ReviewStatus.UNPARSABLE,
        [],
        "cut off",
    ),
    "tool": (CALL, ReviewStatus.UNPARSABLE, [], "tool"),
    "tool beside text": (CALL | {"content": TEXT}, ReviewStatus.UNPARSABLE, [], "tool"),
    "empty": (" ", ReviewStatus.UNPARSABLE, [], "empty"),
}


@each_dialect
@pytest.mark.parametrize("name", FAULTS)
def test_faults(aimock: Aimock, dialect, name):
    response, status, naps, said = FAULTS[name]
    aimock.add(row(response))
    reply, waited = ask(aimock, dialect)
    assert (reply.status, reply.text, waited) == (status, "", naps) and said in reply.error, reply
    assert reply.usage.calls == len(aimock.journal()) == len(naps) + 1


@each_dialect
def test_a_filter_s_end_is_no_end(aimock: Aimock, dialect):
    aimock.add(row({"content": TEXT, "finishReason": "content_filter"}))
    reply, _ = ask(aimock, dialect)
    assert reply.status.broken and reply.text == "" and reply.error


@each_dialect
def test_prose_is_handed_on_as_it_is(aimock: Aimock, dialect):
    aimock.add(row("I think it is fine."))
    reply, _ = ask(aimock, dialect)
    assert (reply.status, reply.text) == (ReviewStatus.OK, "I think it is fine.")


@each_dialect
@pytest.mark.parametrize(
    ("chaos", "status", "tries"),
    [
        ({"malformedRate": 1}, ReviewStatus.UNPARSABLE, 1),
        ({"disconnectRate": 1}, ReviewStatus.FAILED, 4),
        ({"dropRate": 1}, ReviewStatus.FAILED, 4),
        ({"rateLimitRate": 1}, ReviewStatus.FAILED, 4),
    ],
)
def test_chaos(aimock: Aimock, dialect, chaos, status, tries):
    aimock.add(row(TEXT))
    aimock.chaos(**chaos)
    reply, naps = ask(aimock, dialect)
    assert (reply.status, reply.text, len(naps)) == (status, "", tries - 1) and reply.error
    aimock.chaos()
    assert ask(aimock, dialect)[0].status is ReviewStatus.OK


@each_dialect
def test_later_than_the_deadline(aimock: Aimock, dialect):
    aimock.add(row(TEXT))
    aimock.chaos(latencyMs=5000)
    reply, _ = ask(aimock, dialect, timeout=0.4)
    assert (reply.status, reply.text) == (ReviewStatus.TIMEOUT, "")


@each_dialect
def test_one_fault_and_then_an_answer(aimock: Aimock, dialect):
    aimock.add(
        row(error(429, retry_after=2), match={"sequenceIndex": 0}),
        row(error(500), match={"sequenceIndex": 1}),
        row(TEXT),
    )
    reply, naps = ask(aimock, dialect)
    assert reply.status is ReviewStatus.OK and naps == [2, 1] and reply.usage.calls == 3


@each_dialect
def test_nothing_planned_is_a_failure(aimock: Aimock, dialect):
    assert ask(aimock, dialect)[0].status is ReviewStatus.FAILED


def test_aimock_s_own_keys_are_what_counts():
    if not mock.installed():
        pytest.skip("no aimock: run tests/peers/install.sh")
    with mock.serving(row(TEXT), keys=KEY) as server:
        for dialect in DIALECTS:
            assert ask(server, dialect)[0].status is ReviewStatus.OK
            reply, naps = ask(server, dialect, key="another-key-12345678")
            assert (
                reply.status is ReviewStatus.UNAVAILABLE
                and naps == []
                and "MODEL_KEY" in reply.error
            )


@each_dialect
def test_a_megabyte_of_question(aimock: Aimock, dialect):
    aimock.add(row(TEXT, "Lens."))
    reply, _ = ask(aimock, dialect, shared="+ a line of the diff \u00e4\n" * 45_000)
    assert reply.status is ReviewStatus.OK, reply
    assert aimock.journal()[0]["body"]["originalByteSize"] > 1_000_000
