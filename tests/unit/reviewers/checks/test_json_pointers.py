"""References within a document that lead nowhere."""

import json

import pytest

from reviewgate_gh.reviewers.checks import json_pointers
from tests.unit.reviewers.checks.support import edited, on, short, sources

API = """\
openapi: 3.1.0
paths:
  /a:
    get:
      schema:
        $ref: "#/components/schemas/{name}"
components:
  schemas:
    Order: {{type: object, properties: {{id: {{$ref: '#/components/schemas/Id'}}}}}}
    Id: &id {{type: string}}
    Other: {{$ref: other.yaml}}
    "a/b": {{<<: *id}}
    List: {{anyOf: [{{type: string}}]}}
"""
FOUND = [("P2", "json-pointer", "a.yaml:6")]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Order", []),
        ("Oder", FOUND),
        ("Order/properties/id", []),
        ("Order/properties/ids", FOUND),
        ("Order/type/a", FOUND),
        ("a~1b", []),
        ("a~1b/type", []),
        ("Other/properties/a", []),
        ("List/anyOf/0", []),
        ("List/anyOf/1", FOUND),
        ("List/anyOf/" + "1" * 5_000, FOUND),
    ],
)
def test_descriptions_of_interfaces(name: str, found: list[tuple[str, str, str]]) -> None:
    text = API.format(name=name)
    assert on(json_pointers, "a.yaml", text) == found
    assert on(json_pointers, "a.yaml", text.replace("openapi: 3.1.0\n", "")) == []
    assert on(json_pointers, "tests/a.yaml", text) == []


@pytest.mark.parametrize(
    ("more", "missing"),
    [
        ({"a": {"$ref": "#/$defs/b"}}, True),
        ({"a": {"$ref": "#/$defs/a%20b"}}, False),
        ({"a": {"$id": "https://example.org/a", "items": {"$ref": "#/b"}}}, False),
        ({"a": {"default": {"$ref": "#/b"}}}, False),
        ({"a": {"$ref": "other.json#/b"}}, False),
        ({"properties": {"$ref": {"type": "string"}, "id": {"$ref": "#/b"}}}, True),
    ],
)
def test_schemas(more: object, missing: bool) -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"a b": more}}
    text = json.dumps(schema, indent=1)
    assert bool(on(json_pointers, "a.schema.json", text)) is missing


@pytest.mark.parametrize(
    "text",
    [
        "openapi: 3\na: {$ref: '#/b'}\n]",
        "openapi: " + "[" * 300 + "\n$ref: '#/b'",
        "- $ref: '#/b'",
        "",
    ],
)
def test_what_cannot_be_read(text: str) -> None:
    assert on(json_pointers, "a.yaml", text) == []


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = API.format(name="Oder")
    file = edited("a.yaml", "-openapi: 3.1.1", "+openapi: 3.1.0")
    assert short(json_pointers, sources(file, contents={"a.yaml": text})) == []
