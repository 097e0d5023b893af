"""What exactly is sent to each vendor."""

import json

import jsonschema_rs
import pytest

from reviewgate_gh.ensemble.answer import REVIEW, VERIFICATION
from reviewgate_gh.model.question import Prompt
from reviewgate_gh.reviewers.apis import API_DIALECTS
from reviewgate_gh.reviewers.apis._question import ModelParameters, openapi_schema, strict_schema
from tests.peers.model_shapes import prompt_of

ANSWER = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "nonce": {"type": "string", "minLength": 8, "description": "The word from the question."},
        "verdict": {"enum": ["pass", "fail"]},
        "findings": {"type": "array", "maxItems": 50, "items": {"type": "object", "properties": {
            "line": {"type": ["integer", "null"], "minimum": 1},
            "priority": {"type": "integer", "enum": [0, 1, 2, 3]},
            "suggestion": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "level": {"const": "code"},
        }, "required": ["line"]}},
    },
    "required": ["nonce", "verdict"],
}  # fmt: skip
PROMPT = Prompt("Rules, and the diff.\n", "Lens: security. Nonce: n-1.", ANSWER)
TEXT = "Rules, and the diff.\nLens: security. Nonce: n-1."
HELD = {
    "type": "object",
    "required": ["nonce", "verdict", "findings"],
    "additionalProperties": False,
    "properties": {
        "nonce": {"type": "string", "description": "The word from the question."},
        "verdict": {"enum": ["pass", "fail"]},
        "findings": {"type": "array", "items": {
            "type": "object",
            "required": ["line", "priority", "suggestion", "level"],
            "additionalProperties": False,
            "properties": {
                "line": {"type": ["integer", "null"]},
                "priority": {"type": "integer", "enum": [0, 1, 2, 3]},
                "suggestion": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "level": {"enum": ["code"]},
            },
        }},
    },
}  # fmt: skip
IN_OPENAPI = {
    "type": "OBJECT",
    "required": ["nonce", "verdict", "findings"],
    "properties": {
        "nonce": {"type": "STRING", "description": "The word from the question."},
        "verdict": {"type": "STRING", "enum": ["pass", "fail"]},
        "findings": {"type": "ARRAY", "items": {
            "type": "OBJECT",
            "required": ["line", "priority", "suggestion", "level"],
            "properties": {
                "line": {"type": "INTEGER", "nullable": True},
                "priority": {"type": "INTEGER"},
                "suggestion": {"type": "STRING", "nullable": True},
                "level": {"type": "STRING", "enum": ["code"]},
            },
            "propertyOrdering": ["line", "priority", "suggestion", "level"],
        }},
    },
    "propertyOrdering": ["nonce", "verdict", "findings"],
}  # fmt: skip
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": HELD}}
MARK = {"cache_control": {"type": "ephemeral"}}
SHARED, OWN = (
    {"type": "text", "text": PROMPT.shared_part},
    {"type": "text", "text": PROMPT.own_part},
)
GOLDEN = {
    "openai": (
        ModelParameters("gpt"),
        {
            "model": "gpt",
            "messages": [{"role": "user", "content": TEXT}],
            "response_format": FORMAT,
        },
    ),
    "openai with all": (
        ModelParameters("gpt", max_output_tokens=900, effort="high"),
        {
            "model": "gpt",
            "messages": [{"role": "user", "content": TEXT}],
            "response_format": FORMAT,
            "max_completion_tokens": 900,
            "reasoning_effort": "high",
        },
    ),
    "openai elsewhere, a model that reasons": (
        ModelParameters("openai/o3", max_output_tokens=900, is_vendor_server=False),
        {
            "model": "openai/o3",
            "messages": [{"role": "user", "content": TEXT}],
            "response_format": FORMAT,
            "max_completion_tokens": 900,
        },
    ),
    "responses": (
        ModelParameters("gpt", max_output_tokens=1, effort="xhigh"),
        {
            "model": "gpt",
            "input": [
                {
                    "type": "message",
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": PROMPT.shared_part},
                        {"type": "input_text", "text": PROMPT.own_part},
                    ],
                }
            ],
            "store": False,
            "text": {
                "format": {"type": "json_schema", "name": "answer", "strict": True, "schema": HELD}
            },
            "max_output_tokens": 16,
            "reasoning": {"effort": "xhigh"},
        },
    ),
    "openai elsewhere, marked": (
        ModelParameters("claude", max_output_tokens=900, is_vendor_server=False, mark_cache=True),
        {
            "model": "claude",
            "messages": [{"role": "user", "content": [SHARED | MARK, OWN]}],
            "response_format": FORMAT,
            "max_tokens": 900,
        },
    ),
    "anthropic": (
        ModelParameters("claude"),
        {
            "model": "claude",
            "max_tokens": 16000,
            "messages": [{"role": "user", "content": [SHARED | MARK, OWN]}],
            "output_config": {"format": {"type": "json_schema", "schema": HELD}},
        },
    ),
    "anthropic with all": (
        ModelParameters("claude", max_output_tokens=900, effort="low", structured="schema"),
        {
            "model": "claude",
            "max_tokens": 900,
            "messages": [{"role": "user", "content": [SHARED | MARK, OWN]}],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": HELD}},
        },
    ),
    "gemini": (
        ModelParameters("gemini"),
        {
            "contents": [
                {"role": "user", "parts": [{"text": PROMPT.shared_part}, {"text": PROMPT.own_part}]}
            ],
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": IN_OPENAPI,
            },
        },
    ),
    "gemini with all": (
        ModelParameters("gemini", max_output_tokens=900, effort="high"),
        {
            "contents": [
                {"role": "user", "parts": [{"text": PROMPT.shared_part}, {"text": PROMPT.own_part}]}
            ],
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": IN_OPENAPI,
                "maxOutputTokens": 900,
                "thinkingConfig": {"thinkingLevel": "high"},
            },
        },
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_what_is_sent(name):
    terms, body = GOLDEN[name]
    assert API_DIALECTS[name.partition(" ")[0]].body(PROMPT, terms) == body


@pytest.mark.parametrize("structured", ["object", "none"])
@pytest.mark.parametrize("dialect", API_DIALECTS)
def test_a_server_that_takes_no_schema_is_sent_none(dialect, structured):
    body = API_DIALECTS[dialect].body(PROMPT, ModelParameters("m", structured=structured))
    held = body.get("response_format") or body.get("generationConfig") or body.get("output_config")
    objects = {
        "openai": {"type": "json_object"},
        "gemini": {"responseMimeType": "application/json"},
    }
    assert prompt_of(dialect, body) == TEXT and held == (
        objects.get(dialect) if structured == "object" else None
    )


@pytest.mark.parametrize("dialect", API_DIALECTS)
def test_all_questions_of_a_run_begin_with_the_same_bytes(dialect):
    parameters = ModelParameters("m", mark_cache=True)
    bodies = [
        json.dumps(
            API_DIALECTS[dialect].body(Prompt(PROMPT.shared_part * 100, own, ANSWER), parameters)
        )
        for own in ("one", "another")
    ]
    first, second = (body.partition(json.dumps(PROMPT.shared_part * 100)[1:-1]) for body in bodies)
    assert first[:2] == second[:2] and first[1]


@pytest.mark.parametrize("dialect", API_DIALECTS)
@pytest.mark.parametrize(("shared", "own"), [("", "own"), ("shared", ""), ("shared", "own")])
def test_no_part_of_a_question_is_empty(dialect, shared, own):
    body = API_DIALECTS[dialect].body(
        Prompt(shared, own, ANSWER), ModelParameters("m", mark_cache=True)
    )
    assert prompt_of(dialect, body) == shared + own
    assert '"text": ""' not in json.dumps(body) and ("cache_control" in json.dumps(body)) <= bool(
        shared
    )


def test_an_answer_that_fits_what_is_sent_fits_the_schema():
    finding = {"line": None, "priority": 1, "suggestion": None, "level": "code"}
    answer = {"nonce": "n-1234567", "verdict": "pass", "findings": [finding]}
    for schema in (ANSWER, strict_schema(ANSWER)):
        jsonschema_rs.validator_for(schema).validate(answer)
    for wrong in (
        {**answer, "more": 1},
        {"nonce": "n-1234567", "verdict": "pass"},
        {**answer, "verdict": "maybe"},
    ):
        assert not jsonschema_rs.validator_for(strict_schema(ANSWER)).is_valid(wrong)


def test_gemini_s_schemas_have_one_type_and_words_in_enumerations():
    assert openapi_schema({"enum": ["a", None]}) == {
        "type": "STRING",
        "nullable": True,
        "enum": ["a"],
    }
    assert openapi_schema({"type": ["string", "null"], "enum": ["a", None]}) == {
        "type": "STRING",
        "nullable": True,
        "enum": ["a"],
    }
    assert openapi_schema({"anyOf": [{"type": "string"}, {"type": "integer"}]}) == {
        "anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]
    }
    assert openapi_schema({"enum": [1, 2]}) == {"type": "INTEGER"}
    shared = {
        "$defs": {"f": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "type": "array",
        "items": {"$ref": "#/$defs/f"},
    }
    inner = {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING"}},
        "required": ["a"],
        "propertyOrdering": ["a"],
    }
    assert openapi_schema(shared) == {"type": "ARRAY", "items": inner}
    assert strict_schema(shared)["items"] == {"$ref": "#/$defs/f"} and strict_schema(shared)[
        "$defs"
    ]["f"]["required"] == ["a"]


@pytest.mark.parametrize("schema", [REVIEW, VERIFICATION])
def test_our_own_schemas_are_sent_as_they_are(schema):
    assert strict_schema(schema) == schema
    assert (
        list(openapi_schema(schema)["properties"])
        == list(schema["properties"])
        == openapi_schema(schema)["required"]
    )
