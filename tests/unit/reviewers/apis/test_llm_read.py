"""What a response of a model API says: whole answers, and everything that is none."""

import copy
import json
import os
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewgate_gh.model.review import ReviewStatus, Usage
from reviewgate_gh.reviewers.apis import API_DIALECTS
from reviewgate_gh.reviewers.apis._answer import parse_body, truncated_prompt_reason
from tests.peers.model_server import Spoken
from tests.peers.model_shapes import SHAPES

TEXT = '{"nonce": "n-1", "verdict": "pass", "findings": [], "summary": "\u00fc"}'
REQUEST = {"model": "m"}
WHOLE = {
    name: shape(Spoken(TEXT, cached=20, output=7), 100, REQUEST) for name, shape in SHAPES.items()
}
each_dialect = pytest.mark.parametrize("dialect", API_DIALECTS)
MANY = 5_000 if os.environ.get("REVIEWGATE_GH_FULL") else 60


def read(dialect, data):
    return API_DIALECTS[dialect].read(data)


def changed(dialect, *path, **more):
    """The whole response with something else at the path."""
    data = copy.deepcopy(WHOLE[dialect])
    inner = data
    for part in path:
        inner = inner[part]
    inner |= more
    return data


@each_dialect
def test_a_whole_answer(dialect):
    reply = read(dialect, WHOLE[dialect])
    assert (reply.status, reply.text, reply.error) == (ReviewStatus.OK, TEXT, "")
    assert reply.usage == Usage(1, 100, 20, 0, 7)


UNPARSABLE, FAILED = ReviewStatus.UNPARSABLE, ReviewStatus.FAILED

MESSAGE = ("choices", 0, "message")
CANDIDATE = ("candidates", 0)
PARTS = ("candidates", 0, "content")
CALL = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": TEXT}}]
RESPONSE_ITEM = ("output", 0)
RESPONSE_CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": TEXT}
OTHERS = {
    "responses cut": ("responses", changed("responses", status="incomplete",
        incomplete_details={"reason": "max_output_tokens"}), UNPARSABLE, "cut off"),
    "responses filter": ("responses", changed("responses", status="incomplete",
        incomplete_details={"reason": "content_filter"}), FAILED, "content filter"),
    "responses other end": ("responses", changed("responses", status="incomplete"), UNPARSABLE,
        "no reason"),
    "responses queued": ("responses", changed("responses", status="queued"), UNPARSABLE,
        "'queued'"),
    "responses refusal": ("responses", changed("responses", *RESPONSE_ITEM,
        content=[{"type": "refusal", "refusal": "I won't"}]), FAILED, "refused to answer: I won't"),
    "responses tool": ("responses", {**WHOLE["responses"],
        "output": [*WHOLE["responses"]["output"], RESPONSE_CALL]}, UNPARSABLE, "tool"),
    "responses foreign tool": ("responses", {**WHOLE["responses"],
        "output": [{"type": "web_search_call"}]}, UNPARSABLE, "tool"),
    "responses error": ("responses", changed("responses", error={"message": "oops"}), FAILED,
        "error: oops"),
    "responses other part": ("responses", changed("responses", *RESPONSE_ITEM,
        content=[{"type": "output_audio"}]), UNPARSABLE, "match this API"),
    "responses other item": ("responses", {**WHOLE["responses"], "output": [{"type": "picture"}]},
        UNPARSABLE, "match this API"),
    "responses none": ("responses", {**WHOLE["responses"], "output": []}, UNPARSABLE, "empty"),
    "openai cut": ("openai", changed("openai", "choices", 0, finish_reason="length"), UNPARSABLE,
        "cut off"),
    "openai filter": ("openai", changed("openai", "choices", 0, finish_reason="content_filter"),
        FAILED, "content filter"),
    "openai refusal": ("openai", changed("openai", *MESSAGE, content=None, refusal="I won't"),
        FAILED, "refused to answer: I won't"),
    "openai refusal beside text": ("openai", changed("openai", *MESSAGE, refusal="I won't"), FAILED,
        "refused"),
    "openai tool": ("openai", changed("openai", *MESSAGE, tool_calls=CALL), UNPARSABLE, "tool"),
    "openai old tool": ("openai", changed("openai", *MESSAGE, function_call={"name": "f"}),
        UNPARSABLE, "tool"),
    "openai tool's end": ("openai", changed("openai", "choices", 0, finish_reason="tool_calls"),
        UNPARSABLE, "tool"),
    "openai no end": ("openai", changed("openai", "choices", 0, finish_reason=None), UNPARSABLE,
        "no reason"),
    "openai other end": ("openai", changed("openai", "choices", 0, finish_reason="abort"),
        UNPARSABLE, "'abort'"),
    "openai null": ("openai", changed("openai", *MESSAGE, content=None), UNPARSABLE, "empty"),
    "openai blank": ("openai", changed("openai", *MESSAGE, content=" \n"), UNPARSABLE, "empty"),
    "openai number": ("openai", changed("openai", *MESSAGE, content=7), UNPARSABLE,
        "not match this API"),
    "openai picture": ("openai", changed("openai", *MESSAGE, content=[{"type": "image_url"}]),
        UNPARSABLE, "match this API"),
    "openai two": ("openai", {**WHOLE["openai"], "choices": WHOLE["openai"]["choices"] * 2},
        UNPARSABLE, "not match this API"),
    "openai none": ("openai", {**WHOLE["openai"], "choices": []}, UNPARSABLE, "not match this API"),
    "openai error": ("openai", {"error": {"message": "Provider returned error", "code": 502}},
        FAILED, "Provider returned error"),
    "openai error beside": ("openai", changed("openai", error={"message": "oops"}), FAILED,
        "error: oops"),
    "openai error in it": ("openai", changed("openai", "choices", 0, error={"message": "died"}),
        FAILED, "died"),
    "openai error in words": ("openai", {"error": "model runner has stopped"}, FAILED,
        "model runner has stopped"),
    "anthropic cut": ("anthropic", changed("anthropic", stop_reason="max_tokens"), UNPARSABLE,
        "cut off"),
    "anthropic full": ("anthropic", changed("anthropic",
        stop_reason="model_context_window_exceeded"), UNPARSABLE, "cut off"),
    "anthropic refusal": ("anthropic", changed("anthropic", stop_reason="refusal"), FAILED,
        "refused"),
    "anthropic pause": ("anthropic", changed("anthropic", stop_reason="pause_turn"), UNPARSABLE,
        "'pause_turn'"),
    "anthropic sequence": ("anthropic", changed("anthropic", stop_reason="stop_sequence"),
        UNPARSABLE, "'stop_sequence'"),
    "anthropic no end": ("anthropic", changed("anthropic", stop_reason=None), UNPARSABLE,
        "no reason"),
    "anthropic tool": ("anthropic", changed("anthropic", stop_reason="tool_use"), UNPARSABLE,
        "tool"),
    "anthropic tool beside": (
        "anthropic",
        changed("anthropic", content=[*WHOLE["anthropic"]["content"], {"type": "tool_use",
            "input": {}}]),
        UNPARSABLE,
        "tool",
    ),
    "anthropic empty": ("anthropic", changed("anthropic", content=[]), UNPARSABLE, "empty"),
    "anthropic strange": ("anthropic", changed("anthropic", content=[{"type": "web"}]), UNPARSABLE,
        "not match this API"),
    "anthropic no list": ("anthropic", changed("anthropic", content=TEXT), UNPARSABLE,
        "not match this API"),
    "anthropic error": (
        "anthropic", {"type": "error", "error": {"type": "overloaded_error",
            "message": "Overloaded"}}, FAILED, "error: Overloaded"
    ),
    "gemini cut": ("gemini", changed("gemini", *CANDIDATE, finishReason="MAX_TOKENS"), UNPARSABLE,
        "cut off"),
    "gemini safety": ("gemini", changed("gemini", *CANDIDATE, finishReason="SAFETY"), FAILED,
        "stopped the answer: SAFETY"),
    "gemini recitation": ("gemini", changed("gemini", *CANDIDATE, finishReason="RECITATION"),
        FAILED, "RECITATION"),
    "gemini blocked": ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, FAILED,
        ("the vendor blocked the "
    "prompt (SAFETY)")),
    "gemini blocked beside": ("gemini", changed("gemini", promptFeedback={"blockReason": "OTHER"}),
        FAILED, "the prompt (OTHER)"),
    "gemini tool": ("gemini", changed("gemini", *PARTS, parts=[{"functionCall": {"name": "f"}}]),
        UNPARSABLE, "tool"),
    "gemini bad tool": ("gemini", changed("gemini", *CANDIDATE,
        finishReason="MALFORMED_FUNCTION_CALL"), UNPARSABLE, "tool"),
    "gemini no end": ("gemini", changed("gemini", *CANDIDATE, finishReason=None), UNPARSABLE,
        "no reason"),
    "gemini other": ("gemini", changed("gemini", *CANDIDATE, finishReason="OTHER"), UNPARSABLE,
        "'OTHER'"),
    "gemini nothing": ("gemini", {**WHOLE["gemini"], "candidates": []}, UNPARSABLE,
        "not match this API"),
    "gemini two": ("gemini", {**WHOLE["gemini"], "candidates": WHOLE["gemini"]["candidates"] * 2},
        UNPARSABLE, "not match this API"),
    "gemini no parts": ("gemini", changed("gemini", *CANDIDATE, content={"role": "model"}),
        UNPARSABLE, "empty"),
    "gemini picture": ("gemini", changed("gemini", *PARTS, parts=[{"inlineData": {}}]), UNPARSABLE,
        "not match this API"),
    "gemini only thoughts": ("gemini", changed("gemini", *PARTS, parts=[{"text": TEXT,
        "thought": True}]), UNPARSABLE, "empty"),
    "gemini error": ("gemini", {"error": {"code": 503, "message": "The model is overloaded."}},
        FAILED, "overloaded"),
    "gemini error in a list": ("gemini", [{"error": {"message": "no"}}], FAILED, "error: no"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_whatever_is_no_whole_answer_is_none_and_says_why(name):
    dialect, data, status, said = OTHERS[name]
    reply = read(dialect, data)
    assert (reply.status, reply.text) == (status, "") and said in reply.error


@each_dialect
def test_other_vendors_responses_and_other_json_are_none(dialect):
    for data in [
        *(WHOLE[name] for name in WHOLE if name != dialect),
        None,
        True,
        7,
        "text",
        [],
        {},
        [[]],
        {"choices": 1, "candidates": 1, "content": 1},
    ]:
        reply = read(dialect, data)
        assert reply.status is UNPARSABLE and reply.text == "" and reply.error


def test_thoughts_are_no_part_of_an_answer_and_parts_are_one_text():
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "redacted_thinking"},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    assert read("anthropic", changed("anthropic", content=blocks)).text == "ab"
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    assert read("openai", changed("openai", *MESSAGE, content=parts)).text == "ab"
    parts = [
        {"text": "hm", "thought": True},
        {"text": "a", "thought": False},
        {"text": "b", "thoughtSignature": "x"},
    ]
    assert read("gemini", changed("gemini", *PARTS, parts=parts)).text == "ab"


@pytest.mark.parametrize(
    ("dialect", "used", "usage"),
    [
        (
            "openai",
            {"prompt_tokens": 50, "completion_tokens": 5, "prompt_cache_hit_tokens": 40},
            Usage(1, 50, 40, 0, 5),
        ),
        (
            "openai",
            {
                "prompt_tokens": 50,
                "completion_tokens": 5,
                "cost": 0.25,
                "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
            },
            Usage(1, 50, 1, 2, 5, 0.25),
        ),
        ("openai", {"prompt_tokens": -1, "completion_tokens": True, "cost": "free"}, Usage(1)),
        ("openai", {"prompt_tokens": 1e3, "completion_tokens": 10**15, "cost": -1}, Usage(1)),
        ("openai", None, Usage(1)),
        (
            "anthropic",
            {
                "input_tokens": 3,
                "cache_read_input_tokens": 40,
                "cache_creation_input_tokens": 7,
                "output_tokens": 5,
            },
            Usage(1, 50, 40, 7, 5),
        ),
        ("anthropic", {"input_tokens": None, "output_tokens": "x"}, Usage(1)),
        (
            "gemini",
            {
                "promptTokenCount": 50,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 9,
            },
            Usage(1, 50, 40, 0, 14),
        ),
        ("gemini", [], Usage(1)),
    ],
)
def test_tokens_are_counted_alike_for_all(dialect, used, usage):
    key = "usageMetadata" if dialect == "gemini" else "usage"
    assert read(dialect, {**WHOLE[dialect], key: used}).usage == usage


@each_dialect
def test_a_response_that_is_cut_at_any_byte_is_none(dialect):
    whole = json.dumps(WHOLE[dialect], ensure_ascii=False).encode()
    assert read(dialect, parse_body(whole)).text == TEXT
    assert [at for at in range(len(whole)) if parse_body(whole[:at]) is not None] == []


def places(data, path=()):
    """The paths of everything in a JSON value."""
    yield path
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        yield from places(value, (*path, key))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["stop", "end_turn", "STOP", "text", "refusal"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "type", "error", "content", "parts", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@each_dialect
@settings(max_examples=MANY)
@given(data=st.data())
def test_no_change_of_a_response_makes_another_answer_of_it_or_an_exception(dialect, data):
    response = SimpleNamespace(root=copy.deepcopy(WHOLE[dialect]))
    here = data.draw(
        st.sampled_from([path for path in places(response.root) if not _says(response.root, path)])
    )
    _put(response, here, data.draw(JSON), data.draw(st.booleans()))
    reply = read(dialect, response.root)
    assert (
        (reply.text == TEXT)
        if reply.status is ReviewStatus.OK
        else (reply.text == "" and reply.error)
    )
    json.dumps(reply.text).encode()


@each_dialect
@settings(max_examples=MANY)
@given(at=st.integers(0, 10_000), junk=st.binary(max_size=4), cut=st.integers(0, 4))
def test_no_damage_to_the_bytes_is_an_exception(dialect, at, junk, cut):
    whole = json.dumps(WHOLE[dialect]).encode()
    at %= len(whole)
    reply = read(dialect, parse_body(whole[:at] + junk + whole[at + cut :]))
    assert bool(reply.text) == (reply.status is ReviewStatus.OK)


def _says(data, path):
    """It holds the answer: another text there is another answer."""
    for part in path:
        data = data[part]
    return (
        TEXT in json.dumps(data, ensure_ascii=False)
        or (isinstance(data, str) and data == TEXT)
        or json.dumps(TEXT) in json.dumps(data)
    )


def _put(response, path, value, drop):
    if not path:
        response.root = value
        return
    inner = response.root
    for part in path[:-1]:
        inner = inner[part]
    if drop:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value


def test_halves_of_characters_do_not_get_through():
    reply = read("openai", changed("openai", *MESSAGE, content="a\ud800b\udc00c\ud83d\ude00"))
    assert reply.text == "a\ufffdb\ufffdc\U0001f600"


def test_a_server_that_read_only_a_part_of_the_question_is_found_out():
    code = "def f(x):\n    return x + 1\n" * 4000
    usage = Usage(1, len(code) // 4)
    assert (
        truncated_prompt_reason(code, usage) == "" and truncated_prompt_reason(code, Usage(1)) == ""
    )
    assert truncated_prompt_reason(code, Usage(1, 4096)).startswith(
        "the server read only 4,096 tokens of a prompt of 108,000 bytes"
    )
