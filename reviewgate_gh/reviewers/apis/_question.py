"""The terms of a question, and the JSON schema as far as servers enforce one."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

StructuredOutput = Literal["schema", "object", "none"]
ModelEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
# platform.openai.com/docs/api-reference, docs.anthropic.com/en/docs/build-with-claude/effort,
# ai.google.dev/gemini-api/docs/thinking
_OPENAI_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
VENDOR_EFFORTS: Mapping[str, tuple[str, ...]] = {
    "openai": _OPENAI_EFFORTS,
    "responses": _OPENAI_EFFORTS,
    "anthropic": ("low", "medium", "high", "xhigh", "max"),
    "gemini": ("minimal", "low", "medium", "high"),
}


class ModelParameters(Struct, frozen=True):
    """From the config: the model, the most output tokens, and whether the server can be held to a
    schema, to some object, or to nothing.

    `is_vendor_server`: it is the vendor's own server, not one that speaks like it. `mark_cache`: an
    OpenAI-like server that is told what to cache.
    """

    model: str
    max_output_tokens: int | None = None
    structured: StructuredOutput = "schema"
    effort: ModelEffort | None = None
    is_vendor_server: bool = True
    mark_cache: bool = False


JsonSchema = Mapping[str, Any]
# Bounds, patterns and the like are refused by some servers, so none is sent any.
_KEPT = ("type", "enum", "description", "$ref")
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def strict_schema(schema: JsonSchema) -> dict[str, Any]:
    """For servers that want every key of an object required and no other: each answer that fits
    this has the schema's shape."""
    made = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        made["enum"] = [schema["const"]]
    if "properties" in schema:
        made |= {"required": list(schema["properties"]), "additionalProperties": False}
    for key in ("properties", "$defs"):
        if key in schema:
            made[key] = {name: strict_schema(each) for name, each in schema[key].items()}
    if "items" in schema:
        made["items"] = strict_schema(schema["items"])
    if "anyOf" in schema:
        made["anyOf"] = [strict_schema(each) for each in schema["anyOf"]]
    return made


def openapi_schema(schema: JsonSchema) -> dict[str, Any]:
    """For Gemini, whose schemas are OpenAPI's: one type with `nullable` beside it, enumerations of
    words, no references, ordered keys."""
    return _openapi(strict_schema(schema), schema.get("$defs", {}))


def _openapi(schema: JsonSchema, named: JsonSchema) -> dict[str, Any]:
    if "$ref" in schema:
        return _openapi(strict_schema(named[schema["$ref"].rpartition("/")[2]]), named)
    if "anyOf" in schema:
        return _either(schema, named)
    types = [each for each in _types(schema) if each != "null"]
    made = {key: schema[key] for key in ("description", "required") if key in schema} | (
        {"type": types[0].upper()} if types else {}
    )
    if len(types) < len(_types(schema)):
        made["nullable"] = True
    if types == ["string"] and "enum" in schema:
        made["enum"] = [each for each in schema["enum"] if each is not None]
    if "properties" in schema:
        made["properties"] = {
            name: _openapi(each, named) for name, each in schema["properties"].items()
        }
        made["propertyOrdering"] = list(schema["properties"])
    return made | ({"items": _openapi(schema["items"], named)} if "items" in schema else {})


def _either(schema: JsonSchema, named: JsonSchema) -> dict[str, Any]:
    """One of several, where "or null" is no alternative but a property."""
    others = [each for each in schema["anyOf"] if each.get("type") != "null"]
    made = (
        _openapi(others[0], named)
        if len(others) == 1
        else {"anyOf": [_openapi(each, named) for each in others]}
    )
    return made | ({"nullable": True} if len(others) < len(schema["anyOf"]) else {})


def _types(schema: JsonSchema) -> list[str]:
    """The types that are named, or those of the values that are allowed."""
    named = schema.get("type", [])
    values = schema.get("enum", ()) if not named else ()
    found = (
        [named]
        if isinstance(named, str)
        else [*named, *(_NAMES.get(type(value), "null") for value in values)]
    )
    return list(dict.fromkeys(found))
