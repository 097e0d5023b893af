"""References within a document (`$ref: '#/...'`) that lead nowhere, in descriptions of interfaces
and in schemas.

https://spec.openapis.org/oas/v3.1.0#reference-object,
https://json-schema.org/understanding-json-schema/structuring
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...model.finding import Finding
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_tests
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._yaml_values import read_plain

WANTS = ("*.json", "*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST, _MOST = 3_000_000, 50
_DIGITS = 18  # of a number that Python reads from any text
_REFERENCE, _INSIDE = "$ref", "#/"
_MAY_REFER = lazy_pattern(rb"\$ref[\"']?\s*:\s*[\"']#/")
_SCHEMA = "json-schema.org"
_KINDS = ("openapi", "swagger", "asyncapi")
# What stands there is data, and may look like a reference
_DATA = frozenset(("example", "examples", "default", "enum", "const"))


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a reference."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return path.endswith((".json", ".yml", ".yaml")) and not (is_fixture(path) or is_tests(path))


def _problems(path: str, data: bytes) -> Iterator[Problem]:
    if not _MAY_REFER.search(data):
        return
    root = _read(path, data)
    if not _is_whole(root):
        return
    text = data.decode("utf-8", "replace")
    references = sorted(set(_references(root)))
    for reference in islice((each for each in references if not _leads(root, each)), _MOST):
        at = text.find(reference)
        yield Problem(
            "json-pointer",
            text.count("\n", 0, at) + 1 if at >= 0 else 0,
            f"`{reference}` leads nowhere in this document",
            "What reads the document stops there. Correct the name, or add what it names.",
        )


def _read(path: str, data: bytes) -> Any:
    try:
        return json.loads(data) if path.endswith(".json") else read_plain(data)
    except (ValueError, RecursionError):
        return None


def _is_whole(root: Any) -> bool:
    """Not a part that a tool puts into another document."""
    if not isinstance(root, dict):
        return False
    return any(kind in root for kind in _KINDS) or _SCHEMA in str(root.get("$schema"))


def _references(root: Any) -> Iterator[str]:
    """Those of the document itself: a part with an `$id` is a document of its own."""
    parts, seen = [root], set[int]()
    while parts:
        part = parts.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, list):
            parts += [each for each in part if isinstance(each, dict | list)]
        elif part is root or not isinstance(part.get("$id", part.get("id")), str):
            reference = part.get(_REFERENCE)
            if isinstance(reference, str) and reference.startswith(_INSIDE):
                yield reference
            parts += [each for key, each in part.items()
                      if isinstance(each, dict | list) and key not in _DATA]  # fmt: skip


# https://www.rfc-editor.org/rfc/rfc6901#section-6
_ESCAPED = lazy_pattern(r"(?:%[0-9a-fA-F]{2})+")


def _unescape(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace")


def _leads(value: Any, reference: str) -> bool:
    """To something, or through another reference, which may lead to it."""
    for part in reference.removeprefix(_INSIDE).split("/"):
        key = _ESCAPED.sub(_unescape, part).replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            if not key.isdecimal() or len(key) > _DIGITS or int(key) >= len(value):
                return False
            value = value[int(key)]
        elif isinstance(value, dict):
            if key not in value:
                return _REFERENCE in value
            value = value[key]
        else:
            return False
    return True
