"""What agents print, changed at random: always a reply or a ValueError of one line, and never a
cost or an answer made up."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.model.question import ModelReply
from reviewgate_gh.model.review import ReviewStatus
from reviewgate_gh.reviewers.agents._agent import error_text, last_error_text
from tests.agents import NAMES, TEXT, module, printed

NAMES = (*NAMES, "agent_sdk")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.just(10**400)
    | st.just("{"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["message", "error", "type", "a"]), inner, max_size=3)
    ),
    max_leaves=8,
)
each_agent = pytest.mark.parametrize("name", NAMES)


def sample(name: str) -> list[Any]:
    """A good output as its JSON values, one a line."""
    if name == "agent_sdk":
        said = {
            "type": "result",
            "text": TEXT,
            "is_error": False,
            "subtype": "success",
            "stop_reason": "end_turn",
            "num_turns": 1,
        }
        return [
            {
                **said,
                "total_cost_usd": 0.5,
                "usage": {"input_tokens": 1},
                "structured_output": None,
                "result": "x",
            }
        ]
    text = printed(name)
    return (
        [json.loads(line) for line in text.split("\n")] if name == "codex" else [json.loads(text)]
    )


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document as (holder, key)."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [place for key, inner in items for place in ((value, key), *places(inner))]


def read(name: str, values: list[Any]) -> ModelReply | None:
    data = "\n".join(json.dumps(value) for value in values).encode()
    try:
        reply = module(name).AGENT.read(data)
    except ValueError:
        return None
    assert isinstance(reply, ModelReply) and isinstance(reply.text, str) and "\n" not in reply.error
    assert all(
        count >= 0
        for count in (reply.usage.calls, reply.usage.input, reply.usage.cached, reply.usage.output)
    )
    assert reply.usage.cost is None or math.isfinite(reply.usage.cost)
    assert (reply.status is ReviewStatus.OK) or (not reply.text and reply.error)
    return reply


@each_agent
@given(data=st.data())
def test_a_changed_value_is_a_reply_or_a_value_error(name: str, data: st.DataObject) -> None:
    values = sample(name)
    holder, key = data.draw(st.sampled_from(places(values)))
    if data.draw(st.booleans()) and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = data.draw(JSON)
    read(name, values)


@each_agent
@given(value=JSON)
def test_any_json_is_no_answer(name: str, value: object) -> None:
    reply = read(name, [value])
    assert reply is None or reply.status is not ReviewStatus.OK


@each_agent
@given(data=st.binary(max_size=200))
def test_any_bytes_are_no_answer(name: str, data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        module(name).AGENT.read(data)


@given(value=JSON, text=st.text(max_size=50))
def test_an_error_is_one_bounded_line(value: object, text: str) -> None:
    for said in (
        error_text(value),
        error_text(text),
        error_text(text * 1000),
        last_error_text(text),
        last_error_text(f"{text}\n{json.dumps(value)}"),
    ):
        assert "\n" not in said and len(said) <= 310
    assert last_error_text(text)


def test_the_message_within_the_message() -> None:
    inner = json.dumps({"error": {"message": "no such key", "code": 401}})
    assert (
        error_text({"message": inner}) == error_text({"error": {"message": inner}}) == "no such key"
    )
    assert (
        last_error_text(f"Warning: colours.\n{json.dumps({'error': {'message': inner}}, indent=2)}")
        == "no such key"
    )
    assert last_error_text("one\ntwo\n") == "two" and last_error_text(" \n") == "no error output"
